-- A name of an upstream, an exit or a limit: 1 to 255 bytes of UTF-8 without control characters.
-- `min` 0 where it may be left out. Needs args.
local function name(i, what, min)
  local text = bytes(i, what, min, 255)
  if string.find(text, '[%c\127-\255]') then
    -- Every sequence of more than one byte becomes a point; what is left of 128 and above is wrong.
    local rest = string.gsub(text, '\240[\144-\191][\128-\191][\128-\191]', '.')
    rest = string.gsub(rest, '[\241-\243][\128-\191][\128-\191][\128-\191]', '.')
    rest = string.gsub(rest, '\244[\128-\143][\128-\191][\128-\191]', '.')
    rest = string.gsub(rest, '\224[\160-\191][\128-\191]', '.')
    rest = string.gsub(rest, '[\225-\236\238\239][\128-\191][\128-\191]', '.')
    rest = string.gsub(rest, '\237[\128-\159][\128-\191]', '.')
    rest = string.gsub(rest, '\194[\160-\191]', '.')
    rest = string.gsub(rest, '[\195-\223][\128-\191]', '.')
    if string.find(rest, '[%z\001-\031\127-\255]') then
      must(i, what, 'UTF-8 without control characters')
      return ''
    end
  end
  return text
end
