//! How an operation becomes arguments, and a reply an outcome. No input or output here.

use crate::Error;
use crate::key::Key;
use crate::script::Script;
use pointsman::bounds::{MAX_MS, MAX_WHOLE};
use redis::Value;
use std::slice::Iter;

/// From here on a whole number comes as text.
const TEXT_FROM: u64 = 1 << 52;

/// One operation of the bundle: what it sends, and what the answers come to. Implemented by the
/// operations of this crate only.
pub trait Operation {
    /// What it answers.
    type Outcome;

    #[doc(hidden)]
    const SCRIPT: &'static Script;

    #[doc(hidden)]
    fn key(&self) -> &Key;

    /// All arguments behind `now_ms` and `deadline_ms`.
    #[doc(hidden)]
    fn arguments(&self, to: &mut Arguments) -> Result<(), Error>;

    #[doc(hidden)]
    fn read(&self, reply: &Reply) -> Result<Self::Outcome, Error>;

    /// What follows on a reply. `earlier`: those before it, of the same request.
    #[doc(hidden)]
    fn next(&self, reply: &Reply, _earlier: &[Reply]) -> Result<Next<Self::Outcome>, Error> {
        self.read(reply).map(Next::Done)
    }

    /// The outcome where there is no reply.
    #[doc(hidden)]
    fn failed(&self, error: Error) -> Result<Self::Outcome, Error> {
        Err(error)
    }
}

pub enum Next<T> {
    Done(T),
    Run(&'static Script, Arguments),
}

/// The arguments of a script, in their order.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Arguments(Vec<Vec<u8>>);

impl Arguments {
    pub(crate) fn whole(&mut self, number: u64) -> &mut Self {
        self.text(number.to_string())
    }

    pub(crate) fn text(&mut self, text: impl Into<Vec<u8>>) -> &mut Self {
        self.0.push(text.into());
        self
    }

    pub(crate) fn behind(&self, now_ms: u64, deadline_ms: u64) -> Vec<Vec<u8>> {
        let mut all = Self::default();
        all.whole(now_ms).whole(deadline_ms);
        all.0.extend_from_slice(&self.0);
        all.0
    }
}

/// A reply: `{word, 1, now_ms, version, …}`.
#[derive(Debug)]
pub struct Reply {
    script: &'static Script,
    word: String,
    now_ms: u64,
    version: u64,
    fields: Vec<Value>,
}

impl Reply {
    pub(crate) fn new(script: &'static Script, value: Value) -> Result<Self, Error> {
        let Value::Array(mut all) = value else {
            return Err(Error::unreadable(script, "it is no array".into()));
        };
        let fields = all.split_off(all.len().min(4));
        let mut head = Fields {
            script,
            all: all.iter(),
        };
        let word = head.word("the outcome")?;
        head.within("the protocol", 1, 1)?;
        let now_ms = head.within("now_ms", 0, MAX_MS)?;
        let version = head.whole("version")?;
        Ok(Self {
            script,
            word,
            now_ms,
            version,
            fields,
        })
    }

    pub(crate) fn word(&self) -> &str {
        &self.word
    }

    /// The instant that the script used.
    pub(crate) fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// The version of the rules in force.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// What stands behind the version.
    pub(crate) fn fields(&self) -> Fields<'_> {
        Fields {
            script: self.script,
            all: self.fields.iter(),
        }
    }

    /// The same, of a family that has no version.
    pub(crate) fn unversioned(&self) -> Result<Fields<'_>, Error> {
        match self.version {
            0 => Ok(self.fields()),
            version => self.unreadable(&format!("version is {version}, but must be 0")),
        }
    }

    /// The outcome of a reply that has nothing more to say.
    pub(crate) fn only<T>(&self, outcome: T) -> Result<T, Error> {
        self.fields().end(outcome)
    }

    pub(crate) fn unknown_word<T>(&self) -> Result<T, Error> {
        self.unreadable(&format!("{:?} is no outcome of it", self.word))
    }

    pub(crate) fn unreadable<T>(&self, text: &str) -> Result<T, Error> {
        Err(Error::unreadable(self.script, text.into()))
    }
}

/// The fields of a reply, read in their order.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    script: &'static Script,
    all: Iter<'a, Value>,
}

impl<'a> Fields<'a> {
    /// A whole number below 2^53, of 0 and more.
    pub(crate) fn whole(&mut self, name: &str) -> Result<u64, Error> {
        let value = self.next(name)?;
        let number = match value {
            Value::Int(number) => u64::try_from(*number).ok().filter(|n| *n < TEXT_FROM),
            Value::BulkString(text) => large(text),
            _ => None,
        };
        number.ok_or_else(|| self.wrong(name, value, "a whole number from 0 to 2^53 - 1"))
    }

    /// A whole number within bounds.
    pub(crate) fn within(&mut self, name: &str, min: u64, max: u64) -> Result<u64, Error> {
        let value = self.clone().next(name)?;
        match self.whole(name)? {
            number if number >= min && number <= max => Ok(number),
            _ => Err(self.wrong(name, value, &format!("from {min} to {max}"))),
        }
    }

    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, Error> {
        match self.next(name)? {
            Value::Int(0) => Ok(false),
            Value::Int(1) => Ok(true),
            value => Err(self.wrong(name, value, "0 or 1")),
        }
    }

    /// A place in a list of `count`, or `None` for -1.
    pub(crate) fn index(&mut self, name: &str, count: usize) -> Result<Option<usize>, Error> {
        let value = self.next(name)?;
        let Value::Int(number) = *value else {
            return Err(self.wrong(name, value, "a place in the list"));
        };
        match usize::try_from(number) {
            Ok(index) if index < count => Ok(Some(index)),
            Err(_) if number == -1 => Ok(None),
            _ => Err(self.wrong(name, value, "a place in the list")),
        }
    }

    /// A free name, which stands behind a colon.
    pub(crate) fn name(&mut self, name: &str) -> Result<String, Error> {
        let value = self.next(name)?;
        let text = match value {
            Value::BulkString(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        };
        match text.and_then(|text| text.strip_prefix(':')) {
            Some(text) if !text.is_empty() => Ok(text.into()),
            _ => Err(self.wrong(name, value, "a name behind a colon")),
        }
    }

    /// A word of the library's own.
    pub(crate) fn word(&mut self, name: &str) -> Result<String, Error> {
        let value = self.next(name)?;
        let text = match value {
            Value::BulkString(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        };
        let is_word = |text: &&str| {
            let mut letters = text.bytes();
            !text.is_empty() && letters.all(|letter| matches!(letter, b'a'..=b'z' | b'_'))
        };
        match text.filter(is_word) {
            Some(text) => Ok(text.into()),
            None => Err(self.wrong(name, value, "a word")),
        }
    }

    /// One of some words of the library's own.
    pub(crate) fn one_of(
        &mut self,
        name: &str,
        words: &[&'static str],
    ) -> Result<&'static str, Error> {
        let value = self.next(name)?;
        let is_it =
            |word: &&&str| matches!(value, Value::BulkString(bytes) if bytes == word.as_bytes());
        match words.iter().find(is_it) {
            Some(word) => Ok(word),
            None => Err(self.wrong(name, value, &words.join(" or "))),
        }
    }

    /// As many as there are.
    pub(crate) fn each<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut all = Vec::with_capacity(self.all.len());
        while self.all.len() > 0 {
            all.push(read(self)?);
        }
        Ok(all)
    }

    /// The next as it is.
    pub(crate) fn next(&mut self, name: &str) -> Result<&'a Value, Error> {
        self.all
            .next()
            .ok_or_else(|| Error::unreadable(self.script, format!("{name} is missing")))
    }

    /// The outcome, if nothing is left.
    pub(crate) fn end<T>(self, outcome: T) -> Result<T, Error> {
        match self.all.len() {
            0 => Ok(outcome),
            more => {
                let text = format!("it has {more} fields too many");
                Err(Error::unreadable(self.script, text))
            }
        }
    }

    pub(crate) fn wrong(&self, name: &str, value: &Value, bound: &str) -> Error {
        let mut shown = format!("{value:?}");
        if shown.len() > 60 {
            shown = shown.chars().take(40).chain("…".chars()).collect();
        }
        let text = format!("{name} is {shown}, but must be {bound}");
        Error::unreadable(self.script, text)
    }
}

/// A whole number in plain decimal digits, from 2^52 on: these have sixteen.
fn large(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let number = text.parse().ok().filter(|_| text.len() == 16)?;
    (TEXT_FROM..=MAX_WHOLE).contains(&number).then_some(number)
}
