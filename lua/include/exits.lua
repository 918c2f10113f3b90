-- The state of the family `repeat`.
--
-- Field `s` is `repeat 1 <clock_ms> <key_expires_ms> <oldest id> <next id> <used_ms> ` and three
-- lines: the previous upstream, the exit that was declared for it, the one observed; each empty where
-- there is none. Field `o` holds the exits observed, a line each: upstream, tab, exit; the upstream
-- noted first stands first. Needs numbers.

-- The five numbers and the three texts of field `s`; nothing where it is damaged.
local function previous_use(state)
  local digits, upstream, declared, observed =
    string.match(state, '^repeat 1 (%d+ %d+ %d+ %d+ %d+) ([^\n]*)\n([^\n]*)\n([^\n]*)$')
  local clock_ms, key_expires_ms, oldest, next_id, used_ms = numbers(digits)
  return clock_ms, key_expires_ms, oldest, next_id, used_ms, upstream, declared, observed
end

-- The upstreams of field `o` in their order, and the exit of each; nothing where it is damaged.
local function observed_exits(text)
  local noted, exit_of, length = {}, {}, 0
  for upstream, exit in string.gmatch(text, '([^\t\n]+)\t([^\t\n]+)\n') do
    noted[#noted + 1] = upstream
    exit_of[upstream] = exit
    length = length + #upstream + #exit + 2
  end
  if length == #text then return noted, exit_of end
end

-- What the fields `s` and `o` that were read say: an error reply, or false, all that previous_use returns
-- and all that observed_exits returns.
local function uses(found)
  local state = found[1]
  local err = unusable(found, state, 'repeat')
  if err then return err end
  local clock_ms, key_expires_ms, oldest, next_id, used_ms, previous, declared, observed = 0, 0, 0, 0, 0, '', '', ''
  if state then
    clock_ms, key_expires_ms, oldest, next_id, used_ms, previous, declared, observed = previous_use(state)
    if not clock_ms then return damaged('s') end
  end
  local noted, exit_of = observed_exits(found[2] or '')
  if not noted then return damaged('o') end
  return false, clock_ms, key_expires_ms, oldest, next_id, used_ms, previous, declared, observed, noted, exit_of
end

-- Field `o` of these upstreams.
local function exit_lines(noted, exit_of)
  local lines = {}
  for at, upstream in ipairs(noted) do lines[at] = upstream .. '\t' .. exit_of[upstream] .. '\n' end
  return table.concat(lines)
end
