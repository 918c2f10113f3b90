use crate::call::{Arguments, Operation, Reply};
use crate::inspect::Inspect;
use crate::key::Key;
use crate::request::Request;
use crate::script::Script;
use crate::{Error, bundle, random};
use pointsman::{Candidate, OnlyOne, RepeatBy};
use std::sync::Arc;

/// A day, in milliseconds: how long the previous one is remembered, unless said otherwise.
const KEEP_MS: u64 = 86_400_000;

/// An upstream by chance, but never the previous one again, whichever of the workers that name the
/// same key asks.
///
/// ```no_run
/// use pointsman::{Candidate, OnlyOne, RepeatBy};
/// use pointsman_redis::{Different, RedisNoRepeat};
///
/// let mut con = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// let proxies = RedisNoRepeat::new("no_repeat:proxies", RepeatBy::Exit, OnlyOne::Fail);
/// let candidates = ["p1", "p2"].map(|upstream| Candidate { upstream, exit: None, weight: 1 });
/// if let Different::Upstream { upstream, .. } = proxies.pick(&candidates).query(&mut con)? {
///     let _ = proxies.observe_exit(&upstream, "203.0.113.7").query(&mut con)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RedisNoRepeat {
    key: Arc<Key>,
    by: RepeatBy,
    only_one: OnlyOne,
    keep_ms: u64,
}

impl RedisNoRepeat {
    /// The rotation of a key. Every worker names the same `by` and `only_one`: they are not held in
    /// Redis.
    pub fn new(key: &str, by: RepeatBy, only_one: OnlyOne) -> Self {
        Self {
            key: Arc::new(Key::new(key)),
            by,
            only_one,
            keep_ms: KEEP_MS,
        }
    }

    /// How long the previous one and the exits observed are remembered while nobody asks: 1,000 ms
    /// to 400 days; a day unless set.
    pub fn keep_ms(mut self, keep_ms: u64) -> Self {
        self.keep_ms = keep_ms;
        self
    }

    /// Picks one that does not repeat the previous one, by weight, and records it. At most 1,024
    /// candidates.
    pub fn pick(&self, candidates: &[Candidate<'_>]) -> Request<PickNoRepeat<'_>> {
        let named = |one: &Candidate<'_>| {
            let exit = one.exit.unwrap_or_default();
            (one.upstream.to_string(), exit.to_string(), one.weight)
        };
        Request::new(PickNoRepeat {
            rotation: self,
            id: None,
            draw: None,
            candidates: candidates.iter().map(named).collect(),
        })
    }

    /// Records through which exit an upstream was really seen.
    pub fn observe_exit(&self, upstream: &str, exit: &str) -> Request<ObserveExit<'_>> {
        Request::new(ObserveExit {
            rotation: self,
            upstream: upstream.into(),
            exit: exit.into(),
        })
    }

    /// What Redis holds under this key, in plain words.
    pub fn inspect(&self) -> Request<Inspect> {
        Request::new(Inspect::of(&self.key))
    }
}

/// `pick_no_repeat`: see [`RedisNoRepeat::pick`].
#[derive(Debug, Clone)]
pub struct PickNoRepeat<'a> {
    rotation: &'a RedisNoRepeat,
    id: Option<String>,
    draw: Option<u64>,
    candidates: Vec<(String, String, u32)>,
}

/// What [`RedisNoRepeat::pick`] answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Different {
    /// This one.
    Upstream {
        /// The upstream.
        upstream: String,
        /// Its place among the candidates; `None` where a repeat's upstream is none of them (any
        /// more).
        index: Option<usize>,
        /// Whether it is the previous one again, since nothing else was left.
        repeats: bool,
        /// Whether the id had this answer before; then nothing has changed.
        repeated: bool,
    },
    /// Every candidate repeats the previous one.
    NoDifferent,
    /// Every candidate repeats the previous one.
    Wait {
        /// From now until the same may be used again.
        retry_after_ms: u64,
    },
    /// There is no candidate, or every one has weight 0.
    Empty,
}

impl Request<PickNoRepeat<'_>> {
    /// An id of 1 to 128 bytes, with which a repeat gets the same upstream again.
    pub fn id(self, request_id: &str) -> Self {
        self.named("request_id", request_id, |pick, id| pick.id = Some(id))
    }

    /// As [`id`](Self::id), with one of 128 random bits.
    pub fn random_id(self) -> Self {
        self.set(random::id(), |pick, id| pick.id = Some(id))
    }

    /// Decides by this whole number below 2^53 instead of a random one: for replays and tests.
    pub fn draw(mut self, draw: u64) -> Self {
        self.operation.draw = Some(draw);
        self
    }
}

impl Operation for PickNoRepeat<'_> {
    type Outcome = Different;

    const SCRIPT: &'static Script = &bundle::PICK_NO_REPEAT;

    fn key(&self) -> &Key {
        &self.rotation.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        let by = match self.rotation.by {
            RepeatBy::Upstream => "upstream",
            RepeatBy::Exit => "exit",
        };
        let (only_one, gap_ms) = match self.rotation.only_one {
            OnlyOne::Fail => ("fail", 0),
            OnlyOne::Reuse => ("reuse", 0),
            OnlyOne::Wait { gap_ms } => ("wait", gap_ms),
        };
        to.text(self.id.as_deref().unwrap_or_default())
            .whole(self.rotation.keep_ms)
            .text(by)
            .text(only_one)
            .whole(gap_ms)
            .whole(self.draw.map_or_else(random::draw, Ok)?);
        for (upstream, exit, weight) in &self.candidates {
            to.text(upstream.as_str())
                .text(exit.as_str())
                .whole((*weight).into());
        }
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<Different, Error> {
        let mut fields = reply.unversioned()?;
        match reply.word() {
            "picked" => {
                let index = fields.index("index", self.candidates.len())?;
                let upstream = fields.name("upstream")?;
                let repeats = fields.flag("repeats")?;
                let repeated = fields.flag("repeated")?;
                fields.end(Different::Upstream {
                    upstream,
                    index,
                    repeats,
                    repeated,
                })
            }
            "no_different" => fields.end(Different::NoDifferent),
            "wait" => {
                let retry_after_ms = fields.whole("retry_after_ms")?;
                fields.end(Different::Wait { retry_after_ms })
            }
            "empty" => fields.end(Different::Empty),
            _ => reply.unknown_word(),
        }
    }
}

/// `observe_exit`: see [`RedisNoRepeat::observe_exit`].
#[derive(Debug, Clone)]
pub struct ObserveExit<'a> {
    rotation: &'a RedisNoRepeat,
    upstream: String,
    exit: String,
}

/// What [`RedisNoRepeat::observe_exit`] answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    /// It is recorded.
    Observed,
}

impl Operation for ObserveExit<'_> {
    type Outcome = Observed;

    const SCRIPT: &'static Script = &bundle::OBSERVE_EXIT;

    fn key(&self) -> &Key {
        &self.rotation.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        to.whole(self.rotation.keep_ms)
            .text(self.upstream.as_str())
            .text(self.exit.as_str());
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<Observed, Error> {
        match reply.word() {
            "observed" => reply.unversioned()?.end(Observed::Observed),
            _ => reply.unknown_word(),
        }
    }
}
