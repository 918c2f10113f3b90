-- observe_exit: notes the exit that an upstream was seen to have, beside the one declared for it.
--
-- KEYS[1]  key          hash  one rotation without repeats
-- ARGV[1]  now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms  int   0: none; a call that runs after this instant is refused
-- ARGV[3]  keep_ms      int   1,000 to 34,560,000,000; how long all is remembered when nobody asks
-- ARGV[4]  upstream     text  1 to 255 bytes
-- ARGV[5]  exit         text  1 to 255 bytes; replaces the one that was noted before
--
-- Returns  {"observed", 1, now_ms, 0}
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- Saying it twice is saying it once. An exit is kept while its upstream is listed: pick_no_repeat
-- forgets those that its list leaves out, once there are more of them than it lists. With 2,048
-- noted, the upstream noted first goes; the same in process refuses the one beyond 65,535.
--
-- State    lua/include/exits.lua
-- Cost     O(upstreams noted)

-- @include args
-- @include names
-- @include state
-- @include numbers
-- @include exits

shape(5, 5)
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local keep_ms = whole(3, 'keep_ms', 1000, 34560000000)
local upstream = name(4, 'upstream', 1)
local exit = name(5, 'exit', 1)
if bad then return bad end
now_ms = instant(now_ms, deadline_ms)
if bad then return bad end

local found = redis.pcall('HMGET', KEYS[1], 's', 'o')
local err, clock_ms, key_expires_ms, oldest, next_id, used_ms, previous, declared, observed, noted, exit_of = uses(found)
if err then return err end
now_ms = math.max(now_ms, clock_ms)

local writes = {'s', ''}
if exit_of[upstream] ~= exit then
  if not exit_of[upstream] then noted[#noted + 1] = upstream end
  if #noted > 2048 then table.remove(noted, 1) end
  exit_of[upstream] = exit
  writes[3], writes[4] = 'o', exit_lines(noted, exit_of)
end
if previous == upstream then observed = exit end

local key_ms = longer_life(key_expires_ms, now_ms, math.max(keep_ms, 60000))
if key_ms then key_expires_ms = now_ms + key_ms end
writes[2] = string.format('repeat 1 %.0f %.0f %.0f %.0f %.0f ', now_ms, key_expires_ms, oldest, next_id, used_ms)
  .. previous .. '\n' .. declared .. '\n' .. observed
redis.call('HSET', KEYS[1], unpack(writes))
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'observed', 1, now_ms, 0}
