-- take_settle: corrects what a take was charged to what it really cost.
--
-- KEYS[1]  key          hash  limits that are taken together
-- ARGV[1]  now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms  int   0: none; a call that runs after this instant is refused
-- ARGV[3]  take_id      text  1 to 128 bytes
-- ARGV[4+] name         text  of 0 to 16 limits, each once; one that is not in force (any more) is ignored,
--                             and one that is not named keeps its charge
-- ARGV[5+] actual       int   below 2^53; what it really cost there
--
-- Returns  {"settled", 1, now_ms, version, remaining of each limit...}: the last call counts
--          | {"gone", 1, now_ms, version}: no such take is known (any more), or it was cancelled;
--          version is 0 without a key
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- What was not used comes back; what was used beyond the charge is owed, and later takers wait for it.
-- A call that changes nothing writes nothing.
--
-- State    lua/include/meters.lua; i: ids
-- Cost     O(limits + bookings)

-- @include args
-- @include names
-- @include state
-- @include numbers
-- @include bucket
-- @include window
-- @include meters

shape(3, 35)
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local take_id = bytes(3, 'take_id', 1, 128)
if bad then return bad end
if #ARGV % 2 == 0 then return refuse('ARG', #ARGV .. ' arguments are given, but must be 3 and pairs of name and actual') end
local named_at, actual = {}, {}
for i = 4, #ARGV, 2 do
  local limit_name = name(i, 'name', 1)
  if named_at[limit_name] then must(i, 'name', 'another name in each pair') end
  named_at[limit_name], actual[limit_name] = i + 1, whole(i + 1, 'actual', 0, 9007199254740991)
  if bad then return bad end
end
now_ms = instant(now_ms, deadline_ms)
if bad then return bad end

local field = 'i:' .. take_id
local found = redis.pcall('HMGET', KEYS[1], 's', 'c', field)
local state = found[1]
local err = unusable(found, state, 'take')
if err then return err end
if not state then return {'gone', 1, now_ms, 0} end
local version, limits = rules_of(found[2])
if not version then return damaged('c') end
local clock_ms, key_expires_ms, oldest, next_id, next_number = read_meters(limits, state)
if not clock_ms then return damaged('s') end
now_ms = math.max(now_ms, clock_ms)
if not found[3] then return {'gone', 1, now_ms, reply(version)} end
local start_ms, is_cancelled, charged, id_number = taken(found[3])
if not start_ms then return damaged(field) end
if is_cancelled then return {'gone', 1, now_ms, reply(version)} end

advance(limits, clock_ms, now_ms)
local changed = {}
for _, limit in ipairs(limits) do
  local charge, cost = charged[limit.number] or 0, actual[limit.name]
  if cost and cost ~= charge then
    local most = most_for(limit, charge, start_ms, now_ms)
    if cost > most then
      must(named_at[limit.name], 'actual', string.format('a whole number from 0 to %.0f', most))
      return bad
    end
    changed[#changed + 1] = limit
  end
end
for _, limit in ipairs(changed) do
  local recharge = limit.kind == 'bucket' and recharge_bucket or recharge_window
  recharge(limit, charged[limit.number] or 0, actual[limit.name], start_ms, now_ms)
  charged[limit.number] = actual[limit.name]
end
local answer = {'settled', 1, now_ms, reply(version)}
for i, limit in ipairs(limits) do answer[4 + i] = reply(remaining(limit)) end
if #changed == 0 then return answer end

local record = string.format('%.0f %.0f taken', id_number, start_ms)
for _, limit in ipairs(limits) do
  local charge = charged[limit.number] or 0
  if charge > 0 then record = record .. string.format(' %.0f:%.0f', limit.number, charge) end
end
local key_ms = longer_life(key_expires_ms, now_ms, math.max(life_of_meters(limits, now_ms), start_ms + 60000 - now_ms))
if key_ms then key_expires_ms = now_ms + key_ms end
redis.call('HDEL', KEYS[1], field)
redis.call('HSET', KEYS[1],
  's', meters_state(limits, now_ms, key_expires_ms, oldest, next_id, next_number), field, record)
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return answer
