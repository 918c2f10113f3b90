-- configure_least_used: brings a list of upstreams into force, for picks of the least used.
--
-- KEYS[1]  key          hash  one table
-- ARGV[1]  now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms  int   0: none; a call that runs after this instant is refused
-- ARGV[3]  version      int   0 to 9,007,199,254,740,991; of this list
-- ARGV[4]  join         word  where the count of a new or returning upstream starts: `floor`: at the least
--                             count of the others for its weight, or at its own if that is higher;
--                             `keep`: at its own; `zero`
-- ARGV[5]  keep_ms      int   1,000 to 34,560,000,000; how long all is remembered when nobody asks
-- ARGV[6]  draw         int   a random whole number below 2^53: where the first round begins
-- ARGV[7+] upstream     text  1 to 255 bytes, each once; with its weight, 0 to 1,024 times
-- ARGV[8+] weight       int   0 to 65,535, its share; one of weight 0 is never picked
--
-- Returns  {"configured", 1, now_ms, version, count}: this list of `count` upstreams is in force now
--          | {"same", 1, now_ms, version, count}: it was so already, in whatever order
--          | {"older", 1, now_ms, version}: a newer version, this one, is in force
--          | {"other", 1, now_ms, version, ":upstream", weight, ...}: under the same version another
--          list is in force, this one
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- Only `configured` writes. An upstream that is not listed leaves, and its count is kept for its
-- return; one whose weight has changed leaves and joins again. Of more than 2,048 known ones those that
-- have left are forgotten, first those that became known first.
--
-- State    lua/include/used.lua
-- Cost     O(upstreams known)

-- @include args
-- @include names
-- @include state
-- @include numbers
-- @include used
-- @include used_state

shape(6, 2054)
if not bad and #ARGV % 2 ~= 0 then
  bad = refuse('ARG', #ARGV .. ' arguments are given, but must be 6 and two for each upstream')
end
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local version = whole(3, 'version', 0, 9007199254740991)
local join = word(4, 'join', {floor = true, keep = true, zero = true}, '"floor", "keep" or "zero"')
local keep_ms = whole(5, 'keep_ms', 1000, 34560000000)
whole(6, 'draw', 0, 9007199254740991)
if bad then return bad end
local listed, weight_of = {}, {}
for i = 7, #ARGV, 2 do
  local upstream = name(i, 'upstream', 1)
  if weight_of[upstream] then must(i, 'upstream', 'listed once') end
  weight_of[upstream] = whole(i + 1, 'weight', 0, 65535)
  if bad then return bad end
  listed[#listed + 1] = upstream
end
now_ms = instant(now_ms, deadline_ms)
if bad then return bad end

local found = redis.pcall('HMGET', KEYS[1], 's', 'k')
local text, names = found[1], found[2]
local err = unusable(found, text, 'used')
if err then return err end
local state = {
  clock_ms = 0, key_expires_ms = 0, version = -1, oldest = 0, next_id = 0,
  turn = 'd' .. ARGV[6], following = '0 0', last = '',
}
if text then
  state = table_state(text)
  if not state then return damaged('s') end
  if not names then return damaged('k') end
end
now_ms = math.max(now_ms, state.clock_ms)
if version < state.version then return {'older', 1, now_ms, reply(state.version)} end
local upstreams, counts, weights, left = members(names or '')
if not upstreams then return damaged(counts) end
if version == state.version then
  local other, same = {'other', 1, now_ms, reply(version)}, 0
  for at, upstream in ipairs(upstreams) do
    if not left[at] then
      other[#other + 1], other[#other + 2] = ':' .. upstream, weights[at]
      if weight_of[upstream] == weights[at] then same = same + 1 end
    end
  end
  if same == #listed and #other == 4 + 2 * same then return {'same', 1, now_ms, reply(version), #listed} end
  return other
end

local place_of, changed = {}, {}
for at, upstream in ipairs(upstreams) do
  place_of[upstream] = at
  if not left[at] and weight_of[upstream] ~= weights[at] then left[at], changed[at] = true, true end
end

-- The joined one that is used least for its weight. It changes only where one joins below it.
local least
local function consider(at)
  if not left[at] and weights[at] > 0
    and (not least or compare(counts[at], weights[at], counts[least], weights[least]) < 0) then
    least = at
  end
end
for at in ipairs(upstreams) do consider(at) end

local known, oldest_left, forgotten = #upstreams, 1, {}
for _, upstream in ipairs(listed) do
  local at, weight = place_of[upstream], weight_of[upstream]
  if not at or left[at] then
    if not at then
      if known == 2048 then
        while not left[oldest_left] or forgotten[oldest_left] do oldest_left = oldest_left + 1 end
        forgotten[oldest_left] = true
        place_of[upstreams[oldest_left]] = nil
        known = known - 1
      end
      at, known = #upstreams + 1, known + 1
      upstreams[at], counts[at], place_of[upstream] = upstream, 0, at
    end
    local count = join == 'zero' and 0 or counts[at]
    if join == 'floor' and least then
      local of = weights[least]
      local floor = math.min(math.floor(counts[least] / of) * 1.0 * weight, 9007199254740991)
        + math.floor(counts[least] % of * weight / of)
      count = math.max(count, math.min(floor, 9007199254740991))
    end
    counts[at], weights[at], left[at], changed[at] = count, weight, false, true
    consider(at)
  end
end

-- Where the last that was picked is forgotten, the turns go on from its place.
local turn_at = tonumber(string.match(state.turn, '^p(%d+)$') or 'nil')
for at in pairs(forgotten) do
  if upstreams[at] == state.last then state.last, turn_at = '', at end
end
local kept, writes, gone, before = {}, {'s', '', 'k', ''}, {}, 0
for at, upstream in ipairs(upstreams) do
  if forgotten[at] then
    if not place_of[upstream] then gone[#gone + 1] = 'u:' .. upstream end
    if turn_at and at <= turn_at then before = before + 1 end
  else
    kept[#kept + 1] = upstream .. '\n'
    if changed[at] then
      writes[#writes + 1] = 'u:' .. upstream
      writes[#writes + 1] = member_text(counts[at], weights[at], left[at])
    end
  end
end
if turn_at then state.turn = string.format('p%.0f', turn_at - before) end
writes[4] = table.concat(kept)

-- Ids are kept for a minute, and so is all.
state.clock_ms, state.version, state.keep_ms = now_ms, version, math.max(keep_ms, 60000)
state.front, state.picked = '', nil
local key_ms = longer_life(state.key_expires_ms, now_ms, state.keep_ms)
if key_ms then state.key_expires_ms = now_ms + key_ms end
writes[2] = table_text(state)
redis.call('HSET', KEYS[1], unpack(writes))
if #gone > 0 then redis.call('HDEL', KEYS[1], unpack(gone)) end
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'configured', 1, now_ms, reply(version), #listed}
