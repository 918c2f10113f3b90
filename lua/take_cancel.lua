-- take_cancel: gives back what a take was charged, if it has not started.
--
-- KEYS[1]  key          hash  limits that are taken together
-- ARGV[1]  now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms  int   0: none; a call that runs after this instant is refused
-- ARGV[3]  take_id      text  1 to 128 bytes
--
-- Returns  {"returned", 1, now_ms, version}: given back, by this call or by one before it
--          | {"started", 1, now_ms, version}: nothing has changed
--          | {"gone", 1, now_ms, version}: no such take is known (any more); version is 0 without a key
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- State    lua/include/meters.lua; i: ids
-- Cost     O(limits + bookings)

-- @include args
-- @include state
-- @include numbers
-- @include bucket
-- @include window
-- @include meters

shape(3, 3)
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local take_id = bytes(3, 'take_id', 1, 128)
if bad then return bad end
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
if is_cancelled then return {'returned', 1, now_ms, reply(version)} end
if now_ms >= start_ms then return {'started', 1, now_ms, reply(version)} end

advance(limits, clock_ms, now_ms)
local is_returned = true
for _, limit in ipairs(limits) do
  if (charged[limit.number] or 0) > 0 then is_returned = false end
end
for _, limit in ipairs(limits) do
  local charge = charged[limit.number] or 0
  local cancel = limit.kind == 'bucket' and cancel_in_bucket or cancel_in_window
  if charge > 0 and cancel(limit, charge, start_ms, now_ms) then is_returned = true end
end
if not is_returned then return {'started', 1, now_ms, reply(version)} end

local key_ms = longer_life(key_expires_ms, now_ms, math.max(life_of_meters(limits, now_ms), start_ms + 60000 - now_ms))
if key_ms then key_expires_ms = now_ms + key_ms end
redis.call('HDEL', KEYS[1], field)
redis.call('HSET', KEYS[1],
  's', meters_state(limits, now_ms, key_expires_ms, oldest, next_id, next_number),
  field, string.format('%.0f %.0f cancelled', id_number, start_ms))
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'returned', 1, now_ms, reply(version)}
