-- record_least_used: counts uses of an upstream that were not picked here.
--
-- KEYS[1]  key          hash  one table, as configure_least_used made it
-- ARGV[1]  now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms  int   0: none; a call that runs after this instant is refused
-- ARGV[3]  request_id   text  0 to 128 bytes; a repeat of the id counts nothing again; empty: no id
-- ARGV[4]  upstream     text  1 to 255 bytes
-- ARGV[5]  times        int   0 to 9,007,199,254,740,991
--
-- Returns  {"recorded", 1, now_ms, version, count, repeated}
--          | {"unknown_upstream", 1, now_ms, version}: it is not there (any more); nothing has changed
--          | {"unknown", 1, now_ms, 0}: no such key; configure it first
--          repeated is 1 where the id had this answer before
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- State    lua/include/used.lua; i: and q: ids, those of records behind an `r`
-- Cost     O(1), but O(upstreams) where a count would pass 2^53 - 1

-- @include args
-- @include names
-- @include state
-- @include numbers
-- @include ids
-- @include used
-- @include used_state

shape(5, 5)
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local request_id = bytes(3, 'request_id', 0, 128)
local upstream = name(4, 'upstream', 1)
local times = whole(5, 'times', 0, 9007199254740991)
if bad then return bad end
now_ms = instant(now_ms, deadline_ms)
if bad then return bad end

local field = 'u:' .. upstream
local found = redis.pcall('HMGET', KEYS[1], 's', field, 'i:r' .. request_id)
local err = unusable(found, found[1], 'used')
if err then return err end
if not found[1] then return {'unknown', 1, now_ms, 0} end
local state = table_state(found[1])
if not state then return damaged('s') end
now_ms = math.max(now_ms, state.clock_ms)
local version = reply(state.version)
if request_id ~= '' and found[3] then
  local count = numbers(string.match(found[3], '^%d+ (%d+)$'))
  if not count then return damaged('i:r' .. request_id) end
  return {'recorded', 1, now_ms, version, reply(count), 1}
end
local count, weight, has_left = member(found[2])
if found[2] and not count then return damaged(field) end
if not count or has_left then return {'unknown_upstream', 1, now_ms, version} end

local at, upstreams, counts, weights, left = 1, {upstream}, {count}, {weight}, {false}
if count > 9007199254740991 - times then
  upstreams, counts, weights, left = members(redis.call('HGET', KEYS[1], 'k') or '')
  if not upstreams then return damaged(counts) end
  while upstreams[at] and upstreams[at] ~= upstream do at = at + 1 end
  if not upstreams[at] then return damaged('k') end
end
local writes = {'s', ''}
if add_count(writes, at, times, upstreams, counts, weights, left) then
  state.front, state.picked = '', nil
elseif times > 0 then
  -- Only this one is used more: the others in front stay there.
  state.picked = nil
  local lines = '\n' .. state.front
  local before, behind = string.find(lines, '\n' .. upstream .. '\n', 1, true)
  if before then state.front = string.sub(lines, 2, before) .. string.sub(lines, behind + 1) end
end
count = counts[at]

local gone
if request_id ~= '' then
  state.oldest, gone = outdated_ids(digits_of(state.oldest), state.next_id, now_ms)
  keep_id(writes, 'r' .. request_id, digits_of(state.next_id), string.format('%.0f', now_ms), string.format('%.0f', count))
  state.next_id = state.next_id + 1
end
local key_ms = longer_life(state.key_expires_ms, now_ms, state.keep_ms)
if key_ms then state.key_expires_ms = now_ms + key_ms end
state.clock_ms = now_ms
writes[2] = table_text(state)
redis.call('HSET', KEYS[1], unpack(writes))
if gone then redis.call('HDEL', KEYS[1], unpack(gone)) end
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'recorded', 1, now_ms, version, reply(count), 0}
