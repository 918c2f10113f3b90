use crate::call::{Arguments, Operation, Reply};
use crate::key::Key;
use crate::request::Request;
use crate::script::Script;
use crate::{Error, bundle};
use redis::Value;
use std::sync::Arc;

/// What Redis holds under a key, of whatever family: for people, logs and dashboards. Reads only.
///
/// ```no_run
/// # let mut con = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// if let pointsman_redis::Inspected::Found { family, facts, .. } =
///     pointsman_redis::inspect("limits:acct-1").query(&mut con)?
/// {
///     println!("{family}: {facts:?}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inspect(key: &str) -> Request<Inspect> {
    Request::new(Inspect::of(&Arc::new(Key::new(key))))
}

/// `inspect`: see [`inspect`](crate::inspect()).
#[derive(Debug, Clone)]
pub struct Inspect {
    key: Arc<Key>,
}

/// What [`inspect`](crate::inspect()) answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inspected {
    /// It holds this.
    Found {
        /// The family: `take`, `used`, `lease`, `shuffle`, `repeat` or `links`.
        family: String,
        /// The version of the rules in force, 0 where there is none.
        version: u64,
        /// The instant, on the server's clock.
        now_ms: u64,
        /// Facts, each by its word. Words may be added in later releases, and may come more than
        /// once: they stand in the order of the script's header.
        facts: Vec<(String, Fact)>,
    },
    /// There is no such key.
    Unknown,
}

/// A fact that [`inspect`](crate::inspect()) tells.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// A whole number.
    Number(u64),
    /// A word, or a name.
    Text(String),
}

impl Inspect {
    pub(crate) fn of(key: &Arc<Key>) -> Self {
        Self { key: key.clone() }
    }
}

impl Operation for Inspect {
    type Outcome = Inspected;

    const SCRIPT: &'static Script = &bundle::INSPECT;

    fn key(&self) -> &Key {
        &self.key
    }

    fn arguments(&self, _to: &mut Arguments) -> Result<(), Error> {
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<Inspected, Error> {
        match reply.word() {
            "unknown" => reply.only(Inspected::Unknown),
            "take" | "used" | "lease" | "shuffle" | "repeat" | "links" => {
                let facts = reply.fields().each(|fields| {
                    let word = fields.word("a word")?;
                    let mut ahead = fields.clone();
                    let fact = match ahead.next("a value")? {
                        Value::BulkString(bytes) if bytes.starts_with(b":") => {
                            Fact::Text(fields.name("a name")?)
                        }
                        Value::BulkString(bytes)
                            if bytes.first().is_some_and(u8::is_ascii_lowercase) =>
                        {
                            Fact::Text(fields.word("a word")?)
                        }
                        _ => Fact::Number(fields.whole("a number")?),
                    };
                    Ok((word, fact))
                })?;
                Ok(Inspected::Found {
                    family: reply.word().into(),
                    version: reply.version(),
                    now_ms: reply.now_ms(),
                    facts,
                })
            }
            _ => reply.unknown_word(),
        }
    }
}
