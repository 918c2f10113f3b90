-- The state of the family `take`.
--
-- Field `c` has the rules in force, a line each: version, number of limits, and for each limit name,
-- kind, capacity, refill, period_ms. Field `s` is
-- `take 1 <clock_ms> <key_expires_ms> <level> <level>… ; <oldest id> <next id> <next number> <number> <number>…`:
-- for each limit its level (`missing` of a bucket, `used` of a window) and a number, which no other
-- limit ever gets. Where there are bookings or windows, `;` and what else a limit has stand behind
-- it, for each limit.
--
-- Field `i:<take id>` is `<number of the id> <start_ms> <word> <number of a limit>:<charge>…`; the
-- word is `taken` or `cancelled`. Needs numbers, bucket, window.

-- A limit by the numbers of its rule; `full` is missing where they leave exact arithmetic.
local function limit_of(name, kind, capacity, refill, period_ms)
  -- Each has all its fields at once: a table that grows costs more than all that is done with it.
  if kind == 'window' then
    return {name = name, kind = kind, capacity = capacity, refill = refill, period_ms = period_ms, number = 0,
      used = 0, count = 0, from_ms = 0, first_ms = 0, last_ms = 0, cost = 0, older = ''}
  end
  local divisor, rest = period_ms, refill
  while rest > 0 do divisor, rest = rest, divisor % rest end
  local token = math.floor(period_ms / divisor)
  local most = math.floor(9007199254740991 / token)
  return {name = name, kind = kind, capacity = capacity, refill = refill, period_ms = period_ms, number = 0,
    token = token, per_ms = math.floor(refill / divisor), most = most, full = capacity <= most and capacity * token or nil,
    missing = 0, count = 0, ahead = 0, later = 0, last_ms = 0, booked = ''}
end

-- Version and limits of field `c`; nothing where it is damaged.
local function rules_of(text)
  local version, count, at = string.match(text or '', '^(%d+)\n(%d+)\n()')
  version, count = exact(version), exact(count)
  if not version or not count then return nil end
  local limits, lines = {}, text .. '\n'
  while at <= #lines do
    local name, kind, capacity, refill, period_ms, behind =
      string.match(lines, '^([^\n]+)\n(%l+)\n(%d+)\n(%d+)\n(%d+)\n()', at)
    capacity, refill, period_ms = exact(capacity), exact(refill), exact(period_ms)
    if not capacity or not refill or not period_ms or capacity == 0 or period_ms == 0 then return nil end
    if kind == 'bucket' and refill > 0 then
      limits[#limits + 1] = limit_of(name, kind, capacity, refill, period_ms)
      if not limits[#limits].full then return nil end
    elseif kind == 'window' then
      limits[#limits + 1] = limit_of(name, kind, capacity, refill, period_ms)
    else
      return nil
    end
    at = behind
  end
  if count == #limits then return version, limits end
end

-- Gives the limits what field `s` says of them. Returns clock_ms, key_expires_ms, oldest id, next id,
-- next number; nothing where it is damaged.
local function read_meters(limits, state)
  local clock_ms, key_expires_ms, levels, oldest, next_id, next_number, places, at =
    string.match(state, '^take 1 (%d+) (%d+) ([%d ]+) ; (%d+) (%d+) (%d+) ([%d ]+)()')
  clock_ms, key_expires_ms = exact(clock_ms), exact(key_expires_ms)
  oldest, next_id, next_number = exact(oldest), exact(next_id), exact(next_number)
  if not clock_ms or clock_ms > 9007199254740 or not key_expires_ms or not oldest or not next_id or not next_number then
    return nil
  end
  levels, places = string.gmatch(levels, '%d+'), string.gmatch(places, '%d+')
  for _, limit in ipairs(limits) do
    if at <= #state and string.byte(state, at) ~= 59 then return nil end
    local behind = string.find(state, ';', at + 1, true) or #state + 1
    local read = limit.kind == 'bucket' and read_bucket or read_window
    local level = exact(levels())
    limit.number = exact(places())
    if not level or not limit.number or not read(limit, level, string.sub(state, at + 1, behind - 1)) then return nil end
    at = behind
  end
  if at > #state and not levels() and not places() then return clock_ms, key_expires_ms, oldest, next_id, next_number end
end

-- Brings all limits from one instant to a later one.
local function advance(limits, at_ms, now_ms)
  for _, limit in ipairs(limits) do
    if limit.kind == 'bucket' then refill(limit, at_ms, now_ms) else leave(limit, now_ms) end
  end
end

-- What could be taken of a limit now.
local function remaining(limit)
  if limit.kind == 'window' then return math.max(limit.capacity - limit.used, 0) end
  return math.floor(math.max(limit.full - limit.missing, 0) / limit.token)
end

-- The parts of field `s` that are the limits' own: their levels, and all from their numbers on.
local function meters_text(limits)
  local levels, places, details, is_plain = {}, {}, {}, true
  for i, limit in ipairs(limits) do
    levels[i] = string.format('%.0f', limit.missing or limit.used)
    places[i] = string.format('%.0f', limit.number)
    local more = limit.missing and bucket_details(limit) or limit.used and window_details(limit)
    details[i], is_plain = ';' .. more, is_plain and more == ''
  end
  return table.concat(levels, ' '), table.concat(places, ' ') .. (is_plain and '' or table.concat(details))
end

-- Field `s`.
local function meters_state(limits, now_ms, key_expires_ms, oldest, next_id, next_number)
  local levels, places = meters_text(limits)
  return string.format('take 1 %.0f %.0f ', now_ms, key_expires_ms) .. levels
    .. string.format(' ; %.0f %.0f %.0f ', oldest, next_id, next_number) .. places
end

-- The most that a charge may become within exact arithmetic.
local function most_for(limit, charge, start_ms, now_ms)
  if limit.kind == 'bucket' then
    return math.min(charge + math.floor((9007199254740991 - limit.missing) / limit.token), limit.most)
  end
  local groups = groups_of(limit)
  local at = group_at(limit, groups, start_ms, now_ms)
  if not at and not is_within(limit, start_ms, now_ms) then return 9007199254740991 end
  -- A change of the rule may have left less of it than the charge.
  local counted = at and math.min(charge, groups[at].cost) or 0
  return math.min(counted + (9007199254740991 - limit.used), 9007199254740991)
end

-- How long the limits must be remembered.
local function life_of_meters(limits, now_ms)
  local life_ms = 60000
  for _, limit in ipairs(limits) do
    local life = limit.kind == 'bucket' and bucket_life or window_life
    life_ms = math.max(life_ms, life(limit, now_ms))
  end
  return math.min(life_ms, 9007199254740)
end

-- The start of a take as its record has it, whether it is cancelled, its charges by the numbers of
-- limits, and the number of its id; nothing where it is damaged.
local function taken(record)
  local digits, word, charges = string.match(record, '^(%d+ %d+) (%l+)([%d: ]*)$')
  local id_number, start_ms = numbers(digits)
  if not start_ms or (word ~= 'taken' and word ~= 'cancelled') then return nil end
  local charged = {}
  for number, charge in string.gmatch(charges, ' (%d+):(%d+)') do
    charged[tonumber(number)] = numbers(charge)
    if not charged[tonumber(number)] then return nil end
  end
  return start_ms, word == 'cancelled', charged, id_number
end
