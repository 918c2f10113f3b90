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
-- @include held_take

shape(3, 3)
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local take_id = bytes(3, 'take_id', 1, 128)
if bad then return bad end
now_ms = instant(now_ms, deadline_ms)
if bad then return bad end

local answer, take = held_take(take_id, now_ms)
if answer then return answer end
local limits, charged, version = take.limits, take.charged, take.version
now_ms = take.now_ms
if take.is_cancelled then return {'returned', 1, now_ms, reply(version)} end
if now_ms >= take.start_ms then return {'started', 1, now_ms, reply(version)} end

advance(limits, take.clock_ms, now_ms)
local is_returned = true
for _, limit in ipairs(limits) do
  if (charged[limit.number] or 0) > 0 then is_returned = false end
end
for _, limit in ipairs(limits) do
  local charge = charged[limit.number] or 0
  local cancel = limit.kind == 'bucket' and cancel_in_bucket or cancel_in_window
  if charge > 0 and cancel(limit, charge, take.start_ms, now_ms) then is_returned = true end
end
if not is_returned then return {'started', 1, now_ms, reply(version)} end
take.charged = {}
put_take(take, 'cancelled')
return {'returned', 1, now_ms, reply(version)}
