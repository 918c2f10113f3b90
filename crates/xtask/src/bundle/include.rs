//! Scripts with their fragments put in.

use super::tokens::{Kind, tokens};
use crate::command::Outcome;
use std::collections::{BTreeMap, BTreeSet};

/// What stands before the name of a fragment, in a line of its own.
const INCLUDE: &str = "-- @include ";

/// Fragments by name.
pub type Fragments = BTreeMap<String, Fragment>;

/// A file of `lua/include`: declarations, each with the comment above it.
pub struct Fragment {
    declarations: Vec<Declaration>,
}

struct Declaration {
    names: BTreeSet<String>,
    code: String,
}

impl Fragment {
    /// Reads a fragment, which holds nothing but local declarations and comments.
    pub fn read(text: &str) -> Outcome<Self> {
        let mut declarations: Vec<Declaration> = Vec::new();
        for line in text.lines().filter(|line| is_code(line)) {
            if line.starts_with("local ") {
                declarations.push(Declaration {
                    names: declared(line)?,
                    code: String::new(),
                });
            } else if !line.starts_with([' ', '}', ')']) && line != "end" {
                return Err(format!("a fragment holds only local declarations: {line}"));
            }
            let Some(last) = declarations.last_mut() else {
                return Err(format!("a fragment begins with a declaration: {line}"));
            };
            last.code += &format!("{line}\n");
        }
        if text.lines().any(|line| line.starts_with(INCLUDE)) {
            return Err("a fragment includes nothing".into());
        }
        Ok(Self { declarations })
    }
}

/// The script that is shipped: its first line, then its code and, where they are included, the
/// declarations of the fragments that the code behind them uses; no comments and no empty lines.
pub fn expand(script: &str, fragments: &Fragments) -> Outcome<String> {
    let mut included = BTreeSet::new();
    let mut parts = Vec::new();
    for line in script.lines().skip(1) {
        if let Some(name) = line.strip_prefix(INCLUDE) {
            let fragment = (fragments.get(name))
                .ok_or_else(|| format!("lua/include/{name}.lua is missing"))?;
            if !included.insert(name) {
                return Err(format!("{name} is included twice"));
            }
            parts.extend(fragment.declarations.iter().map(Part::Declaration));
        } else if is_code(line) {
            parts.push(Part::Line(line));
        }
    }
    let first = script.lines().next().unwrap_or_default();
    Ok(format!("{first}\n{}", used(&parts)?))
}

/// What a script consists of.
enum Part<'a> {
    Line(&'a str),
    Declaration(&'a Declaration),
}

/// All lines, and the declarations that something behind them uses.
fn used(parts: &[Part]) -> Outcome<String> {
    let mut wanted = BTreeSet::new();
    let mut kept = Vec::new();
    for part in parts.iter().rev() {
        let code = match part {
            Part::Line(line) => format!("{line}\n"),
            Part::Declaration(one) if one.names.is_disjoint(&wanted) => continue,
            Part::Declaration(one) => one.code.clone(),
        };
        wanted.extend(names_in(&code)?);
        kept.push(code);
    }
    Ok(kept.into_iter().rev().collect())
}

fn names_in(code: &str) -> Outcome<BTreeSet<String>> {
    let all = tokens(code)?;
    let names = all.iter().filter(|token| token.kind == Kind::Name);
    Ok(names.map(|token| token.text.to_string()).collect())
}

/// The names that a line which begins with `local` declares.
fn declared(line: &str) -> Outcome<BTreeSet<String>> {
    let all = tokens(line)?;
    let behind = if all.get(1).is_some_and(|token| token.is("function")) {
        &all[2..3]
    } else {
        let end = all.iter().position(|token| token.is("="));
        &all[1..end.unwrap_or(all.len())]
    };
    let names = behind.iter().filter(|token| token.kind == Kind::Name);
    Ok(names.map(|token| token.text.to_string()).collect())
}

fn is_code(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with("--")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: &str = "\
-- Numbers.
local bad

local function refuse(text)
  -- Why.
  return text
end

local function whole(i)
  bad = refuse(i)
end

local function never() return nil end
";

    fn fragments() -> Fragments {
        let state = "local a, b = 1, 2\nlocal c = {\n  1,\n}\n";
        [("numbers", NUMBERS), ("state", state)]
            .map(|(name, text)| (name.to_string(), Fragment::read(text).unwrap()))
            .into()
    }

    fn error(script: &str) -> String {
        expand(script, &fragments()).unwrap_err()
    }

    #[test]
    fn an_include_is_replaced_by_what_the_script_uses_of_the_fragment() {
        let script =
            "-- x: about\n-- more\n\n-- @include state\n-- @include numbers\n\n-- Why.\nwhole(b)\n";
        assert_eq!(
            expand(script, &fragments()).unwrap(),
            "\
-- x: about
local a, b = 1, 2
local bad
local function refuse(text)
  return text
end
local function whole(i)
  bad = refuse(i)
end
whole(b)
"
        );
        let below = "-- x: about\n-- @include numbers\nif b() then return end\n-- @include state\nreturn a\n";
        assert_eq!(
            expand(below, &fragments()).unwrap(),
            "-- x: about\nif b() then return end\nlocal a, b = 1, 2\nreturn a\n"
        );
        let multi = "-- x: about\n-- @include state\nreturn c\n";
        assert_eq!(
            expand(multi, &fragments()).unwrap(),
            "-- x: about\nlocal c = {\n  1,\n}\nreturn c\n"
        );
    }

    #[test]
    fn an_include_must_exist_and_be_once() {
        assert_eq!(
            error("-- x: a\n-- @include nothing\n"),
            "lua/include/nothing.lua is missing"
        );
        assert_eq!(
            error("-- x: a\n-- @include state\n-- @include state\n"),
            "state is included twice"
        );
    }

    #[test]
    fn a_fragment_holds_only_declarations_and_includes_nothing() {
        let of = |text: &str| Fragment::read(text).err().unwrap();
        assert_eq!(
            of("local x\nreturn x\n"),
            "a fragment holds only local declarations: return x"
        );
        assert_eq!(
            of("function f() end\n"),
            "a fragment holds only local declarations: function f() end"
        );
        assert_eq!(of("  x()\n"), "a fragment begins with a declaration:   x()");
        assert_eq!(
            of("local x\n-- @include state\n"),
            "a fragment includes nothing"
        );
    }
}
