-- A window limit, as WindowLimit in the core. `used` is what all its groups count together. The
-- newest of its `count` groups has the grants from `first_ms` to `last_ms`, of `cost`; `older` are
-- the others, oldest first: `<first_ms>:<last_ms>:<cost> `. What starts before `from_ms` has left the
-- window, or was forgotten, before the rule changed. Needs numbers.

-- What a window's details in field `s` say; false where they are damaged.
local function read_window(window, used, details)
  window.used, window.count, window.last_ms, window.older = used, 0, 0, ''
  if details == '' then return used == 0 end
  local count, from_ms, first_ms, last_ms, cost, behind = string.match(details, '^(%d+) (%d+) (%d+) (%d+) (%d+) ()')
  window.count, window.from_ms = exact(count), exact(from_ms)
  window.first_ms, window.last_ms, window.cost = exact(first_ms), exact(last_ms), exact(cost)
  window.older = string.sub(details, behind or 1)
  if not window.count or not window.from_ms or not window.first_ms or not window.last_ms or not window.cost then
    return false
  end
  if window.count == 0 then return used == 0 and window.last_ms == 0 and window.older == '' end
  return window.cost <= used
end

local function window_details(window)
  if window.count > 0 then
    local newest = string.format('%.0f %.0f %.0f ', window.first_ms, window.last_ms, window.cost)
    return string.format('%.0f %.0f ', window.count, window.from_ms) .. newest .. window.older
  end
  return window.from_ms > 0 and string.format('0 %.0f 0 0 0 ', window.from_ms) or ''
end

-- Forgets the groups that have left.
local function leave(window, now_ms)
  local gone, behind = now_ms - window.period_ms, 1
  if window.last_ms <= gone then
    window.used, window.count, window.last_ms, window.older = 0, 0, 0, ''
    return
  end
  for digits, cost, to in string.gmatch(window.older, '%d+:(%d+):(%d+) ()') do
    if tonumber(digits) > gone then break end
    window.used, window.count, behind = window.used - tonumber(cost), window.count - 1, to
  end
  window.older = string.sub(window.older, behind)
end

-- How long a cost within the capacity must wait: nobody passes what is booked.
local function window_wait(window, cost, now_ms)
  local start_ms, used, at_most = math.max(now_ms, window.last_ms), window.used, window.capacity - cost
  if start_ms == now_ms and used <= at_most then return 0 end
  for digits, units in string.gmatch(window.older, '%d+:(%d+):(%d+)') do
    local leaves_ms = tonumber(digits) + window.period_ms
    if leaves_ms > start_ms then
      if used <= at_most then return start_ms - now_ms end
      start_ms = leaves_ms
    end
    used = used - tonumber(units)
  end
  if used > at_most then start_ms = window.last_ms + window.period_ms end
  return start_ms - now_ms
end

-- Adds a cost that starts no sooner than any other.
local function add_last(window, cost, start_ms)
  window.used = window.used + cost
  local part_ms = math.ceil(window.period_ms / 48)
  if window.count > 0 and (start_ms - window.first_ms < part_ms or start_ms == window.last_ms) then
    window.last_ms, window.cost = start_ms, window.cost + cost
    return
  end
  if window.count > 0 then
    local newest = string.format('%.0f:%.0f:%.0f ', window.first_ms, window.last_ms, window.cost)
    window.older = window.older .. newest
  end
  window.count, window.first_ms, window.last_ms, window.cost = window.count + 1, start_ms, start_ms, cost
end

-- All groups, to be changed.
local function groups_of(window)
  local groups = {}
  for first_ms, last_ms, cost in string.gmatch(window.older, '(%d+):(%d+):(%d+)') do
    groups[#groups + 1] = {first_ms = tonumber(first_ms), last_ms = tonumber(last_ms), cost = tonumber(cost)}
  end
  if window.count > 0 then
    groups[#groups + 1] = {first_ms = window.first_ms, last_ms = window.last_ms, cost = window.cost}
  end
  return groups
end

local function set_groups(window, groups)
  local older, newest = {}, groups[#groups]
  window.used, window.count, window.last_ms, window.older = 0, #groups, 0, ''
  if not newest then return end
  for at, group in ipairs(groups) do
    window.used = window.used + group.cost
    if at < #groups then
      older[at] = string.format('%.0f:%.0f:%.0f ', group.first_ms, group.last_ms, group.cost)
    end
  end
  window.first_ms, window.last_ms, window.cost = newest.first_ms, newest.last_ms, newest.cost
  window.older = table.concat(older)
end

-- Whether a grant is in the window.
local function is_within(window, start_ms, now_ms)
  return start_ms >= window.from_ms and now_ms < start_ms + window.period_ms
end

-- The group in which a grant counts, by its place. Without one of its own that is the next one, as
-- long as the grant is in the window.
local function group_at(window, groups, start_ms, now_ms)
  for at, group in ipairs(groups) do
    if start_ms <= group.last_ms then
      if is_within(window, start_ms, now_ms) or group.first_ms <= start_ms then return at end
      return nil
    end
  end
end

-- Gives back a charge that starts later; false where it is not known.
local function cancel_in_window(window, cost, start_ms, now_ms)
  local groups = groups_of(window)
  local at = group_at(window, groups, start_ms, now_ms)
  if not at or groups[at].cost < cost then return false end
  groups[at].cost = groups[at].cost - cost
  if groups[at].cost == 0 then table.remove(groups, at) end
  set_groups(window, groups)
  return true
end

-- Makes a charge another one, as long as it counts.
local function recharge_window(window, cost, actual, start_ms, now_ms)
  local groups = groups_of(window)
  local at = group_at(window, groups, start_ms, now_ms)
  if at then
    groups[at].cost = math.max(groups[at].cost - cost, 0) + actual
    set_groups(window, groups)
  elseif is_within(window, start_ms, now_ms) then
    add_last(window, actual, start_ms)
  end
end

-- In how long it is as if it had never been used.
local function window_life(window, now_ms)
  return math.max(window.last_ms + window.period_ms - now_ms, 0)
end
