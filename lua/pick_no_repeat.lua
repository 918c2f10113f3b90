-- pick_no_repeat: an upstream by chance, but never the previous one again, over all callers together.
--
-- KEYS[1]   key          hash  one rotation without repeats
-- ARGV[1]   now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]   deadline_ms  int   0: none; a call that runs after this instant is refused
-- ARGV[3]   request_id   text  0 to 128 bytes; a repeat of the id gets the same upstream again; empty: no id
-- ARGV[4]   keep_ms      int   1,000 to 34,560,000,000; how long all is remembered when nobody asks
-- ARGV[5]   by           word  what must not come twice in a row: `upstream`, or `exit`: what the outside sees
-- ARGV[6]   only_one     word  where only a repeat is left: `fail`, `reuse`, or `wait` until gap_ms have passed
-- ARGV[7]   gap_ms       int   0 to 9,007,199,254,740; counts for `wait` alone
-- ARGV[8]   draw         int   a random whole number below 2^53
-- ARGV[9+]  upstream     text  1 to 255 bytes; with its exit and its weight, 0 to 1,024 times; one that is
--                              listed twice counts once, as it is listed first
-- ARGV[10+] exit         text  0 to 255 bytes, its declared exit; empty: not known, which counts as different
-- ARGV[11+] weight       int   0 to 65,535, its share; one of weight 0 is never picked
--
-- Returns  {"picked", 1, now_ms, 0, index, ":upstream", repeats, repeated} | {"no_different", 1, now_ms, 0}
--          | {"wait", 1, now_ms, 0, retry_after_ms} | {"empty", 1, now_ms, 0}: none, or none of weight
--          index counts from 0 in the list given, -1 where the upstream of a repeated id is not listed;
--          repeats is 1 where it is the previous one again, since nothing else was left;
--          repeated is 1 where the id had this answer before
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- An id is kept for a minute at least, and so the key lives as long.
--
-- State    lua/include/exits.lua; i: and q: ids
-- Cost     O(upstreams)

-- @include args
-- @include names
-- @include state
-- @include numbers
-- @include ids
-- @include exits

shape(8, 3080)
if not bad and #ARGV % 3 ~= 2 then
  bad = refuse('ARG', #ARGV .. ' arguments are given, but must be 8 and three for each upstream')
end
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local request_id = bytes(3, 'request_id', 0, 128)
local keep_ms = whole(4, 'keep_ms', 1000, 34560000000)
local by = word(5, 'by', {upstream = true, exit = true}, '"upstream" or "exit"')
local only_one = word(6, 'only_one', {fail = true, reuse = true, wait = true}, '"fail", "reuse" or "wait"')
local gap_ms = whole(7, 'gap_ms', 0, 9007199254740)
local draw = whole(8, 'draw', 0, 9007199254740991)
if bad then return bad end
local listed, index_of = {}, {}
local count = (#ARGV - 8) / 3
for index = 0, count - 1 do
  local i = 9 + 3 * index
  local upstream, exit = name(i, 'upstream', 1), name(i + 1, 'exit', 0)
  local weight = whole(i + 2, 'weight', 0, 65535)
  if bad then return bad end
  if not index_of[upstream] then
    index_of[upstream] = index
    if weight > 0 then listed[#listed + 1] = {upstream = upstream, exit = exit, weight = weight} end
  end
end
now_ms = instant(now_ms, deadline_ms)
if bad then return bad end

local found = redis.pcall('HMGET', KEYS[1], 's', 'o', 'i:' .. request_id)
local err, clock_ms, key_expires_ms, oldest, next_id, used_ms, previous, declared, observed, noted, exit_of = uses(found)
if err then return err end
now_ms = math.max(now_ms, clock_ms)
if request_id ~= '' and found[3] then
  local repeats, upstream = string.match(found[3], '^%d+ ([01]) (.+)$')
  if not repeats then return damaged('i:' .. request_id) end
  return {'picked', 1, now_ms, 0, index_of[upstream] or -1, ':' .. upstream, tonumber(repeats), 1}
end
if #listed == 0 then return {'empty', 1, now_ms, 0} end

-- What must not come again; an exit that is not known repeats none.
local used = {}
if by == 'upstream' then used[previous] = true else used[declared], used[observed] = true, true end
used[''] = nil
local eligible, repeats = {}, 0
for _, one in ipairs(listed) do
  local again = used[one.exit] or used[exit_of[one.upstream] or '']
  if by == 'upstream' then again = used[one.upstream] end
  if not again then eligible[#eligible + 1] = one end
end
if #eligible == 0 then
  if only_one == 'fail' then return {'no_different', 1, now_ms, 0} end
  if only_one == 'wait' and now_ms < used_ms + gap_ms then
    return {'wait', 1, now_ms, 0, used_ms + gap_ms - now_ms}
  end
  eligible, repeats = listed, 1
end
local total = 0
for _, one in ipairs(eligible) do total = total + one.weight end
local left, at = draw % total, 1
while left >= eligible[at].weight do
  left = left - eligible[at].weight
  at = at + 1
end
local chosen = eligible[at]

local writes, gone = {'s', ''}, {}
if #noted > count then
  local kept = {}
  for _, upstream in ipairs(noted) do
    if index_of[upstream] then kept[#kept + 1] = upstream end
  end
  if #kept == 0 then
    gone[1] = 'o'
  elseif #kept < #noted then
    writes[3], writes[4] = 'o', exit_lines(kept, exit_of)
  end
end
if request_id ~= '' then
  local outdated
  oldest, outdated = outdated_ids(digits_of(oldest), next_id, now_ms)
  for _, field in ipairs(outdated or {}) do gone[#gone + 1] = field end
  keep_id(writes, request_id, digits_of(next_id), string.format('%.0f', now_ms), repeats .. ' ' .. chosen.upstream)
  next_id = next_id + 1
end
local key_ms = longer_life(key_expires_ms, now_ms, math.max(keep_ms, 60000))
if key_ms then key_expires_ms = now_ms + key_ms end
writes[2] = string.format('repeat 1 %.0f %.0f %.0f %.0f %.0f ', now_ms, key_expires_ms, oldest, next_id, now_ms)
  .. chosen.upstream .. '\n' .. chosen.exit .. '\n' .. (exit_of[chosen.upstream] or '')
redis.call('HSET', KEYS[1], unpack(writes))
if gone[1] then redis.call('HDEL', KEYS[1], unpack(gone)) end
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'picked', 1, now_ms, 0, index_of[chosen.upstream], ':' .. chosen.upstream, repeats, 0}
