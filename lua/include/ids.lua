-- The memory of request ids, so that a repeated call gets its first answer again.
--
-- Field `i:<id>` is `<number> <answer>`, field `q:<number>` is `<kept_until_ms> <id>`; the numbers
-- rise. An id is kept while it is among the newest 1,000, and beyond that until its instant, but
-- never behind 10,000 newer ones.

-- The digits of a number of an id. `%d` costs half, but where a long has 32 bits it ends at 2^31.
local function digits_of(number)
  return string.format(number < 2147483648 and '%d' or '%.0f', number)
end

-- The fields of ids that need no longer be kept, at most two ids a call: `oldest` is the lowest number
-- that is kept, `next` the one that the next id gets. Returns the new lowest number, and the fields
-- if there are any.
local function outdated_ids(oldest, next, now_ms)
  if next - oldest < 1000 then return oldest end
  local heads = {'q:' .. digits_of(oldest), 'q:' .. digits_of(oldest + 1)}
  local fields = {}
  for at, head in ipairs(redis.call('HMGET', KEYS[1], heads[1], heads[2])) do
    local until_ms, id = string.match(head or '', '^(%d+) (.*)$')
    if until_ms and tonumber(until_ms) > now_ms and next - oldest < 10000 then break end
    fields[#fields + 1] = heads[at]
    if id then fields[#fields + 1] = 'i:' .. id end
    oldest = oldest + 1
    if next - oldest < 1000 then break end
  end
  return oldest, fields[1] and fields
end

-- Adds to the fields to be written that `id`, of this number, got `answer`.
local function keep_id(writes, id, number, until_ms, answer)
  local at, digits = #writes, digits_of(number)
  writes[at + 1], writes[at + 2] = 'i:' .. id, digits .. ' ' .. answer
  writes[at + 3], writes[at + 4] = 'q:' .. digits, string.format('%.0f ', until_ms) .. id
end
