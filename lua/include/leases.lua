-- The state of the family `lease`, as Leases in the core.
--
-- Field `s` has lines:
--   lease 1 <clock_ms> <key_expires_ms> <fence> <behind> <soonest_ms> <fewest>
--   the upstream of the last grant
--   <in flight>, tab, <upstream>, tab, <place> <bound> <first_ms>: its live leases in four digits, its
--   place in the list of field `c` and its bound there, both 0 where it is not listed, and when its first
--   lease expires
-- `behind` is the place of the last grant in its list, from 1 on. No lease expires before `soonest_ms`: up
-- to that instant all lines are as they stand, and later they count what has expired, too. No listed
-- upstream that has room holds fewer than `fewest`, which has four digits. Field `c` is the list of
-- candidates for which `fewest` was asked last, as its number of arguments and a line for each.
--
-- Field `l:<lease id>` is `<fence> <expires_ms> <upstream>`. Field `u:<upstream>` has its leases, the
-- one that expires first in front: `<expires_ms> <lease id>` on a line each, a line feed before the first
-- and behind the last; in an id a line feed is written `\n` and a backslash `\\`. Needs args, state, numbers.

-- Field `s` as a table; nothing where it is damaged. `entries` will have the fields `u:` that a call
-- looks at or changes.
local function leases_of(text)
  local digits, last, lines = string.match(text, '^lease 1 (%d+ %d+ %d+ %d+ %d+ %d+)\n([^\n]+)\n(.*)$')
  local clock_ms, key_expires_ms, fence, behind, soonest_ms, fewest = numbers(digits)
  if not fewest then return nil end
  local leases = {
    clock_ms = clock_ms, key_expires_ms = key_expires_ms, fence = fence, behind = behind, soonest_ms = soonest_ms,
    fewest = fewest, last = last, upstreams = {}, in_flight = {}, place = {}, bound = {}, first_ms = {}, entries = {},
  }
  local length = 0
  for line, held, upstream, digits in string.gmatch(lines, '((%d%d%d%d)\t([^\t\n]+)\t(%d+ %d+ %d+)\n)') do
    local in_flight, place, bound, first_ms = numbers(held .. ' ' .. digits)
    if not first_ms then return nil end
    leases.upstreams[#leases.upstreams + 1] = upstream
    leases.in_flight[upstream], leases.first_ms[upstream] = in_flight, first_ms
    leases.place[upstream], leases.bound[upstream] = place, bound
    length = length + #line
  end
  if length == #lines then return leases end
end

local function leases_text(leases)
  local lines = {}
  for at, upstream in ipairs(leases.upstreams) do
    lines[at] = string.format('%04d\t', leases.in_flight[upstream]) .. upstream .. string.format('\t%d %d %.0f\n',
      leases.place[upstream] or 0, leases.bound[upstream] or 0, leases.first_ms[upstream])
  end
  return string.format('lease 1 %.0f %.0f %.0f %.0f %.0f %04d\n', leases.clock_ms, leases.key_expires_ms, leases.fence,
    leases.behind, leases.soonest_ms, leases.fewest) .. leases.last .. '\n' .. table.concat(lines)
end

-- Fence, expiry and upstream of a field `l:`; nothing where it is damaged.
local function lease_of(text)
  local digits, upstream = string.match(text, '^(%d+ %d+) (.+)$')
  local fence, expires_ms = numbers(digits)
  return fence, expires_ms, upstream
end

local function lease_record(fence, expires_ms, upstream)
  return string.format('%.0f %.0f ', fence, expires_ms) .. upstream
end

local function line_of(expires_ms, lease_id)
  return string.format('%.0f ', expires_ms) .. string.gsub(lease_id, '[\n\\]', {['\n'] = '\\n', ['\\'] = '\\\\'})
end

-- The leases of an upstream that holds some. Where its field is damaged, that becomes `bad`.
local function entries_of(leases, upstream)
  local entries = leases.entries[upstream] or redis.call('HGET', KEYS[1], 'u:' .. upstream)
  if entries and string.find(entries, '^\n%d+ ') then return entries end
  bad = bad or damaged('u:' .. upstream)
end

-- Notes the leases of an upstream, `more` in number than before.
local function set_entries(leases, upstream, entries, more)
  leases.entries[upstream] = entries
  if not leases.in_flight[upstream] then
    leases.upstreams[#leases.upstreams + 1], leases.in_flight[upstream] = upstream, 0
  end
  leases.in_flight[upstream] = leases.in_flight[upstream] + more
  leases.fewest = math.min(leases.fewest, leases.in_flight[upstream])
  leases.first_ms[upstream] = tonumber(string.match(entries, '%d+') or 0)
end

-- Leaves out what has expired. The ids become fields of `gone`.
local function drop_expired(leases, now_ms, gone)
  if now_ms < leases.soonest_ms then return end
  leases.soonest_ms = 9007199254740991
  for _, upstream in ipairs(leases.upstreams) do
    if leases.in_flight[upstream] > 0 and leases.first_ms[upstream] <= now_ms then
      local entries = entries_of(leases, upstream)
      if bad then return end
      local expired, left = 0, 1
      for expires, line, behind in string.gmatch(entries, '\n(%d+) ([^\n]+)()') do
        if tonumber(expires) > now_ms then break end
        gone[#gone + 1] = 'l:' .. string.gsub(line, '\\(.)', {n = '\n', ['\\'] = '\\'})
        expired, left = expired + 1, behind
      end
      set_entries(leases, upstream, string.sub(entries, left), -expired)
    end
    if leases.in_flight[upstream] > 0 then leases.soonest_ms = math.min(leases.soonest_ms, leases.first_ms[upstream]) end
  end
end

-- Adds a lease to those of its upstream, behind all that expire no later.
local function add_lease(leases, upstream, entries, expires_ms, lease_id)
  local at = #entries
  local last = string.match(entries, '\n(%d+) [^\n]*\n$', -300)
  if last and tonumber(last) > expires_ms then
    for place, expires in string.gmatch(entries, '()\n(%d+) ') do
      if tonumber(expires) > expires_ms then
        at = place
        break
      end
    end
  end
  entries = string.sub(entries, 1, at) .. line_of(expires_ms, lease_id) .. string.sub(entries, at)
  set_entries(leases, upstream, entries, 1)
  leases.soonest_ms = math.min(leases.soonest_ms, expires_ms)
end

-- Takes a lease out. Where it is not among those of its upstream, that field becomes `bad`.
local function remove_lease(leases, upstream, expires_ms, lease_id)
  local entries = entries_of(leases, upstream)
  if bad then return end
  local at, behind = string.find(entries, '\n' .. line_of(expires_ms, lease_id) .. '\n', 1, true)
  if not at then
    bad = damaged('u:' .. upstream)
    return
  end
  set_entries(leases, upstream, string.sub(entries, 1, at) .. string.sub(entries, behind + 1), -1)
end

-- Adds the changed fields to those to be written and to those that are gone.
local function changed_leases(leases, writes, gone)
  for upstream, entries in pairs(leases.entries) do
    if entries == '\n' then
      gone[#gone + 1] = 'u:' .. upstream
    else
      writes[#writes + 1], writes[#writes + 2] = 'u:' .. upstream, entries
    end
  end
  writes[#writes + 1], writes[#writes + 2] = 's', leases_text(leases)
end

-- Any number of fields: what has expired at once is not bounded, but what `unpack` takes is.
local function put(writes)
  for from = 1, #writes, 1000 do
    redis.call('HSET', KEYS[1], unpack(writes, from, math.min(from + 999, #writes)))
  end
end

local function forget(fields)
  for from = 1, #fields, 1000 do
    redis.call('HDEL', KEYS[1], unpack(fields, from, math.min(from + 999, #fields)))
  end
end
