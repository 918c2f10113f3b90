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

-- @include args
-- @include state
-- @include numbers
-- @include leases

shape(3, 3)
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local lease_id = bytes(3, 'lease_id', 1, 128)
if bad then return bad end
now_ms = instant(now_ms, deadline_ms)
if bad then return bad end

local field = 'l:' .. lease_id
local found = redis.pcall('HMGET', KEYS[1], 's', field)
local state = found[1]
local err = unusable(found, state, 'lease')
if err then return err end
if not state then return {'gone', 1, now_ms, 0} end
local leases = leases_of(state)
if not leases then return damaged('s') end
now_ms = math.max(now_ms, leases.clock_ms)
if not found[2] then return {'gone', 1, now_ms, 0} end
local fence, expires_ms, upstream = lease_of(found[2])
if not expires_ms then return damaged(field) end
if now_ms >= expires_ms then return {'gone', 1, now_ms, 0} end

local gone = {field}
leases.clock_ms = now_ms
drop_expired(leases, now_ms, gone)
if not bad then remove_lease(leases, upstream, expires_ms, lease_id) end
if bad then return bad end
local key_ms = longer_life(leases.key_expires_ms, now_ms, 60000)
if key_ms then leases.key_expires_ms = now_ms + key_ms end
local writes = {}
changed_leases(leases, writes, gone)
-- First what needs no memory: then all is done, also where there is none left.
forget(gone)
put(writes)
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'released', 1, now_ms, 0, ':' .. upstream}
