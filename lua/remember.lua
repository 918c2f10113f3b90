-- remember: notes that a conversation, known by the last link of its chain, is with an upstream.
--
-- KEYS[1]  key          hash  one memory of links
-- ARGV[1]  now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms  int   0: none; a call that runs after this instant is refused
-- ARGV[3]  max_links    int   0 to 16,777,216: how many links the memory holds; 0: none
-- ARGV[4]  ttl_ms       int   1 to 9,007,199,254,740; how long the link lives from now on
-- ARGV[5]  upstream     text  0 to 255 bytes
-- ARGV[6]  link         text  16 lower-case hex digits, or empty
--
-- Returns  {"remembered", 1, now_ms, 0, links} | {"ignored", 1, now_ms, 0}
--          links: how many are held, those included that have expired but were not yet removed;
--          ignored is an empty link or upstream, and a memory of no links
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- Where the memory is full, the link written longest ago goes; writing a link again makes it the
-- newest. At most 100 links go in a call, so that a lower max_links takes effect by and by. The key
-- itself lives no longer than 34,560,000,000 ms after it was last written to.
--
-- State    lua/include/links.lua
-- Cost     O(1), and O(links that go)

-- @include args
-- @include names
-- @include state
-- @include numbers
-- @include links

shape(6, 6)
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local max_links = whole(3, 'max_links', 0, 16777216)
local ttl_ms = whole(4, 'ttl_ms', 1, 9007199254740)
local upstream = name(5, 'upstream', 0)
local link = ARGV[6]
if not bad and link ~= '' then link_at(6) end
if bad then return bad end
now_ms = instant(now_ms, deadline_ms)
if bad then return bad end

local found = redis.pcall('HMGET', KEYS[1], 's', 'm:' .. link)
local state = found[1]
local err = unusable(found, state, 'links')
if err then return err end
local clock_ms, key_expires_ms, held, evicted_live, first, last = 0, 0, 0, 0, '-', '-'
if state then
  local digits
  digits, first, last = string.match(state, '^links 1 (%d+ %d+ %d+ %d+) ([%x-]+) ([%x-]+)$')
  clock_ms, key_expires_ms, held, evicted_live = numbers(digits)
  if not clock_ms or (held == 0) ~= (first == '-') then return damaged('s') end
end
now_ms = math.max(now_ms, clock_ms)
if link == '' or upstream == '' or max_links == 0 then return {'ignored', 1, now_ms, 0} end

-- The links that this call looks at, and which of them it changes.
local links, changed = {}, {}

local function look_at(wanted)
  local fields = {}
  for at, one in ipairs(wanted) do fields[at] = 'm:' .. one end
  for at, text in ipairs(redis.call('HMGET', KEYS[1], unpack(fields))) do
    local one = {}
    one.expires_ms, one.previous, one.next, one.upstream = remembered(text)
    if not one.expires_ms then
      bad = bad or damaged(fields[at])
      return
    end
    links[wanted[at]] = one
  end
end

-- The link leaves its place, if it has one.
local wanted = {}
if first ~= '-' then wanted = {first, last} end
if found[2] then
  local expires_ms, previous, next = remembered(found[2])
  if not expires_ms then return damaged('m:' .. link) end
  if link ~= first then wanted[#wanted + 1] = previous end
  if link ~= last then wanted[#wanted + 1] = next end
  look_at(wanted)
  if bad then return bad end
  if link ~= first and link ~= last then
    links[previous].next, links[next].previous = next, previous
    changed[1], changed[2] = previous, next
  end
  local alone = first == last
  if link == first then first = alone and '-' or next end
  if link == last then last = alone and '-' or previous end
  held = held - 1
elseif first ~= '-' then
  look_at(wanted)
  if bad then return bad end
end

-- What has expired makes room, then the oldest.
local gone = {}
while first ~= '-' and #gone < 100 do
  if not links[first] then look_at({first}) end
  if bad then return bad end
  if held < 1 then return damaged('s') end
  local oldest = links[first]
  local alive = now_ms < oldest.expires_ms
  if alive and held < max_links then break end
  if alive then evicted_live = evicted_live + 1 end
  links[first] = nil
  gone[#gone + 1] = 'm:' .. first
  held = held - 1
  if first == last then first, last = '-', '-' else first = oldest.next end
end

if last == '-' then
  first = link
elseif links[last].next ~= link then
  links[last].next = link
  changed[#changed + 1] = last
end
local writes = {'s', '', 'm:' .. link, link_record(now_ms + ttl_ms, last, '-', upstream)}
for _, other in ipairs(changed) do
  local one = links[other]
  if one then
    writes[#writes + 1] = 'm:' .. other
    writes[#writes + 1] = link_record(one.expires_ms, one.previous, one.next, one.upstream)
  end
end
held, last = held + 1, link
local key_ms = life_of_links(key_expires_ms, now_ms, ttl_ms)
if key_ms then key_expires_ms = now_ms + key_ms end
writes[2] = string.format('links 1 %.0f %.0f %.0f %.0f ', now_ms, key_expires_ms, held, evicted_live) .. first .. ' ' .. last
redis.call('HSET', KEYS[1], unpack(writes))
if gone[1] then redis.call('HDEL', KEYS[1], unpack(gone)) end
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'remembered', 1, now_ms, 0, held}
