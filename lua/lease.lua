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
local upstreams, bounds = {}, {}
for i = 7, #ARGV, 2 do
  upstreams[#upstreams + 1] = name(i, 'upstream', 1)
  bounds[#upstreams] = whole(i + 1, 'max_in_flight', 1, 1000)
  if bad then return bad end
end
now_ms = instant(now_ms, deadline_ms)
if bad then return bad end

local field = 'l:' .. lease_id
local found = redis.pcall('HMGET', KEYS[1], 's', field)
local state = found[1]
local err = unusable(found, state, 'lease')
if err then return err end
local leases = {
  clock_ms = 0, key_expires_ms = 0, fence = 0, behind = draw, soonest_ms = 9007199254740991,
  last = '', holders = '\n', entries = {},
}
if state then leases = leases_of(state) end
if not leases then return damaged('s') end
now_ms = math.max(now_ms, leases.clock_ms)
if found[2] then
  local fence, expires_ms, upstream = lease_of(found[2])
  if not expires_ms then return damaged(field) end
  if now_ms < expires_ms then return {'leased', 1, now_ms, 0, ':' .. upstream, reply(fence), expires_ms, 1} end
end
local count = #upstreams
if count == 0 then return {'empty', 1, now_ms, 0} end

local gone = {}
drop_expired(leases, now_ms, gone)
if bad then return bad end
local in_flight = {}
for upstream, held in string.gmatch(leases.holders, '\n([^\t\n]+)\t(%d+)') do in_flight[upstream] = tonumber(held) end
local start = leases.behind % count
for at, upstream in ipairs(upstreams) do
  if upstream == leases.last then
    start = at % count
    break
  end
end
if choice == 'first' then start = 0 end
local chosen, fewest
for step = start, start + count - 1 do
  local at = step % count + 1
  local held = in_flight[upstreams[at]] or 0
  if held < bounds[at] and (not chosen or held < fewest) then
    chosen, fewest = at, held
    if choice == 'first' or held == 0 then break end
  end
end
if not chosen then
  local first_of, soonest_ms = {}, 9007199254740991
  for upstream, first in string.gmatch(leases.holders, '\n([^\t\n]+)\t%d+ (%d+)') do first_of[upstream] = tonumber(first) end
  for _, upstream in ipairs(upstreams) do soonest_ms = math.min(soonest_ms, first_of[upstream]) end
  return {'wait', 1, now_ms, 0, soonest_ms - now_ms}
end

local upstream, expires_ms = upstreams[chosen], now_ms + ttl_ms
leases.clock_ms, leases.behind, leases.last = now_ms, chosen, upstream
leases.fence = math.max(leases.fence + 1, now_ms * 1000)
add_lease(leases, upstream, fewest > 0 and entries_of(leases, upstream) or '\n', expires_ms, lease_id)
if bad then return bad end
local key_ms = longer_life(leases.key_expires_ms, now_ms, math.max(ttl_ms, 60000))
if key_ms then leases.key_expires_ms = now_ms + key_ms end
local writes, outdated = {field, lease_record(leases.fence, expires_ms, upstream)}, {}
for _, other in ipairs(gone) do
  if other ~= field then outdated[#outdated + 1] = other end
end
changed_leases(leases, writes, outdated)
put(writes)
forget(outdated)
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'leased', 1, now_ms, 0, ':' .. upstream, reply(leases.fence), expires_ms, 0}
