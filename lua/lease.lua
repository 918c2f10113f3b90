-- lease: leases an upstream that has room, or says when the first lease expires.
--
-- KEYS[1]  key            hash  the leases of some upstreams
-- ARGV[1]  now_ms         int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms    int   0: none; a call that runs after this instant is refused
-- ARGV[3]  lease_id       text  1 to 128 bytes; an id that holds a live lease gets that one again
-- ARGV[4]  ttl_ms         int   1 to 86,400,000; how long the lease lives, unless it is renewed
-- ARGV[5]  choice         word  of those with room `fewest`: the one with the fewest live leases, of equals the next
--                               one round the list; `first`: the first in the list
-- ARGV[6]  draw           int   a random whole number below 2^53, where the first round begins
-- ARGV[7+] upstream       text  1 to 255 bytes of UTF-8 without control characters; with its bound 0 to 1,024 times
-- ARGV[8+] max_in_flight  int   1 to 1,000; how many leases it may hold
--
-- Returns  {"leased", 1, now_ms, 0, ":upstream", fence, expires_ms, repeated}
--          | {"wait", 1, now_ms, 0, retry_after_ms}: all are full, and until then none of their leases expires
--          | {"empty", 1, now_ms, 0}: there is no upstream
--          fence is higher than that of every lease before; repeated is 1 where the id held this lease
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- A lease is alive while now_ms is below its expiry. In flight is the number of live leases; a bound
-- below that grants nothing until enough are gone, and ends none.
--
-- State    lua/include/leases.lua
-- Cost     O(upstreams, given and holding leases), O(leases of the chosen one), O(leases that expired)

-- Most calls ask as the call before did, and nothing has expired since. What they bring is then known
-- to be good but for a few arguments, and is answered here without a function, at a third of the cost.
-- Whatever is not as it should be is left to what stands behind.
local time, found
repeat
  local now, lease_id, ttl, draw, count = ARGV[1], ARGV[3], ARGV[4], ARGV[6], (#ARGV - 6) / 2
  if #KEYS ~= 1 or KEYS[1] == '' or count < 1 or ARGV[2] ~= '0' or ARGV[5] ~= 'fewest' or lease_id == '' or #lease_id > 128
    or string.find(lease_id, '[\n\\]') or #ttl > 7 or not string.find(ttl, '^[1-9]%d*$')
    or #draw > 15 and (#draw > 16 or tonumber(draw) > 9007199254740991) or not string.find(draw, '^[1-9]%d*$') then
    break
  end
  if now == '0' then
    time = redis.call('TIME')
    now = time[1] .. string.sub('00000' .. time[2], -6, -4)
  elseif #now > 13 or not string.find(now, '^[1-9]%d*$') then
    break
  end
  found = redis.pcall('HMGET', KEYS[1], 's', 'c', 'l:' .. lease_id)
  local state = found[1]
  if not state or found[3] or found[2] ~= table.concat(ARGV, '\n', 7) then break end
  local clock, key_expires, fewest, soonest, fence, listed, last, lines_at =
    string.match(state, '^lease 1 (%d+) (%d+) (%d+) (%d+) (%d+) %d+ (%d+)\n([^\n]+)()\n')
  local now_ms, clock_ms = tonumber(now), tonumber(clock)
  -- The same text may have come as other arguments.
  if not lines_at or tonumber(listed) ~= count or now_ms > 9007199254740 then break end
  if now_ms < clock_ms then now, now_ms = clock, clock_ms end
  local soonest_ms = tonumber(soonest)
  fence, ttl = tonumber(fence), tonumber(ttl)
  if now_ms >= soonest_ms or ttl > 60000 and now_ms + ttl > tonumber(key_expires) then break end
  local fence_text
  if now_ms * 1000 > fence then
    fence, fence_text = now_ms * 1000, now .. '000'
  else
    fence, fence_text = fence + 1, string.format('%.0f', fence + 1)
  end
  -- From 2^52 on a reply is text.
  if fence > 4503599627370495 then break end

  -- The next one round the list that holds so few.
  local head, last_at = '\n' .. fewest .. '\t', string.find(state, '\t' .. last .. '\t', lines_at, true)
  local at, tab = string.find(state, head, last_at or lines_at, true)
  if not at then at, tab = string.find(state, head, lines_at, true) end
  if not at then break end
  local upstream, first, behind = string.match(state, '^([^\t\n]+)\t(%d+)()\n', tab + 1)
  local held, place, entries = tonumber(fewest), 1, '\n'
  while place <= count and ARGV[5 + 2 * place] ~= upstream do place = place + 1 end
  if place > count or held >= tonumber(ARGV[6 + 2 * place]) then break end
  if held > 0 then
    entries = redis.call('HGET', KEYS[1], 'u:' .. upstream)
    if not entries then break end
  end
  local expires_ms = now_ms + ttl
  local expires = string.format('%.0f', expires_ms)
  if held == 0 or expires_ms < tonumber(first) then
    entries, first = '\n' .. expires .. ' ' .. lease_id .. entries, expires
  else
    local latest = string.match(entries, '\n(%d+) [^\n]*\n$', -300)
    if not latest or expires_ms < tonumber(latest) then break end
    entries = entries .. expires .. ' ' .. lease_id .. '\n'
  end
  if expires_ms < soonest_ms then soonest = expires end
  redis.call('HSET', KEYS[1],
    's', 'lease 1 ' .. now .. ' ' .. key_expires .. ' ' .. fewest .. ' '
      .. soonest .. ' ' .. fence_text .. ' ' .. place .. ' '
      .. listed .. '\n' .. upstream .. string.sub(state, lines_at, at) .. string.format('%04d\t', held + 1) .. upstream
      .. '\t' .. first .. string.sub(state, behind),
    'l:' .. lease_id, fence_text .. ' ' .. expires .. ' ' .. upstream, 'u:' .. upstream, entries)
  return {'leased', 1, now_ms, 0, ':' .. upstream, fence, expires_ms, 0}
until true

-- @include args
-- @include names
-- @include state
-- @include numbers
-- @include leases

shape(6, 2054)
if not bad and #ARGV % 2 == 1 then
  bad = refuse('ARG', #ARGV .. ' arguments are given, but must be 6 and two for each upstream')
end
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local lease_id = bytes(3, 'lease_id', 1, 128)
local ttl_ms = whole(4, 'ttl_ms', 1, 86400000)
local choice = word(5, 'choice', {fewest = true, first = true}, '"fewest" or "first"')
local draw = whole(6, 'draw', 0, 9007199254740991)
if bad then return bad end
local upstreams, bounds, is_listed, has_each_once = {}, {}, {}, true
for i = 7, #ARGV, 2 do
  local upstream = name(i, 'upstream', 1)
  upstreams[#upstreams + 1] = upstream
  bounds[#upstreams] = whole(i + 1, 'max_in_flight', 1, 1000)
  if bad then return bad end
  has_each_once, is_listed[upstream] = has_each_once and not is_listed[upstream], true
end
now_ms = instant(now_ms, deadline_ms, time)
if bad then return bad end

local field = 'l:' .. lease_id
found = found or redis.pcall('HMGET', KEYS[1], 's', 'c', field)
local state = found[1]
local err = unusable(found, state, 'lease')
if err then return err end
local leases = {
  clock_ms = 0, key_expires_ms = 0, fewest = 0, soonest_ms = 9007199254740991, fence = 0, behind = draw, listed = 0,
  last = '', upstreams = {}, in_flight = {}, first_ms = {}, entries = {},
}
if state then leases = leases_of(state) end
if not leases then return damaged('s') end
now_ms = math.max(now_ms, leases.clock_ms)
if found[3] then
  local fence, expires_ms, upstream = lease_of(found[3])
  if not expires_ms then return damaged(field) end
  if now_ms < expires_ms then return {'leased', 1, now_ms, 0, ':' .. upstream, reply(fence), expires_ms, 1} end
end
local count = #upstreams
if count == 0 then return {'empty', 1, now_ms, 0} end

local gone = {}
drop_expired(leases, now_ms, gone)
if bad then return bad end
local start = leases.behind % count
for at, upstream in ipairs(upstreams) do
  if upstream == leases.last then
    start = at % count
    break
  end
end
if choice == 'first' then start = 0 end
local chosen, fewest, soonest_ms = nil, nil, 9007199254740991
for step = start, start + count - 1 do
  local at = step % count + 1
  local held = leases.in_flight[upstreams[at]] or 0
  if held >= bounds[at] then
    soonest_ms = math.min(soonest_ms, leases.first_ms[upstreams[at]])
  elseif not chosen or held < fewest then
    chosen, fewest = at, held
    if choice == 'first' then break end
  end
end
if not chosen then return {'wait', 1, now_ms, 0, soonest_ms - now_ms} end

local upstream, expires_ms = upstreams[chosen], now_ms + ttl_ms
leases.clock_ms, leases.behind, leases.last = now_ms, chosen, upstream
leases.fence = math.max(leases.fence + 1, now_ms * 1000)
local entries = fewest > 0 and entries_of(leases, upstream) or '\n'
if bad then return bad end
add_lease(leases, upstream, entries, expires_ms, lease_id)
local key_ms = longer_life(leases.key_expires_ms, now_ms, math.max(ttl_ms, 60000))
if key_ms then leases.key_expires_ms = now_ms + key_ms end

local writes, outdated = {field, lease_record(leases.fence, expires_ms, upstream)}, {}
leases.listed = 0
if choice == 'fewest' and has_each_once then
  -- The next call that asks the same finds its lines.
  writes[3], writes[4] = 'c', table.concat(ARGV, '\n', 7)
  leases.listed, leases.fewest = count, 1000
  for at, listed in ipairs(upstreams) do
    local held = leases.in_flight[listed] or 0
    leases.in_flight[listed], leases.first_ms[listed] = held, leases.first_ms[listed] or 0
    if held < bounds[at] then leases.fewest = math.min(leases.fewest, held) end
  end
  for _, other in ipairs(leases.upstreams) do
    if not is_listed[other] then upstreams[#upstreams + 1] = other end
  end
  leases.upstreams = upstreams
end
for _, other in ipairs(gone) do
  if other ~= field then outdated[#outdated + 1] = other end
end
changed_leases(leases, writes, outdated)
put(writes)
forget(outdated)
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'leased', 1, now_ms, 0, ':' .. upstream, reply(leases.fence), expires_ms, 0}
