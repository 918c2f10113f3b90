-- A token bucket, as TokenBucket in the core. `missing` is what it lacks to be full, with all that is
-- booked taken off: in units, of which `token` are a token and `per_ms` come back in a millisecond.
--
-- `booked` has a booking a start, in their order: `<start_ms>:<units> `. There are `count` of them,
-- `ahead` units together; the last starts at `last_ms`, and `later` is what is missing then. With
-- that a cost which comes behind them all needs no look at each. Needs numbers.

-- What a bucket's details in field `s` say; false where they are damaged.
local function read_bucket(bucket, missing, details)
  bucket.missing, bucket.count, bucket.ahead, bucket.booked = missing, 0, 0, ''
  if details == '' then return true end
  local count, ahead, later, behind = string.match(details, '^(%d+) (%d+) (%d+) ()')
  bucket.count, bucket.ahead, bucket.later = exact(count), exact(ahead), exact(later)
  bucket.booked = string.sub(details, behind or 1)
  bucket.last_ms = exact(string.match(bucket.booked, '(%d+):%d+ $', -32))
  if not bucket.count or not bucket.ahead or not bucket.later or not bucket.last_ms then return false end
  return bucket.count > 0 and bucket.ahead <= missing
end

local function bucket_details(bucket)
  if bucket.count == 0 then return '' end
  return string.format('%.0f %.0f %.0f ', bucket.count, bucket.ahead, bucket.later) .. bucket.booked
end

-- Units of so many tokens; more than exact arithmetic holds were never charged.
local function units_of(bucket, tokens)
  return math.min(tokens, bucket.most) * bucket.token
end

-- What is still missing after some time. What is booked ahead stays missing.
local function refilled(missing, ahead, per_ms, elapsed_ms)
  if elapsed_ms >= (missing - ahead) / per_ms then return ahead end
  return missing - elapsed_ms * per_ms
end

-- Brings a bucket from one instant to a later one.
local function refill(bucket, at_ms, now_ms)
  if bucket.count > 0 then
    local behind = 1
    for digits, units, to in string.gmatch(bucket.booked, '(%d+):(%d+) ()') do
      local start_ms = tonumber(digits)
      if start_ms > now_ms then break end
      bucket.missing = refilled(bucket.missing, bucket.ahead, bucket.per_ms, start_ms - at_ms)
      bucket.ahead, bucket.count = bucket.ahead - tonumber(units), bucket.count - 1
      at_ms, behind = start_ms, to
    end
    bucket.booked = string.sub(bucket.booked, behind)
  end
  bucket.missing = refilled(bucket.missing, bucket.ahead, bucket.per_ms, now_ms - at_ms)
end

-- How long a cost within the capacity must wait.
local function bucket_wait(bucket, cost, now_ms)
  local at_most, per_ms = bucket.full - units_of(bucket, cost), bucket.per_ms
  local missing, ahead, at_ms = bucket.missing, bucket.ahead, now_ms
  if missing <= at_most then return 0 end
  if bucket.count == 0 then return math.ceil((missing - at_most) / per_ms) end
  if bucket.later > at_most then
    return bucket.last_ms - now_ms + math.ceil((bucket.later - at_most) / per_ms)
  end
  for digits, units in string.gmatch(bucket.booked, '(%d+):(%d+)') do
    local start_ms = tonumber(digits)
    local ready_ms = at_ms + math.ceil((missing - at_most) / per_ms)
    if ahead <= at_most and ready_ms <= start_ms then return ready_ms - now_ms end
    missing = refilled(missing, ahead, per_ms, start_ms - at_ms)
    ahead, at_ms = ahead - tonumber(units), start_ms
  end
  return at_ms - now_ms + math.ceil(math.max(missing - at_most, 0) / per_ms)
end

-- Follows the bookings to the last.
local function look_ahead(bucket, now_ms)
  local missing, ahead, at_ms = bucket.missing, bucket.ahead, now_ms
  for digits, units in string.gmatch(bucket.booked, '(%d+):(%d+)') do
    local start_ms = tonumber(digits)
    missing = refilled(missing, ahead, bucket.per_ms, start_ms - at_ms)
    ahead, at_ms = ahead - tonumber(units), start_ms
  end
  bucket.later, bucket.last_ms = missing, at_ms
end

-- Books so many units more at a start, or fewer: false, and nothing changed, where fewer are booked.
local function book(bucket, start_ms, units)
  local from, to, held = #bucket.booked + 1, #bucket.booked + 1, '0'
  if bucket.count > 0 and bucket.last_ms == start_ms then
    from, held = string.match(bucket.booked, '()%d+:(%d+) $', -32)
  elseif bucket.count > 0 and bucket.last_ms > start_ms then
    for at, digits, booked, behind in string.gmatch(bucket.booked, '()(%d+):(%d+) ()') do
      local other_ms = tonumber(digits)
      if other_ms >= start_ms then
        from, to = at, at
        if other_ms == start_ms then to, held = behind, booked end
        break
      end
    end
  end
  held = tonumber(held)
  if held + units < 0 then return false end
  local before, behind = string.sub(bucket.booked, 1, from - 1), string.sub(bucket.booked, to)
  bucket.count = bucket.count - (held > 0 and 1 or 0) + (held + units > 0 and 1 or 0)
  bucket.ahead = bucket.ahead + units
  if held + units > 0 then before = before .. string.format('%.0f:%.0f ', start_ms, held + units) end
  bucket.booked = before .. behind
  return true
end

local function charge_bucket(bucket, cost, start_ms, now_ms)
  local units, is_last = units_of(bucket, cost), bucket.count == 0 or start_ms >= bucket.last_ms
  if start_ms > now_ms then
    if is_last then
      local later, at_ms = bucket.missing, now_ms
      if bucket.count > 0 then later, at_ms = bucket.later, bucket.last_ms end
      bucket.later = refilled(later, 0, bucket.per_ms, start_ms - at_ms) + units
    end
    book(bucket, start_ms, units)
  end
  bucket.missing = bucket.missing + units
  if start_ms > now_ms and is_last then
    bucket.last_ms = start_ms
  elseif bucket.count > 0 then
    look_ahead(bucket, now_ms)
  end
end

-- Gives back a charge that starts later; false where it is not known.
local function cancel_in_bucket(bucket, cost, start_ms, now_ms)
  local units = units_of(bucket, cost)
  if not book(bucket, start_ms, -units) then return false end
  bucket.missing = bucket.missing - units
  look_ahead(bucket, now_ms)
  return true
end

-- Makes a charge another one.
local function recharge_bucket(bucket, cost, actual, start_ms, now_ms)
  local more = units_of(bucket, actual) - units_of(bucket, cost)
  if start_ms > now_ms then book(bucket, start_ms, more) end
  bucket.missing = math.max(bucket.missing + more, bucket.ahead)
  look_ahead(bucket, now_ms)
end

-- In how long it is full again, all bookings over.
local function bucket_life(bucket, now_ms)
  local missing, at_ms = bucket.missing, now_ms
  if bucket.count > 0 then missing, at_ms = bucket.later, bucket.last_ms end
  return at_ms - now_ms + math.ceil(missing / bucket.per_ms)
end
