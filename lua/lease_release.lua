-- lease_release: ends a lease.
--
-- KEYS[1]  key          hash  the leases of some upstreams
-- ARGV[1]  now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms  int   0: none; a call that runs after this instant is refused
-- ARGV[3]  lease_id     text  1 to 128 bytes
--
-- Returns  {"released", 1, now_ms, 0, ":upstream"}
--          | {"gone", 1, now_ms, 0}: there is no such lease (any more); nothing has changed
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- State    lua/include/leases.lua
-- Cost     O(upstreams that hold leases), O(leases of its upstream), O(leases that expired)

-- Most leases end before any expires. That is done here without a function, at less than half the
-- cost; whatever is not as it should be is left to what stands behind.
local time, found
repeat
  local now, lease_id = ARGV[1], ARGV[3]
  if #KEYS ~= 1 or KEYS[1] == '' or #ARGV ~= 3 or ARGV[2] ~= '0' or lease_id == '' or #lease_id > 128
    or string.find(lease_id, '[\n\\]') then
    break
  end
  if now == '0' then
    time = redis.call('TIME')
    now = time[1] .. string.sub('00000' .. time[2], -6, -4)
  elseif #now > 13 or not string.find(now, '^[1-9]%d*$') then
    break
  end
  local field = 'l:' .. lease_id
  found = redis.pcall('HMGET', KEYS[1], 's', field)
  local state = found[1]
  if not state or not found[2] then break end
  local expires, upstream = string.match(found[2], '^%d+ (%d+) (.+)$')
  local clock, key_expires, fewest, rest_at, soonest = string.match(state, '^lease 1 (%d+) (%d+) (%d+)() (%d+) ')
  local now_ms, clock_ms = tonumber(now), tonumber(clock)
  if not upstream or not clock_ms or now_ms > 9007199254740 then break end
  if now_ms < clock_ms then now, now_ms = clock, clock_ms end
  if now_ms >= tonumber(soonest) then break end

  local own = 'u:' .. upstream
  local entries = redis.call('HGET', KEYS[1], own)
  local at, behind = string.find(entries or '', '\n' .. expires .. ' ' .. lease_id .. '\n', 1, true)
  local tab, first_at = string.find(state, '\t' .. upstream .. '\t', 1, true)
  if not at or not tab then break end
  local held, first, to = string.match(state, '^%d%d%d%d', tab - 4), string.match(state, '^(%d+)()\n', first_at + 1)
  if not held or not to then break end
  local left = string.format('%04d', held - 1)
  if at == 1 then first = string.match(entries, '^%d+', behind + 1) or '0' end
  entries = string.sub(entries, 1, at) .. string.sub(entries, behind + 1)
  if held == fewest or tonumber(left) < tonumber(fewest) then fewest = left end
  state = 'lease 1 ' .. now .. ' ' .. key_expires .. ' ' .. fewest .. string.sub(state, rest_at, tab - 5) .. left
    .. string.sub(state, tab, first_at) .. first .. string.sub(state, to)
  -- First what needs no memory: then all is done, also where there is none left.
  if entries == '\n' then
    redis.call('HDEL', KEYS[1], field, own)
    redis.call('HSET', KEYS[1], 's', state)
  else
    redis.call('HDEL', KEYS[1], field)
    redis.call('HSET', KEYS[1], 's', state, own, entries)
  end
  return {'released', 1, now_ms, 0, ':' .. upstream}
until true

-- @include args
-- @include state
-- @include numbers
-- @include leases
-- @include held_lease

shape(3, 3)
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local lease_id = bytes(3, 'lease_id', 1, 128)
if bad then return bad end
now_ms = instant(now_ms, deadline_ms, time)
if bad then return bad end

local answer, leases, gone, upstream = take_out_lease(lease_id, now_ms, found)
if answer then return answer end
now_ms = leases.clock_ms
local key_ms = longer_life(leases.key_expires_ms, now_ms, 60000)
if key_ms then leases.key_expires_ms = now_ms + key_ms end
local writes = {}
changed_leases(leases, writes, gone)
-- First what needs no memory: then all is done, also where there is none left.
forget(gone)
put(writes)
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'released', 1, now_ms, 0, ':' .. upstream}
