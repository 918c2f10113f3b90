-- The lease that a call names by its id. Needs args, state, numbers, leases.

-- Takes it out of its upstream's leases, and those that have expired; `found` is what `s` and the lease
-- were read as, if they were. Returns the error or what the call
-- answers where it does not live (any more); else false, all leases, the fields to be forgotten, and of
-- this lease its upstream, expires_ms and fence.
local function take_out_lease(lease_id, now_ms, found)
  local field = 'l:' .. lease_id
  found = found or redis.pcall('HMGET', KEYS[1], 's', field)
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
  return bad, leases, gone, upstream, expires_ms, fence
end
