//! The words of a Lua 5.1 text, as far as the rules of the bundle need them.

use crate::command::Outcome;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Name,
    Number,
    /// What stands between the quotes, as it is written.
    Text,
    Symbol,
}

/// One token, and the line where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub line: usize,
}

impl Token<'_> {
    /// Whether it is this name or symbol.
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Name | Kind::Symbol) && self.text == text
    }
}

/// The tokens of a text, comments left out. Long strings and long comments are not used.
pub fn tokens(text: &str) -> Outcome<Vec<Token<'_>>> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let mut rest = line.trim_start();
        while !rest.is_empty() {
            let (kind, from, length) = first(rest, number)?;
            if kind == Kind::Symbol && rest.starts_with("--") {
                break;
            }
            let text = &rest[from..from + length];
            found.push(Token {
                kind,
                text,
                line: number,
            });
            rest = rest[length + 2 * from..].trim_start();
        }
    }
    Ok(found)
}

/// The kind of the first token, where its text begins (1 behind a quote), and how long that is.
fn first(rest: &str, line: usize) -> Outcome<(Kind, usize, usize)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = |belongs: &dyn Fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    let head = rest.chars().next().unwrap_or(' ');
    if rest.starts_with("[[") || rest.starts_with("[=") || rest.starts_with("--[") {
        return Err(format!(
            "line {line}: long strings and comments are not used"
        ));
    }
    Ok(match head {
        'a'..='z' | 'A'..='Z' | '_' => (Kind::Name, 0, length(&is_name)),
        '0'..='9' => (Kind::Number, 0, length(&|c| is_name(c) || c == '.')),
        '\'' | '"' => (Kind::Text, 1, quoted(rest, head, line)?),
        _ => {
            let symbols = ["...", "..", "==", "~=", "<=", ">=", "--"];
            let long = symbols.iter().find(|symbol| rest.starts_with(**symbol));
            (
                Kind::Symbol,
                0,
                long.map_or(head.len_utf8(), |symbol| symbol.len()),
            )
        }
    })
}

/// How long the text between quotes is.
fn quoted(rest: &str, quote: char, line: usize) -> Outcome<usize> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && !escaped {
            return Ok(at - 1);
        }
        escaped = c == '\\' && !escaped;
    }
    Err(format!("line {line}: a string does not end"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_into_names_numbers_strings_and_symbols() {
        let found =
            tokens("local x = 'a\\'--b' .. y[1] -- not this\n  return x ~= 0x1f, '', \"it's\"\n");
        let found = found.unwrap();
        let shown: Vec<(Kind, &str, usize)> =
            found.iter().map(|t| (t.kind, t.text, t.line)).collect();
        use Kind::{Name, Number, Symbol, Text};
        assert_eq!(
            shown,
            [
                (Name, "local", 1),
                (Name, "x", 1),
                (Symbol, "=", 1),
                (Text, "a\\'--b", 1),
                (Symbol, "..", 1),
                (Name, "y", 1),
                (Symbol, "[", 1),
                (Number, "1", 1),
                (Symbol, "]", 1),
                (Name, "return", 2),
                (Name, "x", 2),
                (Symbol, "~=", 2),
                (Number, "0x1f", 2),
                (Symbol, ",", 2),
                (Text, "", 2),
                (Symbol, ",", 2),
                (Text, "it's", 2),
            ]
        );
    }

    #[test]
    fn long_strings_and_open_strings_are_errors() {
        for text in ["x = [[a]]", "--[[ a", "x = [==[a]==]"] {
            let error = tokens(text).unwrap_err();
            assert_eq!(error, "line 1: long strings and comments are not used");
        }
        assert_eq!(
            tokens("x = 'a").unwrap_err(),
            "line 1: a string does not end"
        );
    }
}
