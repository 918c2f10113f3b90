-- The state of the family `lease`, as Leases in the core.
--
-- Field `s` has lines:
--   lease 1 <clock_ms> <key_expires_ms> <fewest> <soonest_ms> <fence> <behind> <listed>
--   the upstream of the last grant
--   <in flight>, tab, <upstream>, tab, <first_ms>: how many leases an upstream holds, in four digits, and
--   when the first of them expires
-- Up to `soonest_ms` no lease expires and the key is far from it: all is as it stands. Later what has
-- expired is still counted. `behind` is the place of the last grant in its list, from 1 on.
--
-- Field `c` is a list of candidates for which `fewest` was asked, as it was given: a line an argument. The
-- first lines of `s`, `listed` in number, are of its upstreams, in its order; none of these that has room
-- holds fewer than `fewest`, in four digits too. Where another list has been given since, that is 0.
--
-- Field `l:<lease id>` is `<fence> <expires_ms> <upstream>`. Field `u:<upstream>` has its leases, the
-- one that expires first in front: `<expires_ms> <lease id>` on a line each, a line feed before the first
-- and behind the last; in an id a line feed is written `\n` and a backslash `\\`. Needs args, state, numbers.

-- Field `s` as a table; nothing where it is damaged. `entries` will have the fields `u:` that a call
-- looks at or changes.
local function leases_of(text)
  local digits, last, lines = string.match(text, '^lease 1 (%d+ %d+ %d+ %d+ %d+ %d+ %d+)\n([^\n]+)\n(.*)$')
  local clock_ms, key_expires_ms, fewest, soonest_ms, fence, behind, listed = numbers(digits)
  if not listed then return nil end
  local leases = {
    clock_ms = clock_ms, key_expires_ms = key_expires_ms, fewest = fewest, soonest_ms = soonest_ms, fence = fence,
    behind = behind, listed = listed, last = last, upstreams = {}, in_flight = {}, first_ms = {}, entries = {},
  }
  local length = 0
  for line, held, upstream, first in string.gmatch(lines, '((%d%d%d%d)\t([^\t\n]+)\t(%d+)\n)') do
    leases.upstreams[#leases.upstreams + 1] = upstream
    leases.in_flight[upstream], leases.first_ms[upstream] = numbers(held .. ' ' .. first)
    if not leases.first_ms[upstream] then return nil end
    length = length + #line
  end
  if length == #lines and listed <= #leases.upstreams then return leases end
end

-- Those that are neither listed nor hold a lease have no line.
local function leases_text(leases)
  local lines = {}
  for at, upstream in ipairs(leases.upstreams) do
    local held = leases.in_flight[upstream]
    if at <= leases.listed or held > 0 then
      lines[#lines + 1] = string.format('%04d\t', held) .. upstream .. string.format('\t%.0f\n', leases.first_ms[upstream])
    end
  end
  local soonest_ms = math.min(leases.soonest_ms, leases.key_expires_ms - 60000)
  return string.format('lease 1 %.0f %.0f %04d %.0f %.0f %.0f %.0f\n', leases.clock_ms, leases.key_expires_ms,
    leases.fewest, soonest_ms, leases.fence, leases.behind, leases.listed) .. leases.last .. '\n' .. table.concat(lines)
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
