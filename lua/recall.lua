-- recall: the upstream of the longest remembered prefix of a conversation; renews what it found.
--
-- KEYS[1]  key          hash  one memory of links
-- ARGV[1]  now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms  int   0: none; a call that runs after this instant is refused
-- ARGV[3]  ttl_ms       int   1 to 9,007,199,254,740; how long the link found lives from now on
-- ARGV[4+] link         text  0 to 65,535 links of the chain, first to last: 16 lower-case hex digits each
--
-- Returns  {"recalled", 1, now_ms, 0, ":upstream", links} | {"nothing", 1, now_ms, 0}
--          links: how many, from the first on, the remembered prefix has
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- Scans from the end to the first link that is alive. A link is alive while now_ms is below its
-- expiry; the key itself lives no longer than 34,560,000,000 ms after it was last written to.
--
-- State    lua/include/links.lua
-- Cost     O(links); 1,000 links, from the end, are one HMGET

-- @include args
-- @include state
-- @include numbers
-- @include links

shape(3, 65538)
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local ttl_ms = whole(3, 'ttl_ms', 1, 9007199254740)
if bad then return bad end
for i = 4, #ARGV do
  if not link_at(i) then return bad end
end
now_ms = instant(now_ms, deadline_ms)
if bad then return bad end

-- The fields of the links of the chain from one place to another.
local function fields(from, to)
  local list = {}
  for i = from, to do list[#list + 1] = 'm:' .. ARGV[i] end
  return list
end

local at = #ARGV
local from = math.max(4, at - 999)
local wanted = fields(from, at)
wanted[#wanted + 1] = 's'
local found = redis.pcall('HMGET', KEYS[1], unpack(wanted))
local state = found[#wanted]
local err = unusable(found, state, 'links')
if err then return err end
local clock_ms, key_expires_ms, rest = 0, 0, ''
if state then
  local digits
  digits, rest = string.match(state, '^links 1 (%d+ %d+) (%d+ %d+ [%x-]+ [%x-]+)$')
  clock_ms, key_expires_ms = numbers(digits)
  if not clock_ms then return damaged('s') end
end
now_ms = math.max(now_ms, clock_ms)

local expires_ms, previous, next, upstream
while at >= 4 do
  if at < from then
    from = math.max(4, at - 999)
    found = redis.call('HMGET', KEYS[1], unpack(fields(from, at)))
  end
  local text = found[at - from + 1]
  if text then
    expires_ms, previous, next, upstream = remembered(text)
    if not expires_ms then return damaged('m:' .. ARGV[at]) end
    if now_ms < expires_ms then break end
  end
  at = at - 1
end
if at < 4 then return {'nothing', 1, now_ms, 0} end

local key_ms = life_of_links(key_expires_ms, now_ms, ttl_ms)
if key_ms then key_expires_ms = now_ms + key_ms end
redis.call('HSET', KEYS[1],
  's', string.format('links 1 %.0f %.0f ', now_ms, key_expires_ms) .. rest,
  'm:' .. ARGV[at], link_record(now_ms + ttl_ms, previous, next, upstream))
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'recalled', 1, now_ms, 0, ':' .. upstream, at - 3}
