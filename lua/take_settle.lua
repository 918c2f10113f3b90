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
-- @include held_take

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

local answer, take = held_take(take_id, now_ms)
if answer then return answer end
local limits, charged, start_ms, version = take.limits, take.charged, take.start_ms, take.version
now_ms = take.now_ms
if take.is_cancelled then return {'gone', 1, now_ms, reply(version)} end

advance(limits, take.clock_ms, now_ms)
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
if #changed > 0 then put_take(take, 'taken') end
local settled = {'settled', 1, now_ms, reply(version)}
for i, limit in ipairs(limits) do settled[4 + i] = reply(remaining(limit)) end
return settled
