-- Field `s` of every key: `<family> <format> <clock_ms> <key_expires_ms> …`, the rest as the family
-- has it. Needs args.

-- Lua 5.4 has it in another place.
local unpack = unpack or table.unpack

-- The instant of this call in whole milliseconds: the one given, else the server's, which `time` may
-- have already. Not after the deadline, if there is one.
local function instant(now_ms, deadline_ms, time)
  if now_ms == 0 then
    time = time or redis.call('TIME')
    now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  if deadline_ms > 0 and now_ms > deadline_ms then
    bad = refuse('DEADLINE', string.format('the call runs %.0f ms after its deadline', now_ms - deadline_ms))
  end
  return now_ms
end

-- Why the answer to the first read cannot be used, as an error reply; nothing where it can.
local function unusable(answer, state, family)
  if answer.err then
    if string.find(answer.err, '^%-?WRONGTYPE') then
      return refuse('TYPE', 'the key does not hold a hash')
    end
    -- Redis before 7 begins with the place in the script where a command is not allowed.
    if string.byte(answer.err) == 64 then answer.err = 'ERR ' .. answer.err end
    return answer
  end
  if not state then
    if redis.call('EXISTS', KEYS[1]) == 0 then return nil end
    return refuse('FORMAT', 'the key holds a hash that is not of this library')
  end
  local held, format = string.match(state, '^(%l+) (%d+) ')
  if not held then return refuse('FORMAT', 'the key holds a hash that is not of this library') end
  if held ~= family then return refuse('KIND', 'the key holds ' .. held .. ', not ' .. family) end
  if format ~= '1' then return refuse('FORMAT', 'the key is of format ' .. format .. ', but this script knows 1') end
end

local function damaged(field)
  return refuse('DATA', 'field ' .. field .. ' is damaged: ' .. shown(redis.call('HGET', KEYS[1], field)))
end

-- For how long the key must be given to live from now on, if its expiry is nearer than `need_ms`:
-- twice that, so that it need not be set at each call.
local function longer_life(key_expires_ms, now_ms, need_ms)
  if key_expires_ms < now_ms + need_ms then return 2 * need_ms end
end

-- A whole number as a reply: text from 2^52 on, since some clients read integers as doubles of
-- their own.
local function reply(n)
  if n < 4503599627370496 then return n end
  return string.format('%.0f', n)
end
