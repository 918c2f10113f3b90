-- next_shuffle: each upstream once in a random order, then a new pass, over all callers together.
--
-- KEYS[1]  key          hash  one shuffle
-- ARGV[1]  now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms  int   0: none; a call that runs after this instant is refused
-- ARGV[3]  request_id   text  0 to 128 bytes; a repeat of the id gets the same upstream again; empty: no id
-- ARGV[4]  keep_ms      int   1,000 to 34,560,000,000; how long the pass is remembered when nobody asks
-- ARGV[5]  boundary     word  `free`, or `no_repeat`: the first of a pass is not the last of the one before
-- ARGV[6]  draw         int   a random whole number below 2^53
-- ARGV[7+] upstream     text  0 to 1,024 names; one that is listed twice counts once
--
-- Returns  {"picked", 1, now_ms, 0, index, ":upstream", repeated} | {"empty", 1, now_ms, 0}
--          index counts from 0 in the list given, -1 where a repeat's upstream is not listed;
--          repeated is 1 where the id had this answer before
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- An id is kept for a minute at least, and so the key lives as long. A pass whose lists change so
-- that it never ends forgets, from 2,048 upstreams on, those that are not listed; the same in
-- process forgets from 65,535 on.
--
-- State    s: "shuffle 1 <clock_ms> <key_expires_ms> <oldest id> <next id> <last upstream>",
--          t: the upstreams that this pass has returned, a line each; i: and q: ids
-- Cost     O(upstreams)

-- @include args
-- @include names
-- @include state
-- @include numbers
-- @include ids

shape(6, 1030)
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local request_id = bytes(3, 'request_id', 0, 128)
local keep_ms = whole(4, 'keep_ms', 1000, 34560000000)
local boundary = word(5, 'boundary', {free = true, no_repeat = true}, '"free" or "no_repeat"')
local draw = whole(6, 'draw', 0, 9007199254740991)
if bad then return bad end
local listed, index_of = {}, {}
for i = 7, #ARGV do
  local upstream = name(i, 'upstream', 1)
  if bad then return bad end
  if not index_of[upstream] then
    listed[#listed + 1] = upstream
    index_of[upstream] = i - 7
  end
end
now_ms = instant(now_ms, deadline_ms)
if bad then return bad end

local found = redis.pcall('HMGET', KEYS[1], 's', 't', 'i:' .. request_id)
local state, pass = found[1], found[2] or ''
local err = unusable(found, state, 'shuffle')
if err then return err end
local clock_ms, key_expires_ms, oldest, next_id, last = 0, 0, 0, 0, ''
if state then
  local digits
  digits, last = string.match(state, '^shuffle 1 (%d+ %d+ %d+ %d+) (.+)$')
  clock_ms, key_expires_ms, oldest, next_id = numbers(digits)
  if not clock_ms then return damaged('s') end
  if string.byte(pass, -1) ~= 10 then return damaged('t') end
end
now_ms = math.max(now_ms, clock_ms)
if request_id ~= '' and found[3] then
  local upstream = string.match(found[3], '^%d+ (.+)$')
  if not upstream then return damaged('i:' .. request_id) end
  return {'picked', 1, now_ms, 0, index_of[upstream] or -1, ':' .. upstream, 1}
end
if #listed == 0 then return {'empty', 1, now_ms, 0} end

local taken, count = {}, 0
for upstream in string.gmatch(pass, '[^\n]+') do
  taken[upstream] = true
  count = count + 1
end
local eligible = {}
for _, upstream in ipairs(listed) do
  if not taken[upstream] then eligible[#eligible + 1] = upstream end
end
if #eligible == 0 then
  pass = ''
  for _, upstream in ipairs(listed) do
    if boundary == 'free' or #listed == 1 or upstream ~= last then
      eligible[#eligible + 1] = upstream
    end
  end
elseif count >= 2048 then
  local kept = {}
  for upstream in string.gmatch(pass, '[^\n]+') do
    if index_of[upstream] then kept[#kept + 1] = upstream .. '\n' end
  end
  pass = table.concat(kept)
end
local upstream = eligible[draw % #eligible + 1]

local writes = {'s', '', 't', pass .. upstream .. '\n'}
local gone
if request_id ~= '' then
  oldest, gone = outdated_ids(digits_of(oldest), next_id, now_ms)
  keep_id(writes, request_id, digits_of(next_id), string.format('%.0f', now_ms), upstream)
  next_id = next_id + 1
end
local key_ms = longer_life(key_expires_ms, now_ms, math.max(keep_ms, 60000))
if key_ms then key_expires_ms = now_ms + key_ms end
writes[2] = string.format('shuffle 1 %.0f %.0f %.0f %.0f ', now_ms, key_expires_ms, oldest, next_id) .. upstream
redis.call('HSET', KEYS[1], unpack(writes))
if gone then redis.call('HDEL', KEYS[1], unpack(gone)) end
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'picked', 1, now_ms, 0, index_of[upstream], ':' .. upstream, 0}
