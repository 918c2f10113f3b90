-- take: takes a cost from each of some limits as soon as all have it, or from none.
--
-- KEYS[1]  key          hash  limits that are taken together
-- ARGV[1]  now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms  int   0: none; a call that runs after this instant is refused
-- ARGV[3]  take_id      text  0 to 128 bytes; a repeat of the id gets its grant again; empty: no id
-- ARGV[4]  max_wait_ms  int   0 to 9,007,199,254,740; how far ahead a start may be booked
-- ARGV[5]  version      int   below 2^53; of the rules that follow, higher for newer ones
-- ARGV[6]  inherit      word  with what a limit goes on whose rule these change: `keep` what was consumed,
--                             `proportional`: the same share is left, `full`, `empty`
-- ARGV[7]  start        word  `full` or `empty`: how much a new bucket holds, also after a loss of the data
-- ARGV[8]  count        int   1 to 16 limits; five arguments for each, and then a cost for each
-- ARGV[9+]  name        text  1 to 255 bytes of UTF-8 without control characters, each name once
-- ARGV[10+] kind        word  `bucket` or `window`
-- ARGV[11+] capacity    int   1 or more, below 2^53
-- ARGV[12+] refill      int   of a bucket 1 or more, below 2^53: so many tokens each period; of a window 0
-- ARGV[13+] period_ms   int   1 to 9,007,199,254,740; of a window its length
-- ARGV[14+] cost        int   below 2^53; 0: this limit is not asked; one at least is above 0
--
-- Returns  {"granted", 1, now_ms, version, starts_in_ms, repeated, remaining of each limit...}
--          | {"wait", 1, now_ms, version, retry_after_ms, ":limit"}: the one that it waits for longest
--          | {"never", 1, now_ms, version, ":limit"}: the cost is above its capacity
--          | {"reconfigure", 1, now_ms, version, count, ":name", kind, capacity, refill, period_ms...}: these
--          rules are in force, the ones given are older or of the same version and others
--          | {"gone", 1, now_ms, version}: this id was taken and cancelled
--          repeated is 1 where the id had this grant before; then nothing else that is given counts
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- Rules of a higher version come into force with the call that brings them; limits go on by their
-- names. `wait` writes nothing, but where such rules come into force, and where a bucket that starts
-- empty begins to fill; every other refusal writes nothing. Ids are kept until a minute after their
-- start.
--
-- State    lua/include/meters.lua; i: and q: ids
-- Cost     O(limits); with bookings ahead O(bookings) for a cost that comes between them

local take_id, limits = ARGV[3], math.floor((#ARGV - 8) / 6)
local time, found, now_ms, clock, expires, levels, rest, life_ms, answer, rules

-- Most calls bring the rules in force, and ask for nothing but buckets without bookings. A few
-- patterns tell that the arguments of such a call are good, and what it needs is written here once
-- more, without a function. Whatever is not as it should be is left to what stands behind.
repeat
  local inherit, start = ARGV[6], ARGV[7]
  if #KEYS ~= 1 or KEYS[1] == '' or limits < 1 or #ARGV ~= 8 + 6 * limits or ARGV[2] ~= '0' or ARGV[4] ~= '0'
    or #take_id > 128 or start ~= 'full' and start ~= 'empty'
    or inherit ~= 'keep' and inherit ~= 'proportional' and inherit ~= 'full' and inherit ~= 'empty' then
    break
  end
  local now = ARGV[1]
  if now == '0' then
    time = redis.call('TIME')
    now = time[1] .. string.sub('00000' .. time[2], -6, -4)
  elseif #now > 13 or not string.find(now, '^[1-9]%d*$') then
    break
  end
  if take_id == '' then
    found = redis.pcall('HMGET', KEYS[1], 's', 'c')
  else
    found = redis.pcall('HMGET', KEYS[1], 's', 'c', 'i:' .. take_id)
  end
  local given = ARGV[5] .. '\n' .. table.concat(ARGV, '\n', 8, 8 + 5 * limits)
  if found[2] ~= given or found[3] or not found[1] then break end
  if limits == 1 then
    clock, expires, levels, rest = string.match(found[1], '^take 1 (%d+) (%d+) (%d+) ; (%d+ %d+ %d+ %d+)$')
  else
    clock, expires, levels, rest = string.match(found[1], '^take 1 (%d+) (%d+) ([%d ]+) ; ([%d ]+)$')
    local _, count = string.gsub(rest or '', '%d+', '')
    if count ~= limits + 3 then break end
  end
  local version = tonumber(ARGV[5])
  now_ms = tonumber(now)
  if not rest or version > 4503599627370495 or now_ms > 9007199254740 then break end
  local elapsed_ms = now_ms - tonumber(clock)
  if elapsed_ms < 0 then break end
  local each = limits > 1 and string.gmatch(levels, '%d+')
  local left, missing_now, wait_ms, slowest, is_asked = {'granted', 1, now_ms, version, 0, 0, 0}, nil, 0, 0, false
  local done = 0
  life_ms = 60000
  for i = 1, limits do
    local at, cost = 4 + 5 * i, ARGV[8 + 5 * limits + i]
    if cost ~= '1' and cost ~= '0' and (#cost > 16 or not string.find(cost, '^[1-9]%d*$')) then break end
    cost = cost == '1' and 1 or tonumber(cost)
    local capacity, per_ms, token = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
    local missing = tonumber(each and each() or levels)
    -- Only windows have a refill of 0.
    if cost > capacity or per_ms == 0 or not missing or missing > 9007199254740991 then break end
    local divisor, more = token, per_ms
    while more > 0 do divisor, more = more, divisor % more end
    token, per_ms = token / divisor, per_ms / divisor
    if elapsed_ms >= missing / per_ms then missing = 0 else missing = missing - elapsed_ms * per_ms end
    local full = capacity * token
    if cost > 0 then
      is_asked = true
      missing = missing + cost * token
      if missing > full and math.ceil((missing - full) / per_ms) > wait_ms then
        wait_ms, slowest = math.ceil((missing - full) / per_ms), at
      end
    end
    if missing / per_ms > life_ms then life_ms = math.ceil(missing / per_ms) end
    if wait_ms == 0 then
      local text = string.format(missing < 2147483648 and '%d' or '%.0f', missing)
      missing_now = missing_now and missing_now .. ' ' .. text or text
    end
    left[6 + i] = missing < full and math.floor((full - missing) / token) or 0
    if left[6 + i] > 4503599627370495 then break end
    done = i
  end
  if done < limits or each and each() or not is_asked then break end
  if wait_ms > 0 then
    return {'wait', 1, now_ms, version, math.min(wait_ms, 9007199254740), ':' .. ARGV[slowest]}
  end
  clock, levels, answer = now, missing_now, left
until true

if not answer then
-- @include args
-- @include names
-- @include state
-- @include numbers
-- @include bucket
-- @include window
-- @include meters
  shape(14, 104)
  now_ms = whole(1, 'now_ms', 0, 9007199254740)
  local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
  take_id = bytes(3, 'take_id', 0, 128)
  local max_wait_ms = whole(4, 'max_wait_ms', 0, 9007199254740)
  local version = whole(5, 'version', 0, 9007199254740991)
  local inherit = word(6, 'inherit', {keep = true, proportional = true, full = true, empty = true},
    '"keep", "proportional", "full" or "empty"')
  local start = word(7, 'start', {full = true, empty = true}, '"full" or "empty"')
  limits = whole(8, 'count', 1, 16)
  if bad then return bad end
  if #ARGV ~= 8 + 6 * limits then
    return refuse('ARG', #ARGV .. ' arguments are given, but must be ' .. 8 + 6 * limits .. ' with a count of ' .. limits)
  end
  local costs, greatest = {}, 0
  for i = 1, limits do
    costs[i] = whole(8 + 5 * limits + i, 'cost', 0, 9007199254740991)
    greatest = math.max(greatest, costs[i])
  end
  if greatest == 0 then must(9 + 5 * limits, 'cost', 'above 0, or else another cost') end
  if bad then return bad end
  now_ms = instant(now_ms, deadline_ms, time)
  if bad then return bad end

  found = found or redis.pcall('HMGET', KEYS[1], 's', 'c', 'i:' .. take_id)
  local state = found[1]
  local err = unusable(found, state, 'take')
  if err then return err end
  local held_version, meters = -1, {}
  local clock_ms, key_expires_ms, oldest, next_id, next_number = now_ms, 0, 0, 0, 1
  if state then
    held_version, meters = rules_of(found[2])
    if not held_version then return damaged('c') end
    clock_ms, key_expires_ms, oldest, next_id, next_number = read_meters(meters, state)
    if not clock_ms then return damaged('s') end
    now_ms = math.max(now_ms, clock_ms)
    advance(meters, clock_ms, now_ms)
  end
  if take_id ~= '' and found[3] then
    local start_ms, is_cancelled = taken(found[3])
    if not start_ms then return damaged('i:' .. take_id) end
    if is_cancelled then return {'gone', 1, now_ms, reply(held_version)} end
    local repeated = {'granted', 1, now_ms, reply(held_version), math.max(start_ms - now_ms, 0), 1}
    for i, limit in ipairs(meters) do repeated[6 + i] = reply(remaining(limit)) end
    return repeated
  end

  local given = ARGV[5] .. '\n' .. table.concat(ARGV, '\n', 8, 8 + 5 * limits)
  if given ~= found[2] then
    rules = {}
    local named = {}
    for i = 1, limits do
      local at = 4 + 5 * i
      local limit_name = name(at, 'name', 1)
      local kind = word(at + 1, 'kind', {bucket = true, window = true}, '"bucket" or "window"')
      local capacity = whole(at + 2, 'capacity', 1, 9007199254740991)
      local is_window = kind == 'window'
      local refill_tokens = whole(at + 3, 'refill', is_window and 0 or 1, is_window and 0 or 9007199254740991)
      local period_ms = whole(at + 4, 'period_ms', 1, 9007199254740)
      if named[limit_name] then must(at, 'name', 'another name for each limit') end
      if bad then return bad end
      rules[i] = limit_of(limit_name, kind, capacity, refill_tokens, period_ms)
      if kind == 'bucket' and not rules[i].full then
        must(at + 2, 'capacity', string.format('a whole number from 1 to %.0f', rules[i].most))
        return bad
      end
      named[limit_name] = rules[i]
    end
    if version <= held_version then
      local reconfigure = {'reconfigure', 1, now_ms, reply(held_version), #meters}
      for i, limit in ipairs(meters) do
        local at = 5 * i
        reconfigure[at + 1], reconfigure[at + 2] = ':' .. limit.name, limit.kind
        reconfigure[at + 3], reconfigure[at + 4] = reply(limit.capacity), reply(limit.refill)
        reconfigure[at + 5] = reply(limit.period_ms)
      end
      return reconfigure
    end
-- @include change
    local before = {}
    for _, limit in ipairs(meters) do before[limit.name] = limit end
    for i, limit in ipairs(rules) do
      local old = before[limit.name]
      if not old then
        limit.number, next_number = next_number, next_number + 1
        if limit.kind == 'window' then
          read_window(limit, 0, '')
        else
          read_bucket(limit, start == 'full' and 0 or limit.full, '')
        end
      elseif old.kind ~= limit.kind then
        must(4 + 5 * i, 'name', 'another name, since that one is of a ' .. old.kind)
        return bad
      elseif not inherit_meter(limit, old, inherit, now_ms) then
        must(8 + 5 * i, 'period_ms', 'one under which what is booked can be counted below 2^53')
        return bad
      end
    end
    meters = rules
  end

  for i, limit in ipairs(meters) do
    if costs[i] > limit.capacity then return {'never', 1, now_ms, reply(version), ':' .. limit.name} end
  end
  local wait_ms, slowest = 0, meters[1]
  for i, limit in ipairs(meters) do
    if costs[i] > 0 then
      local wait = limit.kind == 'bucket' and bucket_wait or window_wait
      local own_ms = wait(limit, costs[i], now_ms)
      if own_ms > wait_ms then wait_ms, slowest = own_ms, limit end
    end
  end
  local is_refused = wait_ms > max_wait_ms or now_ms + wait_ms > 9007199254740
  for i, limit in ipairs(meters) do
    if costs[i] > 0 then
      local used, more = limit.used, costs[i]
      if limit.kind == 'bucket' then used, more = limit.missing, units_of(limit, costs[i]) end
      is_refused = is_refused or more > 9007199254740991 - used or wait_ms > 0 and limit.count >= 10000
    end
  end
  if is_refused then
    answer = {'wait', 1, now_ms, reply(version), math.min(wait_ms, 9007199254740), ':' .. slowest.name}
    if not rules then return answer end
  else
    answer = {'granted', 1, now_ms, reply(version), wait_ms, 0}
    for i, limit in ipairs(meters) do
      if costs[i] > 0 then
        local charge = limit.kind == 'bucket' and charge_bucket or add_last
        charge(limit, costs[i], now_ms + wait_ms, now_ms)
      end
      answer[6 + i] = reply(remaining(limit))
    end
  end
  local places
  levels, places = meters_text(meters)
  rest = string.format('%.0f %.0f %.0f ', oldest, next_id, next_number) .. places
  rules, life_ms = rules and given, life_of_meters(meters, now_ms)
  clock, expires = string.format('%.0f', now_ms), string.format('%.0f', key_expires_ms)
end

local is_kept, key_ms, gone = take_id ~= '' and answer[1] == 'granted', nil, nil
if is_kept then life_ms = math.max(life_ms, answer[5] + 60000) end
if tonumber(expires) < now_ms + life_ms then
  key_ms = 2 * math.min(life_ms, 9007199254740)
  expires = string.format('%.0f', now_ms + key_ms)
end
local own, own_value, place, place_value
if is_kept then
-- @include ids
  local oldest, next_id, next_number, charged, behind = string.match(rest, '^(%d+) (%d+) (%d+) ([%d ]+)()')
  local instant, cost_at = clock, 8 + 5 * limits
  if answer[5] > 0 then instant = string.format('%.0f', now_ms + answer[5]) end
  local record = instant .. ' taken'
  if limits == 1 then
    record = record .. ' ' .. charged .. ':' .. ARGV[cost_at + 1]
  else
    for number in string.gmatch(charged, '%d+') do
      cost_at = cost_at + 1
      if ARGV[cost_at] ~= '0' then record = record .. ' ' .. number .. ':' .. ARGV[cost_at] end
    end
  end
  oldest, gone = outdated_ids(oldest, next_id, now_ms)
  rest = oldest .. ' ' .. digits_of(next_id + 1) .. ' ' .. next_number .. ' ' .. charged .. string.sub(rest, behind)
  own, own_value, place, place_value = id_fields(take_id, next_id, instant, record)
end
local state = 'take 1 ' .. clock .. ' ' .. expires .. ' ' .. levels .. ' ; ' .. rest
if own then
  redis.call('HSET', KEYS[1], 's', state, own, own_value, place, place_value)
else
  redis.call('HSET', KEYS[1], 's', state)
end
if rules then redis.call('HSET', KEYS[1], 'c', rules) end
if gone then redis.call('HDEL', KEYS[1], (unpack or table.unpack)(gone)) end
if key_ms then redis.call('PEXPIRE', KEYS[1], key_ms) end
return answer
