-- The whole number that some digits are; nothing where there are none, or where it is beyond exact
-- arithmetic.
local function exact(digits)
  local n = tonumber(digits)
  if n and n <= 9007199254740991 then return n end
end

-- The whole numbers of a text of digits and single spaces, as they stand in a field; nothing where
-- there is no text, or where one is beyond exact arithmetic. Needs state.
local function numbers(text)
  local list = {}
  for digits in string.gmatch(text or '', '%d+') do
    local n = exact(digits)
    if not n then return nil end
    list[#list + 1] = n
  end
  return unpack(list)
end
