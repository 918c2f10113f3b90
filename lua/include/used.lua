-- The table of least used upstreams. Each has a place: the order in which they became known.
--
-- Field `k` has the names in the order of their places, a line each; `u:<upstream>` is
-- `<count> <weight>`, with ` left` behind it where the upstream has left. Field `s` has lines, too:
--   used 1 <clock_ms> <key_expires_ms> <version> <keep_ms> <oldest id> <next id> <turn> <front> <count> <weight>
--   the upstream that was picked last; the next turn is behind its place
--   upstreams in front, a line each: none is used less, and they stand in the order of their turns
-- so that most picks need not look at the others. <count> and <weight> are what each in front has with
-- its next pick. Where <front> is `some`, there may be fewer in front than are used equally, and none
-- where nobody has looked since a change. Where it is `all`, an empty line and those follow that were
-- in front and have been picked since: together they are all that may be picked, and when nobody is
-- left in front the next round is like this one. Where nobody was picked last, <turn> is where the
-- turns begin: `d<draw>` before the first pick, `p<place>` where the last is forgotten. Places count
-- from 0.

-- A count and a weight, and whether the upstream has left; nothing where the text is damaged.
local function member(text)
  local count, weight, left = string.match(text or '', '^(%d+) (%d+)(%D*)$')
  if not count or (left ~= '' and left ~= ' left') then return nil end
  count, weight = tonumber(count), tonumber(weight)
  if count <= 9007199254740991 and weight <= 65535 then return count, weight, left ~= '' end
end

local function member_text(count, weight, left)
  return string.format(left and '%.0f %.0f left' or '%.0f %.0f', count, weight)
end

-- The members at their places, from 1 on: a table for each column. Where one is damaged, its field
-- instead, behind nothing.
local function members(names)
  local upstreams, fields, counts, weights, left = {}, {}, {}, {}, {}
  for upstream in string.gmatch(names, '[^\n]+') do
    upstreams[#upstreams + 1] = upstream
    fields[#fields + 1] = 'u:' .. upstream
  end
  if #fields == 0 then return upstreams, counts, weights, left end
  local last
  for at, text in ipairs(redis.call('HMGET', KEYS[1], unpack(fields))) do
    -- Neighbours are often equal.
    if text == last then
      counts[at], weights[at], left[at] = counts[at - 1], weights[at - 1], left[at - 1]
    else
      counts[at], weights[at], left[at] = member(text)
      if not counts[at] then return nil, fields[at] end
      last = text
    end
  end
  return upstreams, counts, weights, left
end

-- Below 0 where the first is used less for its weight than the second, 0 where equally.
local function compare(count, weight, other_count, other_weight)
  -- In doubles, also where Lua has integers, which would wrap. Below 2^53 a product is exact, and one
  -- above is never rounded to below.
  local first, second = count * 1.0 * other_weight, other_count * 1.0 * weight
  if first < 9007199254740992 or second < 9007199254740992 then return first - second end
  local first_low, second_low = count % 4294967296 * other_weight, other_count % 4294967296 * weight
  local first_high = math.floor(count / 4294967296) * other_weight + math.floor(first_low / 4294967296)
  local second_high = math.floor(other_count / 4294967296) * weight + math.floor(second_low / 4294967296)
  if first_high ~= second_high then return first_high - second_high end
  return first_low % 4294967296 - second_low % 4294967296
end

-- Adds to a count, and what changed to the fields to be written. Before a count would pass 2^53 - 1
-- all are lowered by the same number of rounds, which changes no comparison; one that is still too
-- high stays at the bound. Returns whether all were lowered.
local function add_count(writes, at, times, upstreams, counts, weights, left)
  local lowered = counts[at] > 9007199254740991 - times
  if lowered then
    local rounds
    for i, weight in ipairs(weights) do
      if weight > 0 and not left[i] then
        rounds = math.min(rounds or 9007199254740991, math.floor(counts[i] / weight))
      end
    end
    -- A product beyond exact arithmetic is above every count, rounded or not.
    for i, weight in ipairs(weights) do
      local less = (rounds or 0) * 1.0 * weight
      counts[i] = less < counts[i] and math.floor(counts[i] - less) or 0
    end
  end
  counts[at] = math.min(counts[at] + times, 9007199254740991)
  for i = lowered and 1 or at, lowered and #counts or at do
    writes[#writes + 1] = 'u:' .. upstreams[i]
    writes[#writes + 1] = member_text(counts[i], weights[i], left[i])
  end
  return lowered
end
