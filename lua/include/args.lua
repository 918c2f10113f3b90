-- Reading arguments. The first that cannot be used is kept in `bad`, as the error reply that the
-- script returns once it has read all of them.
local bad

local function refuse(word, text)
  return redis.error_reply('POINTSMAN_' .. word .. ' ' .. text)
end

-- Bytes as they may stand in an error: short, printable.
local function shown(text)
  if not text then return 'missing' end
  if text == '' then return 'empty' end
  local short = string.gsub(string.sub(text, 1, 40), '[^\032-\126]', '?')
  return '"' .. short .. (#text > 40 and '..."' or '"')
end

local function must(i, name, bound)
  bad = bad or refuse('ARG', name .. ' (ARGV[' .. i .. ']) is ' .. shown(ARGV[i]) .. ', but must be ' .. bound)
end

-- A whole number in plain decimal digits: no sign, no point, no exponent, no leading zero.
local function whole(i, name, min, max)
  local text = ARGV[i]
  if text and #text <= 16 and (text == '0' or string.find(text, '^[1-9]%d*$')) then
    local n = tonumber(text)
    if n >= min and n <= max then return n end
  end
  must(i, name, string.format('a whole number from %.0f to %.0f', min, max))
  return min
end

-- Any bytes.
local function bytes(i, name, min, max)
  local text = ARGV[i]
  if text and #text >= min and #text <= max then return text end
  must(i, name, string.format('%d to %d bytes long', min, max))
  return ''
end

-- One of some words, given as keys.
local function word(i, name, words, bound)
  local text = ARGV[i]
  if text and words[text] then return text end
  must(i, name, bound)
  return ''
end

-- Exactly one key, and from `min` to `max` arguments.
local function shape(min, max)
  if #KEYS ~= 1 or KEYS[1] == '' then
    bad = refuse('KEYS', #KEYS .. ' keys are given, but must be 1, and not empty')
  elseif #ARGV < min or #ARGV > max then
    bad = bad or refuse('ARG', #ARGV .. ' arguments are given, but must be ' .. min .. (max > min and ' to ' .. max or ''))
  end
end
