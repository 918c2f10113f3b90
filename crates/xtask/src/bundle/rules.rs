//! What every script of the bundle keeps to, as far as its text shows it.

use super::globals::globals;
use super::header::Header;
use super::tokens::{Kind, Token, tokens};
use crate::command::Outcome;
use std::collections::BTreeSet;

/// What a script may read; it writes no global.
const GLOBALS: [&str; 12] = [
    "KEYS", "ARGV", "redis", "string", "math", "table", "tonumber", "ipairs", "pairs", "type",
    "unpack", "select",
];

/// Of the libraries: what Lua 5.1 and 5.4 have alike, no chance, nothing that follows the server's
/// locale, and integers in and out.
const FIELDS: [(&str, &[&str]); 4] = [
    ("redis", &["call", "pcall", "error_reply"]),
    (
        "string",
        &[
            "byte", "char", "find", "format", "gmatch", "gsub", "match", "rep", "sub",
        ],
    ),
    ("math", &["ceil", "floor", "huge", "max", "min"]),
    ("table", &["concat", "insert", "remove", "unpack"]),
];

/// The commands that the differential tests know, and that every server of the matrix has.
const COMMANDS: [&str; 11] = [
    "EXISTS", "HDEL", "HGET", "HGETALL", "HLEN", "HMGET", "HSET", "PEXPIRE", "PTTL", "TIME", "TYPE",
];

/// Fails at the first rule that the text, as it is shipped, breaks.
pub fn check(name: &str, header: &Header, text: &str) -> Outcome<()> {
    bytes(text)?;
    let all = tokens(text)?;
    names_of_globals(name, text)?;
    fields(&all, text)?;
    keys(&all, text)?;
    calls(&all, text)?;
    errors(&all, header)?;
    words(&all, header)
}

fn bytes(text: &str) -> Outcome<()> {
    let is_plain = |c: char| c == '\n' || c == ' ' || c.is_ascii_graphic();
    if let Some(line) = text.lines().find(|line| !line.chars().all(is_plain)) {
        return Err(format!("only ASCII without control characters: {line}"));
    }
    match text.contains('\r') || !text.ends_with('\n') || text.ends_with("\n\n") {
        true => Err("lines end with LF, the last one too".into()),
        false => Ok(()),
    }
}

fn names_of_globals(name: &str, text: &str) -> Outcome<()> {
    for global in globals(name, text)? {
        if global.is_write {
            return Err(at(
                text,
                global.line,
                &format!("{} is written, a global", global.name),
            ));
        }
        if !GLOBALS.contains(&&*global.name) {
            return Err(at(
                text,
                global.line,
                &format!("the global {} is not for scripts", global.name),
            ));
        }
    }
    Ok(())
}

/// A library is used only for a field, named where it is used.
fn fields(all: &[Token], text: &str) -> Outcome<()> {
    for (index, token) in all.iter().enumerate() {
        let library = FIELDS.iter().find(|(library, _)| token.is(library));
        let is_field = index > 0 && (all[index - 1].is(".") || all[index - 1].is(":"));
        let Some((library, known)) = library.filter(|_| !is_field) else {
            continue;
        };
        let field = match all.get(index + 1..index + 3) {
            Some([dot, field]) if dot.is(".") => field.text,
            _ => "",
        };
        if !known.contains(&field) {
            return Err(at(
                text,
                token.line,
                &format!("{library}.{field} is not for scripts"),
            ));
        }
    }
    Ok(())
}

/// `KEYS` is only counted, or read as `KEYS[1]`.
fn keys(all: &[Token], text: &str) -> Outcome<()> {
    for (index, token) in all.iter().enumerate().filter(|(_, token)| token.is("KEYS")) {
        let is_counted = index > 0 && all[index - 1].is("#");
        if !is_counted && !is_key(&all[index..]) {
            return Err(at(text, token.line, "the key is written as KEYS[1]"));
        }
    }
    Ok(())
}

fn is_key(from: &[Token]) -> bool {
    matches!(from, [keys, open, one, close, ..]
        if keys.is("KEYS") && open.is("[") && one.text == "1" && close.is("]"))
}

/// Each call of the server names a known command, and `KEYS[1]` behind it.
fn calls(all: &[Token], text: &str) -> Outcome<()> {
    for (index, token) in all.iter().enumerate() {
        let is_call =
            (token.is("call") || token.is("pcall")) && index > 0 && all[index - 1].is(".");
        if !is_call {
            continue;
        }
        let (open, command, rest) = match &all[index + 1..] {
            [open, command, rest @ ..] => (open, command, rest),
            _ => return Err(at(text, token.line, "a call needs a command")),
        };
        let named = open.is("(") && command.kind == Kind::Text;
        if !named || !COMMANDS.contains(&command.text) {
            return Err(at(
                text,
                token.line,
                "a call names one of the known commands",
            ));
        }
        let has_key = rest.first().is_some_and(|comma| comma.is(",")) && is_key(&rest[1..]);
        if command.text != "TIME" && !has_key {
            return Err(at(
                text,
                token.line,
                "the first argument of a command is KEYS[1]",
            ));
        }
    }
    Ok(())
}

/// `Errors` names what the script can be refused with, no more and no less.
fn errors(all: &[Token], header: &Header) -> Outcome<()> {
    let refused = all
        .windows(3)
        .filter(|three| three[0].is("refuse") && three[1].is("(") && three[2].kind == Kind::Text);
    let body: BTreeSet<String> = refused
        .map(|three| format!("POINTSMAN_{}", three[2].text))
        .collect();
    same("Errors", header.errors.iter().cloned().collect(), body)?;
    match all.iter().filter(|token| token.is("error_reply")).count() {
        0 | 1 => Ok(()),
        _ => Err("an error reply is made by `refuse` alone".into()),
    }
}

/// Each word of `Returns` stands in the body, and each reply of the body begins with one of them.
fn words(all: &[Token], header: &Header) -> Outcome<()> {
    let promised: BTreeSet<String> = header.words().into_iter().collect();
    let begins = all.windows(5).filter(|five| {
        five[0].is("{")
            && five[1].kind == Kind::Text
            && five[2].is(",")
            && five[3].text == "1"
            && five[4].is(",")
    });
    let answered: BTreeSet<String> = begins.map(|five| five[1].text.to_string()).collect();
    let texts: BTreeSet<&str> = (all.iter().filter(|token| token.kind == Kind::Text))
        .map(|token| token.text)
        .collect();
    let elsewhere = promised
        .iter()
        .filter(|word| texts.contains(&***word))
        .cloned();
    same(
        "Returns",
        promised.clone(),
        answered.into_iter().chain(elsewhere).collect(),
    )
}

/// Fails where the header and the body say different things.
fn same(part: &str, header: BTreeSet<String>, body: BTreeSet<String>) -> Outcome<()> {
    if let Some(word) = header.difference(&body).next() {
        return Err(format!("`{part}` has {word}, but the body does not"));
    }
    match body.difference(&header).next() {
        Some(word) => Err(format!("the body has {word}, but `{part}` does not")),
        None => Ok(()),
    }
}

/// What is wrong, and the line where it is.
fn at(text: &str, line: usize, what: &str) -> String {
    let shown = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    format!("{what}: {}", shown.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "\
-- x: about
-- KEYS[1] key hash about
-- Returns {\"granted\", 1, now_ms} | {\"wait\", 1, now_ms}
-- Errors POINTSMAN_ARG POINTSMAN_KEYS
local function refuse(word, text)
  return redis.error_reply('POINTSMAN_' .. word .. ' ' .. text)
end
if #KEYS ~= 1 then return refuse('KEYS', 'x') end
local n = tonumber(ARGV[1])
if not n then return refuse('ARG', string.format('%d', 1)) end
local now = redis.call('TIME')
local found = redis.pcall('HGET', KEYS[1], 's')
if found then return {n > 2 and 'wait' or 'granted', 1, n} end
return {'granted', 1, n}
";

    fn checked(text: &str) -> Outcome<()> {
        check("x", &Header::read("x", SCRIPT).unwrap(), text)
    }

    /// What is wrong with the script once `from` is replaced.
    fn error(from: &str, to: &str) -> String {
        assert!(SCRIPT.contains(from), "{from}");
        checked(&SCRIPT.replacen(from, to, 1)).unwrap_err()
    }

    #[test]
    fn a_script_that_keeps_to_the_rules_passes() {
        assert_eq!(checked(SCRIPT), Ok(()));
    }

    #[test]
    fn a_text_is_plain_ascii_with_lf() {
        assert_eq!(
            error("'x'", "'\u{e9}'").split(':').next(),
            Some("only ASCII without control characters")
        );
        assert_eq!(
            error("  return", "\treturn").split(':').next(),
            Some("only ASCII without control characters")
        );
        assert_eq!(
            checked(SCRIPT.trim_end()).unwrap_err(),
            "lines end with LF, the last one too"
        );
        assert_eq!(
            checked(&SCRIPT.replace('\n', "\r\n")).unwrap_err(),
            "lines end with LF, the last one too"
        );
        assert_eq!(
            checked(&format!("{SCRIPT}\n")).unwrap_err(),
            "lines end with LF, the last one too"
        );
    }

    #[test]
    fn only_the_known_globals_are_read_and_none_is_written() {
        for (code, name) in [
            ("tostring(ARGV[1])", "tostring"),
            ("cjson.decode(ARGV[1])", "cjson"),
            ("found", "found"),
            ("bit.bor(1, 2)", "bit"),
            ("error('x')", "error"),
            ("pcall(refuse)", "pcall"),
        ] {
            let told = error("tonumber(ARGV[1])", code);
            assert_eq!(
                told,
                format!("the global {name} is not for scripts: local n = {code}")
            );
        }
        assert_eq!(
            error("local now", "now"),
            "now is written, a global: now = redis.call('TIME')"
        );
    }

    #[test]
    fn only_the_known_fields_of_a_library_are_used() {
        for (code, field) in [
            ("math.random(5)", "math.random"),
            ("table.sort(ARGV)", "table.sort"),
            ("redis.sha1hex('')", "redis.sha1hex"),
            ("string", "string."),
            ("redis['call']", "redis."),
        ] {
            let told = error("tonumber(ARGV[1])", code);
            assert_eq!(
                told,
                format!("{field} is not for scripts: local n = {code}")
            );
        }
    }

    #[test]
    fn the_key_is_written_where_it_is_used() {
        let whole = "redis.pcall('HGET', KEYS[1], 's')";
        for (code, what) in [
            (
                "redis.pcall('HGET', KEYS[2], 's')",
                "the key is written as KEYS[1]",
            ),
            ("unpack(KEYS)", "the key is written as KEYS[1]"),
            (
                "redis.pcall('HGET', n, KEYS[1])",
                "the first argument of a command is KEYS[1]",
            ),
            (
                "redis.pcall('HGET')",
                "the first argument of a command is KEYS[1]",
            ),
            (
                "redis.pcall('GET', KEYS[1])",
                "a call names one of the known commands",
            ),
            (
                "redis.pcall(n, KEYS[1])",
                "a call names one of the known commands",
            ),
            ("redis.pcall", "a call names one of the known commands"),
        ] {
            assert_eq!(error(whole, code), format!("{what}: local found = {code}"));
        }
    }

    #[test]
    fn errors_are_those_of_the_header() {
        assert_eq!(
            error("refuse('ARG'", "refuse('DATA'"),
            "`Errors` has POINTSMAN_ARG, but the body does not"
        );
        assert_eq!(
            error(
                "local now",
                "if n < 0 then return refuse('DATA', '') end\nlocal now"
            ),
            "the body has POINTSMAN_DATA, but `Errors` does not"
        );
        assert_eq!(
            error(
                "local now",
                "if n < 0 then return redis.error_reply('X') end\nlocal now"
            ),
            "an error reply is made by `refuse` alone"
        );
    }

    #[test]
    fn the_words_of_replies_are_those_of_the_header() {
        assert_eq!(
            error("'wait'", "'granted'"),
            "`Returns` has wait, but the body does not"
        );
        assert_eq!(
            error("return {'granted'", "return {'given'"),
            "the body has given, but `Returns` does not"
        );
    }
}
