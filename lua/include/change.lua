-- A change of rules: with what a limit goes on whose rule is another one, as `change` in the core.
-- What is booked ahead stays booked. Needs bucket, window.

-- `part` of `old` as a part of `new`, rounded down, and whether something was cut off; `most` if it
-- is above that. Bit by bit, so that nothing leaves exact arithmetic.
local function share(part, new, old, most)
  local whole_times, rest_of_new = math.floor(new / old), new % old
  local quotient, rest, bit = 0, 0, 4503599627370496
  while bit >= 1 do
    -- Twice what is there, and once more where the part has this bit.
    quotient = quotient * 2
    if rest >= old - rest then rest, quotient = rest - (old - rest), quotient + 1 else rest = rest * 2 end
    if math.floor(part / bit) % 2 == 1 then
      if rest >= old - rest_of_new then
        rest, quotient = rest - (old - rest_of_new), quotient + 1
      else
        rest = rest + rest_of_new
      end
    end
    bit = math.floor(bit / 2)
  end
  if part > 0 and whole_times > math.floor((most - math.min(quotient, most)) / part) then return most, false end
  return math.min(part * whole_times + quotient, most), rest > 0
end

-- Fills a bucket of a new rule from the one before it; false where what is booked could not be
-- counted exactly.
local function inherit_bucket(bucket, before, inherit, now_ms)
  local token, old_token = bucket.token, before.token
  local booked = math.floor(before.ahead / old_token)
  if booked > bucket.most then return false end
  local left, capacity = before.full - before.missing + before.ahead, bucket.capacity
  local missing
  if inherit == 'keep' then
    missing = math.ceil(before.missing / old_token)
  elseif inherit == 'full' then
    missing = booked
  elseif inherit == 'empty' then
    missing = capacity + booked
  elseif left < 0 then
    missing = capacity + math.ceil((0 - left) / old_token) + booked
  else
    missing = capacity - share(math.floor(left / old_token), capacity, before.capacity, capacity) + booked
  end
  local starts = {}
  for start_ms, units in string.gmatch(before.booked, '(%d+):(%d+)') do
    starts[#starts + 1] = start_ms .. string.format(':%.0f ', math.floor(tonumber(units) / old_token) * token)
  end
  bucket.missing, bucket.ahead = units_of(bucket, missing), booked * token
  bucket.count, bucket.booked = #starts, table.concat(starts)
  look_ahead(bucket, now_ms)
  return true
end

-- Fills a window of a new rule from the one before it.
local function inherit_window(window, before, inherit, now_ms)
  local groups, begun = groups_of(before), 0
  while begun < #groups and groups[begun + 1].last_ms <= now_ms do begun = begun + 1 end
  window.from_ms = before.from_ms
  if window.period_ms > before.period_ms then window.from_ms = math.max(window.from_ms, now_ms - before.period_ms + 1) end
  if inherit == 'full' and begun > 0 then window.from_ms = math.max(window.from_ms, groups[begun].last_ms + 1) end
  if inherit == 'empty' then
    local left = window.capacity - before.used
    if left > 0 then table.insert(groups, begun + 1, {first_ms = now_ms, last_ms = now_ms, cost = left}) end
  elseif inherit ~= 'keep' then
    -- The same share is left at any later instant too: so sums are scaled, from the newest on.
    local most, sum, scaled = 9007199254740991, 0, 0
    for at = begun + 1, #groups do most = most - groups[at].cost end
    for at = begun, 1, -1 do
      sum = sum + groups[at].cost
      local next, is_cut = 0, false
      if inherit == 'proportional' then next, is_cut = share(sum, window.capacity, before.capacity, most) end
      if is_cut and next < most then next = next + 1 end
      groups[at].cost, scaled = next - scaled, next
      if groups[at].cost == 0 then table.remove(groups, at) end
    end
  end
  set_groups(window, groups)
  leave(window, now_ms)
end

-- Lets a limit of a new rule go on from the one of its name; false where that leaves exact
-- arithmetic. One whose rule is the same goes on as if nothing had happened.
local function inherit_meter(limit, before, inherit, now_ms)
  limit.number = before.number
  local is_same = limit.token == before.token and limit.per_ms == before.per_ms
  if limit.kind == 'window' then is_same = limit.period_ms == before.period_ms end
  if is_same and limit.capacity == before.capacity then
    for _, field in ipairs({'missing', 'ahead', 'later', 'booked', 'used', 'from_ms', 'first_ms', 'cost', 'older', 'count', 'last_ms'}) do
      limit[field] = before[field]
    end
    return true
  end
  if limit.kind == 'bucket' then return inherit_bucket(limit, before, inherit, now_ms) end
  inherit_window(limit, before, inherit, now_ms)
  return true
end
