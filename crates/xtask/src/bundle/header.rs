//! What the comment above a script says: the contract for those who call it.

use super::ERRORS;
use crate::command::Outcome;
use serde::Serialize;

/// What a key or an argument may be called as a type.
const TYPES: [&str; 4] = ["hash", "int", "text", "word"];

/// The key, or an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Input {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it and those behind it stand there as often as the caller needs.
    #[serde(skip_serializing_if = "is_false")]
    pub repeats: bool,
    pub about: String,
}

/// A header, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub about: String,
    pub key: Input,
    pub args: Vec<Input>,
    pub returns: String,
    pub errors: Vec<String>,
}

impl Header {
    /// Reads the header of the script `name`.
    pub fn read(name: &str, script: &str) -> Outcome<Self> {
        let paragraphs = paragraphs(script);
        let begin = format!("{name}: ");
        let about = paragraphs
            .first()
            .and_then(|first| first.strip_prefix(&begin));
        let about = about.ok_or_else(|| format!("line 1 must begin with `-- {begin}`"))?;
        let one = |label: &str| -> Outcome<&str> {
            let mut found = (paragraphs.iter()).filter_map(|text| text.strip_prefix(label));
            match (found.next(), found.next()) {
                (Some(text), None) => Ok(text.trim_start()),
                (None, _) => Err(format!("the header has no `{}`", label.trim())),
                _ => Err(format!("the header has `{}` twice", label.trim())),
            }
        };
        Ok(Self {
            about: about.to_string(),
            key: input(one("KEYS[1] ")?, false)?,
            args: arguments(&paragraphs)?,
            returns: one("Returns ")?.to_string(),
            errors: errors(one("Errors ")?)?,
        })
    }

    /// The words that replies begin with, as `Returns` has them.
    pub fn words(&self) -> Vec<String> {
        let words = self.returns.split("{\"").skip(1);
        let words = words.filter_map(|text| text.split('"').next());
        words.map(str::to_string).collect()
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

/// The comment above the code, a line that goes on being joined to the one before it.
fn paragraphs(script: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in script.lines().map_while(|line| line.strip_prefix("--")) {
        match (line.strip_prefix("  "), found.last_mut()) {
            (Some(more), Some(last)) => *last += &format!(" {}", more.trim_start()),
            _ if line.is_empty() => {}
            _ => found.push(line.trim_start().to_string()),
        }
    }
    found
}

/// The arguments, which must be numbered as they stand; those that repeat are the last.
fn arguments(paragraphs: &[String]) -> Outcome<Vec<Input>> {
    let mut found: Vec<Input> = Vec::new();
    for text in paragraphs
        .iter()
        .filter_map(|text| text.strip_prefix("ARGV["))
    {
        let number = found.len() + 1;
        let once = text.strip_prefix(&format!("{number}] "));
        let often = text.strip_prefix(&format!("{number}+] "));
        let (text, repeats) = match (once, often) {
            (Some(text), _) => (text, false),
            (_, Some(text)) => (text, true),
            _ => {
                return Err(format!(
                    "ARGV[{number}] is not where it should be: ARGV[{text}"
                ));
            }
        };
        if found.last().is_some_and(|last| last.repeats && !repeats) {
            return Err(format!("ARGV[{number}] stands behind one that repeats"));
        }
        found.push(input(text, repeats)?);
    }
    Ok(found)
}

fn input(text: &str, repeats: bool) -> Outcome<Input> {
    let mut parts = text.trim_start().splitn(2, ' ');
    let name = parts.next().unwrap_or_default();
    let rest = parts.next().unwrap_or_default().trim_start();
    let (kind, about) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(format!("`{name}` is no name for a key or an argument"));
    }
    if !TYPES.contains(&kind) {
        return Err(format!("{name} is `{kind}`, but must be one of {TYPES:?}"));
    }
    if about.is_empty() {
        return Err(format!("{name} is not described"));
    }
    Ok(Input {
        name: name.to_string(),
        kind: kind.to_string(),
        repeats,
        about: about.trim_start().to_string(),
    })
}

fn errors(text: &str) -> Outcome<Vec<String>> {
    let words: Vec<String> = text.split_whitespace().map(str::to_string).collect();
    for word in &words {
        let known = word
            .strip_prefix("POINTSMAN_")
            .is_some_and(|word| ERRORS.contains(&word));
        if !known {
            return Err(format!("{word} is none of the known errors {ERRORS:?}"));
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "\
-- take: takes a cost.
--
-- KEYS[1]  limit   hash  one limit
-- ARGV[1]  now_ms  int   0: the server's clock,
--                        else an instant
-- ARGV[2+] name    text  the name of a limit
-- ARGV[3+] cost    int   what it costs
--
-- A refusal writes nothing.
--
-- Returns  {\"granted\", 1, now_ms, {no}} |
--          {\"wait\", 1, now_ms, \":limit\"}: not the caller's turn
-- Errors   POINTSMAN_ARG POINTSMAN_KEYS
-- Cost     O(1)

-- ARGV[9] is not read any more
";

    fn input(name: &str, kind: &str, repeats: bool, about: &str) -> Input {
        Input {
            name: name.to_string(),
            kind: kind.to_string(),
            repeats,
            about: about.to_string(),
        }
    }

    /// What is wrong with the header once `from` is replaced.
    fn error(from: &str, to: &str) -> String {
        assert!(SCRIPT.contains(from), "{from}");
        Header::read("take", &SCRIPT.replacen(from, to, 1)).unwrap_err()
    }

    #[test]
    fn a_header_is_read() {
        let header = Header::read("take", SCRIPT).unwrap();
        assert_eq!(
            header,
            Header {
                about: "takes a cost.".into(),
                key: input("limit", "hash", false, "one limit"),
                args: vec![
                    input(
                        "now_ms",
                        "int",
                        false,
                        "0: the server's clock, else an instant"
                    ),
                    input("name", "text", true, "the name of a limit"),
                    input("cost", "int", true, "what it costs"),
                ],
                returns: "{\"granted\", 1, now_ms, {no}} | {\"wait\", 1, now_ms, \":limit\"}: not the caller's turn"
                    .into(),
                errors: vec!["POINTSMAN_ARG".into(), "POINTSMAN_KEYS".into()],
            }
        );
        assert_eq!(header.words(), ["granted", "wait"]);
    }

    #[test]
    fn each_part_of_a_header_must_be_there_once() {
        assert_eq!(
            error("-- take: ", "-- taken: "),
            "line 1 must begin with `-- take: `"
        );
        assert_eq!(
            error("-- KEYS[1]", "-- KEYS"),
            "the header has no `KEYS[1]`"
        );
        assert_eq!(
            error("-- Returns", "-- Return"),
            "the header has no `Returns`"
        );
        assert_eq!(error("-- Errors", "-- Error"), "the header has no `Errors`");
        assert_eq!(
            error("-- Cost ", "-- Errors "),
            "the header has `Errors` twice"
        );
    }

    #[test]
    fn arguments_are_numbered_in_order_and_those_that_repeat_are_last() {
        assert_eq!(
            error("ARGV[1] ", "ARGV[2] "),
            "ARGV[1] is not where it should be: ARGV[2]  now_ms  int   0: the server's clock, else an instant"
        );
        assert_eq!(
            error("ARGV[3+]", "ARGV[3] "),
            "ARGV[3] stands behind one that repeats"
        );
    }

    #[test]
    fn an_argument_has_a_name_a_type_and_a_description() {
        assert_eq!(
            error("now_ms ", "now-ms "),
            "`now-ms` is no name for a key or an argument"
        );
        assert_eq!(
            error("text", "string"),
            "name is `string`, but must be one of [\"hash\", \"int\", \"text\", \"word\"]"
        );
        assert_eq!(error("  what it costs", ""), "cost is not described");
    }

    #[test]
    fn an_error_is_one_of_the_known_words() {
        let told = error("POINTSMAN_KEYS", "POINTSMAN_KEY");
        assert!(
            told.starts_with("POINTSMAN_KEY is none of the known errors"),
            "{told}"
        );
        let told = error("POINTSMAN_KEYS", "KEYS");
        assert!(
            told.starts_with("KEYS is none of the known errors"),
            "{told}"
        );
    }
}
