-- pick_least_used: the upstream that was picked least often for its weight, and counts the pick.
--
-- KEYS[1]  key          hash  one table, as configure_least_used made it
-- ARGV[1]  now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms  int   0: none; a call that runs after this instant is refused
-- ARGV[3]  request_id   text  0 to 128 bytes; a repeat of the id gets the same upstream again; empty: no id
-- ARGV[4+] excluded     text  0 to 1,024 names of upstreams that are not to be picked
--
-- Returns  {"picked", 1, now_ms, version, ":upstream", count, repeated}
--          | {"all_excluded", 1, now_ms, version}: every one is excluded, or of weight 0
--          | {"empty", 1, now_ms, version}: there is no upstream
--          | {"unknown", 1, now_ms, 0}: no such key; configure it first
--          count includes this pick; repeated is 1 where the id had this answer before
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- State    lua/include/used.lua; i: and q: ids, those of picks behind a `p`
-- Cost     O(1) for upstreams that are used equally, else O(upstreams); O(excluded)

-- Most calls have no deadline, no id and nobody excluded, and somebody is in front. They are answered
-- here, before all that the others need is set up: that halves their cost.
local asked, time = ARGV[1], nil
if #KEYS == 1 and #ARGV == 3 and ARGV[2] == '0' and ARGV[3] == ''
  and (asked == '0' or (#asked <= 12 and string.find(asked, '^[1-9]%d*$'))) then
  local text = redis.pcall('HMGET', KEYS[1], 's')[1]
  local clock_ms, key_expires, rule, version, keep_ms, front, record, count, weight, at, upstream, rest = string.match(
    text or '', '^used 1 (%d+) (%d+) ((%d+) (%d+) %d+ %d+ [dp]%d+ (%l+)) ((%d+) (%d+))\n[^\n]*\n()([^\n]+)\n()')
  if upstream then
    local now_ms = tonumber(asked)
    if now_ms == 0 then
      time = redis.call('TIME')
      now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
    end
    clock_ms, version, count = tonumber(clock_ms), tonumber(version), tonumber(count)
    if now_ms < clock_ms then now_ms = clock_ms end
    -- Nor may the key's expiry be near, or a number be one that is sent as text.
    if now_ms + tonumber(keep_ms) <= tonumber(key_expires) and version < 4503599627370496 and count < 4503599627370496 then
      local following, lines = record, string.sub(text, at)
      if front == 'all' then
        if string.byte(text, rest) == 10 then
          following = string.format('%.0f ', count + 1) .. weight
          lines = upstream .. '\n' .. string.sub(text, rest + 1) .. upstream .. '\n\n'
        else
          lines = lines .. upstream .. '\n'
        end
      end
      redis.call('HSET', KEYS[1], 'u:' .. upstream, record, 's',
        'used 1 ' .. string.format('%.0f ', now_ms) .. key_expires .. ' ' .. rule .. ' ' .. following .. '\n' .. lines)
      return {'picked', 1, now_ms, version, ':' .. upstream, count, 0}
    end
  end
end

-- @include args
-- @include names
-- @include state

shape(3, 1027)
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local request_id = bytes(3, 'request_id', 0, 128)
local excluded = {}
for i = 4, #ARGV do
  excluded[name(i, 'excluded', 1)] = true
  if bad then return bad end
end
if bad then return bad end
now_ms = instant(now_ms, deadline_ms, time)
if bad then return bad end

-- @include numbers
-- @include ids
-- @include used
-- @include used_state

local found = redis.pcall('HMGET', KEYS[1], 's', 'i:p' .. request_id)
local text = found[1]
local err = unusable(found, text, 'used')
if err then return err end
if not text then return {'unknown', 1, now_ms, 0} end
local state = table_state(text)
if not state then return damaged('s') end
now_ms = math.max(now_ms, state.clock_ms)
local version = reply(state.version)
if request_id ~= '' and found[2] then
  local count, upstream = string.match(found[2], '^%d+ (%d+) (.+)$')
  count = numbers(count)
  if not count then return damaged('i:p' .. request_id) end
  return {'picked', 1, now_ms, version, ':' .. upstream, reply(count), 1}
end

local writes = {'s', ''}
local upstream, count, weight
for first, behind in string.gmatch(state.front, '([^\n]+)\n()') do
  if not excluded[first] then
    upstream = first
    count, weight = member(state.following)
    if not count then return damaged('s') end
    writes[3], writes[4] = 'u:' .. upstream, state.following
    local passed = behind - #first - 2
    if passed > 0 then state.picked = nil end
    state.front = string.sub(state.front, behind) .. string.sub(state.front, 1, passed)
    if state.picked then state.picked = state.picked .. upstream .. '\n' end
    break
  end
end
if upstream and state.picked and state.front == '' and count < 9007199254740991 then
  state.front, state.picked, state.following = state.picked, '', member_text(count + 1, weight)
end

if not upstream then
  local names = redis.call('HGET', KEYS[1], 'k')
  if not names then return damaged('k') end
  local upstreams, counts, weights, left = members(names)
  if not upstreams then return damaged(counts) end
  local joined, start = {}, nil
  for at, known in ipairs(upstreams) do
    if not left[at] then joined[#joined + 1] = at end
    if known == state.last then start = at end
  end
  if #joined == 0 then return {'empty', 1, now_ms, version} end
  if not start then
    start = numbers(state.turn)
    if not start then return damaged('s') end
    if string.sub(state.turn, 1, 1) == 'd' then start = joined[start % #joined + 1] - 1 end
  end

  -- Round all places from this turn's on, so that of equals the first is kept.
  local equals, others, passed = {}, false, false
  for step = 0, #upstreams - 1 do
    local at, best = (start + step) % #upstreams + 1, equals[1]
    if left[at] or weights[at] == 0 then
      -- Never picked.
    elseif excluded[upstreams[at]] then
      passed = true
    else
      local order = best and compare(counts[at], weights[at], counts[best], weights[best]) or -1
      if order == 0 then order = weights[best] - weights[at] end
      others = others or (best and order ~= 0)
      if order < 0 then equals = {at} elseif order == 0 then equals[#equals + 1] = at end
    end
  end
  local at = equals[1]
  if not at then return {'all_excluded', 1, now_ms, version} end
  upstream = upstreams[at]
  local lowered = add_count(writes, at, 1, upstreams, counts, weights, left)
  count = counts[at]
  local lines = {}
  -- Not all of very many, since each pick writes those that are left.
  if not lowered and not passed then
    for i = 2, math.min(#equals, 64) do lines[i - 1] = upstreams[equals[i]] .. '\n' end
  end
  state.front, state.following, state.picked = table.concat(lines), member_text(count, weights[at]), nil
  if #lines > 0 and #lines == #equals - 1 and not others then state.picked = upstream .. '\n' end
end

local gone
if request_id ~= '' then
  state.oldest, gone = outdated_ids(digits_of(state.oldest), state.next_id, now_ms)
  keep_id(writes, 'p' .. request_id, digits_of(state.next_id), string.format('%.0f', now_ms), string.format('%.0f ', count) .. upstream)
  state.next_id = state.next_id + 1
end
local key_ms = longer_life(state.key_expires_ms, now_ms, state.keep_ms)
if key_ms then state.key_expires_ms = now_ms + key_ms end
state.clock_ms, state.last = now_ms, upstream
writes[2] = table_text(state)
redis.call('HSET', KEYS[1], unpack(writes))
if gone then redis.call('HDEL', KEYS[1], unpack(gone)) end
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'picked', 1, now_ms, version, ':' .. upstream, reply(count), 0}
