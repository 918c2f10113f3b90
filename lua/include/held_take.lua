-- The take that a call names by its id. Needs args, state, numbers, meters.

-- Returns the error, or what the call answers where the take is not known (any more); else false and the
-- take: `field`, `start_ms`, `is_cancelled`, its charges by the numbers of limits in `charged`, `id_number`;
-- and what goes with it: `now_ms`, `version` and `limits` of the rules in force, and of field `s` the rest.
local function held_take(take_id, now_ms)
  local take = {field = 'i:' .. take_id}
  local found = redis.pcall('HMGET', KEYS[1], 's', 'c', take.field)
  local state = found[1]
  local err = unusable(found, state, 'take')
  if err then return err end
  if not state then return {'gone', 1, now_ms, 0} end
  take.version, take.limits = rules_of(found[2])
  if not take.version then return damaged('c') end
  take.clock_ms, take.key_expires_ms, take.oldest, take.next_id, take.next_number = read_meters(take.limits, state)
  if not take.clock_ms then return damaged('s') end
  take.now_ms = math.max(now_ms, take.clock_ms)
  if not found[3] then return {'gone', 1, take.now_ms, reply(take.version)} end
  take.start_ms, take.is_cancelled, take.charged, take.id_number = taken(found[3])
  if not take.start_ms then return damaged(take.field) end
  return false, take
end

-- Writes it with another word and other charges; first what needs no memory.
local function put_take(take, word)
  local limits, now_ms, record = take.limits, take.now_ms, string.format('%.0f %.0f ', take.id_number, take.start_ms) .. word
  for _, limit in ipairs(limits) do
    local charge = take.charged[limit.number] or 0
    if charge > 0 then record = record .. string.format(' %.0f:%.0f', limit.number, charge) end
  end
  local life_ms = math.max(life_of_meters(limits, now_ms), take.start_ms + 60000 - now_ms)
  local key_ms = longer_life(take.key_expires_ms, now_ms, life_ms)
  local key_expires_ms = key_ms and now_ms + key_ms or take.key_expires_ms
  redis.call('HDEL', KEYS[1], take.field)
  redis.call('HSET', KEYS[1],
    's', meters_state(limits, now_ms, key_expires_ms, take.oldest, take.next_id, take.next_number), take.field, record)
  if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
end
