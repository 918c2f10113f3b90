//! Which globals a compiled script reads and writes, from Lua 5.1's own compiler.

use crate::command::Outcome;
use mlua::{ChunkMode, Lua};

/// One read or write of a global.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Global {
    pub name: String,
    pub is_write: bool,
    pub line: usize,
}

/// Compiles a script, and lists its globals.
pub fn globals(name: &str, text: &str) -> Outcome<Vec<Global>> {
    let lua = Lua::new();
    let chunk = lua
        .load(text)
        .set_name(format!("={name}"))
        .set_mode(ChunkMode::Text);
    let function = chunk.into_function().map_err(|error| error.to_string())?;
    let bytes = function.dump(false);
    let mut found = Vec::new();
    let mut reader = Reader {
        rest: bytes.get(HEADER..).unwrap_or_default(),
    };
    reader
        .function(&mut found)
        .ok_or("Lua's compiled form is not the one that is known here")?;
    found.sort_by_key(|global| global.line);
    Ok(found)
}

/// Signature, version, format, byte order, sizes: 12 bytes, the same for all that this compiler makes.
const HEADER: usize = 12;

const GET_GLOBAL: u32 = 5;
const SET_GLOBAL: u32 = 7;

/// Reads what `luaU_dump` writes on a machine with 8-byte pointers.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(head)
    }

    fn int(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    /// A length, then that many items.
    fn each<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.int()?).map(|_| item(self)).collect()
    }

    fn text(&mut self) -> Option<String> {
        let length = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
        let bytes = self.take(length as usize)?;
        let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        Some(String::from_utf8_lossy(text).into_owned())
    }

    fn constant(&mut self) -> Option<String> {
        match self.take(1)?[0] {
            0 => Some(String::new()),
            1 => self.take(1).map(|_| String::new()),
            3 => self.take(8).map(|_| String::new()),
            4 => self.text(),
            _ => None,
        }
    }

    fn function(&mut self, found: &mut Vec<Global>) -> Option<()> {
        self.text()?;
        // First and last line; numbers of upvalues and parameters, varargs, stack.
        self.take(4 + 4 + 4)?;
        let code = self.each(Self::int)?;
        let constants = self.each(Self::constant)?;
        self.each(|reader| reader.function(found))?;
        let lines = self.each(Self::int)?;
        // Names of locals with the range of each, then names of upvalues.
        self.each(|reader| {
            reader.text()?;
            reader.take(8)
        })?;
        self.each(Self::text)?;
        for (instruction, line) in code.iter().zip(lines) {
            let operation = instruction & 0x3f;
            if operation == GET_GLOBAL || operation == SET_GLOBAL {
                found.push(Global {
                    name: constants.get((instruction >> 14) as usize)?.clone(),
                    is_write: operation == SET_GLOBAL,
                    line: line as usize,
                });
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globals_are_found_in_functions_and_branches_and_locals_are_not() {
        let text = "\
local function f(a)
  if a then return function() return KEYS[a] end end
  for i = 1, 2.5 do x = true end
end
local x = 'no'
return f(nil), x, typo.field
";
        let global = |name: &str, is_write, line| Global {
            name: name.to_string(),
            is_write,
            line,
        };
        let expected = [
            global("KEYS", false, 2),
            global("x", true, 3),
            global("typo", false, 6),
        ];
        assert_eq!(globals("f", text).unwrap(), expected);
    }

    #[test]
    fn what_does_not_compile_is_an_error_that_names_the_line() {
        let error = globals("f", "local x = 1\nlocal y = x // 2\n").unwrap_err();
        assert!(error.contains("f:2: unexpected symbol near '/'"), "{error}");
    }
}
