-- inspect: what a key holds, in plain words, whatever its family; changes nothing.
--
-- KEYS[1]  key          hash  any key of this library
-- ARGV[1]  now_ms       int   0: the server's clock; an instant is for replays and tests
-- ARGV[2]  deadline_ms  int   0: none; a call that runs after this instant is refused
--
-- Returns  {family, 1, now_ms, version, word, value...}: each word is told by the value behind it, a whole
--          number, a word or a ":name"; version is that of the rules or the table, else 0. First
--            key_expires_in_ms
--          and behind it, by family
--            take     ids; of each limit: limit, kind, capacity, refill, period_ms, remaining, booked,
--                     unused_in_ms
--            used     ids, keep_ms, last; of each upstream: upstream, count, weight, left
--            lease    fence, last; of each upstream that holds leases: upstream, in_flight, first_expires_in_ms
--            shuffle  ids, last; each upstream that the pass has returned: returned
--            repeat   ids, last, last_ms_ago, exit, observed; of each whose exit was observed: upstream, observed
--            links    links, evicted_live
--          | {"unknown", 1, now_ms, 0}: there is no such key
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS POINTSMAN_TYPE POINTSMAN_KIND POINTSMAN_FORMAT POINTSMAN_DEADLINE
--          POINTSMAN_DATA
--
-- All is told as it is at now_ms: buckets refilled, expired leases left out. booked is what has been
-- taken for later, remaining what is left without that, unused_in_ms when a limit is as if never used.
-- left is 1 for an upstream whose count is kept for its return. What there is not is left out:
-- last, exit, observed.
--
-- State    lua/include/{meters,used,leases,exits,links}.lua, next_shuffle.lua
-- Cost     O(limits + bookings), O(upstreams), O(leases that expired)

-- @include args
-- @include state
-- @include numbers
-- @include bucket
-- @include window
-- @include meters
-- @include used
-- @include used_state
-- @include leases
-- @include exits
-- @include links

shape(2, 2)
local now_ms = whole(1, 'now_ms', 0, 9007199254740)
local deadline_ms = whole(2, 'deadline_ms', 0, 9007199254740)
if bad then return bad end
now_ms = instant(now_ms, deadline_ms)
if bad then return bad end

local found = redis.pcall('HMGET', KEYS[1], 's')
local state = found[1]
local family = string.match(state or '', '^%l+')
local err = unusable(found, state, family)
if err then return err end
if not state then return {'unknown', 1, now_ms, 0} end
if not string.find(' take used lease shuffle repeat links ', ' ' .. family .. ' ', 1, true) then
  return refuse('KIND', 'the key holds ' .. family .. ', which this script does not know')
end
local clock, expires = string.match(state, '^%l+ 1 (%d+) (%d+)')
local clock_ms, key_expires_ms = numbers(clock and clock .. ' ' .. expires)
if not key_expires_ms then return damaged('s') end
now_ms = math.max(now_ms, clock_ms)
local answer = {family, 1, now_ms, 0, 'key_expires_in_ms', math.max(key_expires_ms - now_ms, 0)}

local function tell(fact, value)
  answer[#answer + 1], answer[#answer + 2] = fact, type(value) == 'number' and reply(value) or value
end

local function tell_name(fact, value)
  if value ~= '' then tell(fact, ':' .. value) end
end

local function give_up(field)
  bad = damaged(field)
end

-- For each family what it holds.
local tells = {}

function tells.take()
  local version, limits = rules_of(redis.call('HGET', KEYS[1], 'c'))
  if not version then return give_up('c') end
  local _, _, oldest, next_id = read_meters(limits, state)
  if not next_id then return give_up('s') end
  answer[4] = reply(version)
  tell('ids', next_id - oldest)
  advance(limits, clock_ms, now_ms)
  for _, limit in ipairs(limits) do
    local is_bucket = limit.kind == 'bucket'
    tell_name('limit', limit.name)
    tell('kind', limit.kind)
    tell('capacity', limit.capacity)
    tell('refill', limit.refill)
    tell('period_ms', limit.period_ms)
    tell('remaining', remaining(limit))
    local booked = 0
    if is_bucket then
      booked = math.floor(limit.ahead / limit.token)
    else
      for _, group in ipairs(groups_of(limit)) do
        if group.last_ms > now_ms then booked = booked + group.cost end
      end
    end
    tell('booked', booked)
    tell('unused_in_ms', is_bucket and bucket_life(limit, now_ms) or window_life(limit, now_ms))
  end
end

function tells.used()
  local held = table_state(state)
  if not held then return give_up('s') end
  answer[4] = reply(held.version)
  tell('ids', held.next_id - held.oldest)
  tell('keep_ms', held.keep_ms)
  tell_name('last', held.last)
  local upstreams, counts, weights, left = members(redis.call('HGET', KEYS[1], 'k') or '')
  if not upstreams then return give_up(counts) end
  for at, upstream in ipairs(upstreams) do
    tell_name('upstream', upstream)
    tell('count', counts[at])
    tell('weight', weights[at])
    tell('left', left[at] and 1 or 0)
  end
end

function tells.lease()
  local leases = leases_of(state)
  if not leases then return give_up('s') end
  tell('fence', leases.fence)
  tell_name('last', leases.last)
  drop_expired(leases, now_ms, {})
  if bad then return end
  for _, upstream in ipairs(leases.upstreams) do
    if leases.in_flight[upstream] > 0 then
      tell_name('upstream', upstream)
      tell('in_flight', leases.in_flight[upstream])
      tell('first_expires_in_ms', leases.first_ms[upstream] - now_ms)
    end
  end
end

function tells.shuffle()
  local oldest, next_id, last = string.match(state, '^shuffle 1 %d+ %d+ (%d+) (%d+) (.+)$')
  if not last then return give_up('s') end
  tell('ids', next_id - oldest)
  tell_name('last', last)
  local pass = redis.call('HGET', KEYS[1], 't') or ''
  for upstream in string.gmatch(pass, '[^\n]+') do tell_name('returned', upstream) end
end

tells['repeat'] = function()
  local _, _, oldest, next_id, used_ms, previous, declared, observed = previous_use(state)
  if not observed then return give_up('s') end
  tell('ids', next_id - oldest)
  tell_name('last', previous)
  if previous ~= '' then tell('last_ms_ago', now_ms - used_ms) end
  tell_name('exit', declared)
  tell_name('observed', observed)
  local noted, exit_of = observed_exits(redis.call('HGET', KEYS[1], 'o') or '')
  if not noted then return give_up('o') end
  for _, upstream in ipairs(noted) do
    tell_name('upstream', upstream)
    tell_name('observed', exit_of[upstream])
  end
end

function tells.links()
  local held, evicted_live = string.match(state, '^links 1 %d+ %d+ (%d+) (%d+) [%x-]+ [%x-]+$')
  if not held then return give_up('s') end
  tell('links', tonumber(held))
  tell('evicted_live', tonumber(evicted_live))
end

tells[family]()
return bad or answer
