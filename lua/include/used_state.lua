-- Field `s` of a table (see used) as a Lua table; nothing where it is damaged. `picked` has those
-- that were in front, where `front` and they are all that may be picked. Needs numbers.
local function table_state(text)
  local whole_numbers, turn, kind, following, last, front =
    string.match(text, '^used 1 (%d+ %d+ %d+ %d+ %d+ %d+) ([dp]%d+) (%l+) (%d+ %d+)\n([^\n]*)\n(.*)$')
  local clock_ms, key_expires_ms, version, keep_ms, oldest, next_id = numbers(whole_numbers)
  local picked
  if kind == 'all' then
    local blank = string.find('\n' .. front, '\n\n', 1, true)
    if not blank then return nil end
    front, picked = string.sub(front, 1, blank - 1), string.sub(front, blank + 1)
  end
  if not clock_ms or (kind ~= 'some' and kind ~= 'all') then return nil end
  return {
    clock_ms = clock_ms, key_expires_ms = key_expires_ms, version = version, keep_ms = keep_ms,
    oldest = oldest, next_id = next_id, turn = turn, following = following, last = last, front = front, picked = picked,
  }
end

local function table_text(state)
  return string.format('used 1 %.0f %.0f %.0f %.0f %.0f %.0f ', state.clock_ms, state.key_expires_ms,
    state.version, state.keep_ms, state.oldest, state.next_id)
    .. state.turn .. (state.picked and ' all ' or ' some ') .. state.following .. '\n'
    .. state.last .. '\n' .. state.front .. (state.picked and '\n' .. state.picked or '')
end
