-- The state of the family `links`.
--
-- Field `s` is `links 1 <clock_ms> <key_expires_ms> <held> <evicted_live> <first> <last>`, the last
-- two the links written longest ago and latest, `-` where none is held. Field `m:<link>` is
-- `<expires_ms> <previous> <next> <upstream>`: the links written before and after it. The previous of
-- the first is out of date where the one before it is gone. Needs args.

-- The argument at `i`, a link: 16 lower-case hex digits.
local function link_at(i)
  local text = ARGV[i]
  if text and #text == 16 and not string.find(text, '[^0-9a-f]') then return text end
  must(i, 'link', '16 lower-case hex digits')
end

-- The parts of a field `m:`: expiry, previous, next, upstream; nothing where it is damaged.
local function remembered(text)
  local expires_ms, previous, next, upstream = string.match(text or '', '^(%d+) ([%x-]+) ([%x-]+) (.+)$')
  if not expires_ms or #expires_ms > 14 then return nil end
  return tonumber(expires_ms), previous, next, upstream
end

local function link_record(expires_ms, previous, next, upstream)
  return string.format('%.0f ', expires_ms) .. previous .. ' ' .. next .. ' ' .. upstream
end

-- For how long the key must be given to live from now on, for links that live `ttl_ms`: 400 days at
-- most. Nothing while its expiry is far enough away.
local function life_of_links(key_expires_ms, now_ms, ttl_ms)
  local need_ms = math.min(math.max(ttl_ms, 60000), 34560000000)
  local key_ms = longer_life(key_expires_ms, now_ms, need_ms)
  return key_ms and math.min(key_ms, 34560000000)
end
