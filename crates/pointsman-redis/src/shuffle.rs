use crate::call::{Arguments, Operation, Reply};
use crate::inspect::Inspect;
use crate::key::Key;
use crate::request::Request;
use crate::script::Script;
use crate::{Error, bundle, random};
use pointsman::Boundary;
use std::sync::Arc;

/// A day, in milliseconds: how long a pass is remembered when nobody asks, unless said otherwise.
const KEEP_MS: u64 = 86_400_000;

/// Each upstream once in a random order, then a new pass, over all workers that name the same key.
///
/// ```no_run
/// use pointsman_redis::{RedisShuffle, Shuffled};
///
/// let mut con = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// let pages = RedisShuffle::new("shuffle:mirrors");
/// match pages.next(&["mirror-1", "mirror-2"]).query(&mut con)? {
///     Shuffled::Upstream { upstream, .. } => println!("{upstream}"),
///     other => println!("{other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RedisShuffle {
    key: Arc<Key>,
    boundary: Boundary,
    keep_ms: u64,
}

impl RedisShuffle {
    /// The shuffle of a key.
    pub fn new(key: &str) -> Self {
        Self {
            key: Arc::new(Key::new(key)),
            boundary: Boundary::default(),
            keep_ms: KEEP_MS,
        }
    }

    /// Whether the first of a pass may be the last of the pass before it.
    pub fn boundary(mut self, boundary: Boundary) -> Self {
        self.boundary = boundary;
        self
    }

    /// How long the pass is remembered while nobody asks: 1,000 ms to 400 days; a day unless set.
    pub fn keep_ms(mut self, keep_ms: u64) -> Self {
        self.keep_ms = keep_ms;
        self
    }

    /// The next upstream: by chance one of those listed, at most 1,024, that this pass has not
    /// returned.
    pub fn next(&self, upstreams: &[&str]) -> Request<NextShuffle<'_>> {
        Request::new(NextShuffle {
            shuffle: self,
            id: None,
            draw: None,
            upstreams: upstreams.iter().map(|name| name.to_string()).collect(),
        })
    }

    /// What Redis holds under this key, in plain words.
    pub fn inspect(&self) -> Request<Inspect> {
        Request::new(Inspect::of(&self.key))
    }
}

/// `next_shuffle`: see [`RedisShuffle::next`].
#[derive(Debug, Clone)]
pub struct NextShuffle<'a> {
    shuffle: &'a RedisShuffle,
    id: Option<String>,
    draw: Option<u64>,
    upstreams: Vec<String>,
}

/// What [`RedisShuffle::next`] answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shuffled {
    /// This one.
    Upstream {
        /// The upstream.
        upstream: String,
        /// Its place in the list given; `None` where a repeat's upstream is not listed (any more).
        index: Option<usize>,
        /// Whether the id had this answer before; then nothing has changed.
        repeated: bool,
    },
    /// The list is empty.
    Empty,
}

impl Request<NextShuffle<'_>> {
    /// An id of 1 to 128 bytes, with which a repeat gets the same upstream again.
    pub fn id(self, request_id: &str) -> Self {
        self.named("request_id", request_id, |next, id| next.id = Some(id))
    }

    /// As [`id`](Self::id), with one of 128 random bits.
    pub fn random_id(self) -> Self {
        self.set(random::id(), |next, id| next.id = Some(id))
    }

    /// Decides by this whole number below 2^53 instead of a random one: for replays and tests.
    pub fn draw(mut self, draw: u64) -> Self {
        self.operation.draw = Some(draw);
        self
    }
}

impl Operation for NextShuffle<'_> {
    type Outcome = Shuffled;

    const SCRIPT: &'static Script = &bundle::NEXT_SHUFFLE;

    fn key(&self) -> &Key {
        &self.shuffle.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        let boundary = match self.shuffle.boundary {
            Boundary::Free => "free",
            Boundary::NoRepeat => "no_repeat",
        };
        to.text(self.id.as_deref().unwrap_or_default())
            .whole(self.shuffle.keep_ms)
            .text(boundary)
            .whole(self.draw.map_or_else(random::draw, Ok)?);
        for upstream in &self.upstreams {
            to.text(upstream.as_str());
        }
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<Shuffled, Error> {
        let mut fields = reply.unversioned()?;
        match reply.word() {
            "picked" => {
                let index = fields.index("index", self.upstreams.len())?;
                let upstream = fields.name("upstream")?;
                let repeated = fields.flag("repeated")?;
                fields.end(Shuffled::Upstream {
                    upstream,
                    index,
                    repeated,
                })
            }
            "empty" => fields.end(Shuffled::Empty),
            _ => reply.unknown_word(),
        }
    }
}
