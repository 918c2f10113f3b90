use alloc::string::{String, ToString};
use core::fmt;

/// An argument that cannot be used: which one, what it was, and what it must be.
///
/// Nothing has changed where this is returned. "Not now" and "never" are outcomes, not errors.
///
/// ```
/// let error = pointsman::pick("", &["a", "b"]).unwrap_err();
/// assert_eq!(error.to_string(), "key is empty, but must be 1 to 1048576 bytes long");
/// assert_eq!(error.argument(), "key");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    argument: &'static str,
    value: Value,
    bound: Bound,
}

impl Error {
    /// The argument, by its name in Rust.
    pub fn argument(&self) -> &str {
        self.argument
    }

    /// What the argument was, shortened where it is long.
    pub fn value(&self) -> String {
        self.value.to_string()
    }

    /// What the argument must be.
    pub fn bound(&self) -> String {
        self.bound.to_string()
    }

    pub(crate) fn new(argument: &'static str, value: Value, bound: Bound) -> Self {
        Self {
            argument,
            value,
            bound,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            argument,
            value,
            bound,
        } = self;
        write!(f, "{argument} is {value}, but must be {bound}")
    }
}

impl core::error::Error for Error {}

/// What an argument was. Put into words only when somebody reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Empty,
    Number(u64),
    List(usize),
    Bytes(usize),
    Text(String),
}

impl Value {
    /// A text: its beginning, without control characters.
    pub(crate) fn text(text: &str) -> Self {
        const SHOWN: usize = 40;
        let mut shown = String::new();
        for (at, character) in text.chars().enumerate().take(SHOWN + 1) {
            shown.push(match character {
                _ if at == SHOWN => '…',
                character if character.is_control() => '\u{fffd}',
                character => character,
            });
        }
        Self::Text(shown)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("empty"),
            Self::Number(number) => write!(f, "{number}"),
            Self::List(count) => write!(f, "a list of {count}"),
            Self::Bytes(count) => write!(f, "{count} bytes long"),
            Self::Text(text) => write!(f, "\"{text}\""),
        }
    }
}

/// What an argument must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    Whole { min: u64, max: u64 },
    Bytes { min: usize, max: usize },
    List { max: usize },
    OneForEach { count: usize, of: &'static str },
    Words(&'static str),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Bytes { min, max } => write!(f, "{min} to {max} bytes long"),
            Self::List { max } => write!(f, "a list of at most {max}"),
            Self::OneForEach { count, of } => write!(f, "a list of {count}, one for each {of}"),
            Self::Words(words) => f.write_str(words),
        }
    }
}
