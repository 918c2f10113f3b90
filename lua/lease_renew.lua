-- lease_renew: lets a live lease live longer.
--
-- KEYS[1]  key          hash  the leases of some upstreams
-- ARGV[1]  now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms  int   0: none; a call that runs after this instant is refused
-- ARGV[3]  lease_id     text  1 to 128 bytes
-- ARGV[4]  ttl_ms       int   1 to 86,400,000; how long it lives from now on, if that is later than it would
--
-- Returns  {"renewed", 1, now_ms, 0, fence, expires_ms}: the fence is as before
--          | {"gone", 1, now_ms, 0}: there is no such lease (any more); it is not granted again
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- State    lua/include/leases.lua
-- Cost     O(upstreams that hold leases), O(leases of its upstream), O(leases that expired)

-- @include args
-- @include state
-- @include numbers
-- @include leases
-- @include held_lease

shape(4, 4)
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
local lease_id = bytes(3, 'lease_id', 1, 128)
local ttl_ms = whole(4, 'ttl_ms', 1, 86400000)
if bad then return bad end
now_ms = instant(now_ms, deadline_ms)
if bad then return bad end

local answer, leases, gone, upstream, expires_ms, fence = take_out_lease(lease_id, now_ms)
if answer then return answer end
now_ms = leases.clock_ms
expires_ms = math.max(expires_ms, now_ms + ttl_ms)
add_lease(leases, upstream, leases.entries[upstream], expires_ms, lease_id)
local key_ms = longer_life(leases.key_expires_ms, now_ms, math.max(expires_ms - now_ms, 60000))
if key_ms then leases.key_expires_ms = now_ms + key_ms end
local writes = {'l:' .. lease_id, lease_record(fence, expires_ms, upstream)}
changed_leases(leases, writes, gone)
-- First what needs no memory: then all is done, also where there is none left.
forget(gone)
put(writes)
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return {'renewed', 1, now_ms, 0, reply(fence), expires_ms}
