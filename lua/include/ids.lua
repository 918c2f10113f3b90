-- The memory of request ids, so that a repeated call gets its first answer again.
--
-- Field `i:<id>` is `<number> <answer>`, field `q:<number>` is `<instant> <id>`; the numbers rise. An id
-- is kept while it is among the newest 1,000, and beyond that until a minute after its instant, but never
-- behind 10,000 newer ones.

-- The digits of a number of an id. `%d` costs half, but where a long has 32 bits it ends at 2^31.
local function digits_of(number)
  return string.format(number < 2147483648 and '%d' or '%.0f', number)
end

-- The fields of ids that need no longer be kept: `oldest` has the digits of the lowest number that is
-- kept, `next` those of the one that the next id gets. Two ids a call where time has passed, so that
-- there can be fewer of them, and one where there are too many. Returns the new lowest number, and the
-- fields if there are any.
local function outdated_ids(oldest, next, now_ms)
  local fields
  for _ = 1, 2 do
    if next - oldest < 1000 then break end
    local place = 'q:' .. oldest
    local instant_ms, id = string.match(redis.call('HGET', KEYS[1], place) or '', '^(%d+) (.*)$')
    local is_past = not id or tonumber(instant_ms) + 60000 <= now_ms
    if not is_past and next - oldest < 10000 then break end
    oldest = digits_of(oldest + 1)
    if not fields then
      fields = {place, id and 'i:' .. id}
    else
      fields[#fields + 1], fields[#fields + 2] = place, id and 'i:' .. id
    end
    if not is_past then break end
  end
  return oldest, fields
end

-- What keeps an id, given the digits of its number and of its instant, and its answer: two fields and
-- their values.
local function id_fields(id, number, instant, answer)
  return 'i:' .. id, number .. ' ' .. answer, 'q:' .. number, instant .. ' ' .. id
end

-- Adds them to the fields to be written.
local function keep_id(writes, ...)
  local at = #writes
  writes[at + 1], writes[at + 2], writes[at + 3], writes[at + 4] = id_fields(...)
end
