use crate::call::{Arguments, Operation, Reply};
use crate::inspect::Inspect;
use crate::key::Key;
use crate::request::Request;
use crate::script::Script;
use crate::{Error, bundle};
use pointsman::Link;
use std::sync::Arc;

/// Which upstream has a conversation's prefix in its cache, remembered for all workers that name
/// the same key.
///
/// ```no_run
/// use pointsman::chain;
/// use pointsman_redis::{Recalled, RedisAffinity};
///
/// let mut con = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// let warm = RedisAffinity::new("affinity:chat", 16_000, 600_000);
/// let turn_1 = chain(&["you are helpful", "hello"])?;
/// let _ = warm.remember(&turn_1, "acct-2").query(&mut con)?;
/// let turn_2 = chain(&["you are helpful", "hello", "hi!", "how are you?"])?;
/// let recalled = warm.recall(&turn_2).query(&mut con)?;
/// assert_eq!(recalled, Recalled::Upstream { upstream: "acct-2".into(), links: 2 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RedisAffinity {
    key: Arc<Key>,
    max_links: u64,
    ttl_ms: u64,
}

impl RedisAffinity {
    /// The memory of a key: at most `max_links` links (0 to 2^24; 0 turns it off), each of which
    /// lives `ttl_ms` (1 or more) after it was last written or recalled.
    pub fn new(key: &str, max_links: u64, ttl_ms: u64) -> Self {
        Self {
            key: Arc::new(Key::new(key)),
            max_links,
            ttl_ms,
        }
    }

    /// The upstream of the longest remembered prefix of a chain of at most 65,535 links, which is
    /// renewed.
    pub fn recall(&self, chain: &[Link]) -> Request<Recall<'_>> {
        Request::new(Recall {
            memory: self,
            chain: chain.to_vec(),
        })
    }

    /// Remembers the upstream under the last link of a chain. An empty chain or upstream is
    /// ignored.
    pub fn remember(&self, chain: &[Link], upstream: &str) -> Request<Remember<'_>> {
        Request::new(Remember {
            memory: self,
            link: chain.last().copied(),
            upstream: upstream.into(),
        })
    }

    /// What Redis holds under this key, in plain words.
    pub fn inspect(&self) -> Request<Inspect> {
        Request::new(Inspect::of(&self.key))
    }
}

/// `recall`: see [`RedisAffinity::recall`].
#[derive(Debug, Clone)]
pub struct Recall<'a> {
    memory: &'a RedisAffinity,
    chain: Vec<Link>,
}

/// What [`RedisAffinity::recall`] answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recalled {
    /// This one.
    Upstream {
        /// The upstream.
        upstream: String,
        /// How many links of the chain it has, the longest prefix known.
        links: usize,
    },
    /// No prefix is known.
    Nothing,
}

impl Operation for Recall<'_> {
    type Outcome = Recalled;

    const SCRIPT: &'static Script = &bundle::RECALL;

    fn key(&self) -> &Key {
        &self.memory.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        to.whole(self.memory.ttl_ms);
        for link in &self.chain {
            to.text(link.to_string());
        }
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<Recalled, Error> {
        let mut fields = reply.unversioned()?;
        match reply.word() {
            "recalled" => {
                let upstream = fields.name("upstream")?;
                let links = fields.within("links", 1, self.chain.len() as u64)?;
                let links = links as usize;
                fields.end(Recalled::Upstream { upstream, links })
            }
            "nothing" => fields.end(Recalled::Nothing),
            _ => reply.unknown_word(),
        }
    }
}

/// `remember`: see [`RedisAffinity::remember`].
#[derive(Debug, Clone)]
pub struct Remember<'a> {
    memory: &'a RedisAffinity,
    link: Option<Link>,
    upstream: String,
}

/// What [`RedisAffinity::remember`] answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remembered {
    /// It is remembered.
    Remembered {
        /// How many links are held.
        held: u64,
    },
    /// The chain or the upstream is empty, or the memory is off; nothing has changed.
    Ignored,
}

impl Operation for Remember<'_> {
    type Outcome = Remembered;

    const SCRIPT: &'static Script = &bundle::REMEMBER;

    fn key(&self) -> &Key {
        &self.memory.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        to.whole(self.memory.max_links)
            .whole(self.memory.ttl_ms)
            .text(self.upstream.as_str())
            .text(self.link.map_or_else(String::new, |link| link.to_string()));
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<Remembered, Error> {
        let mut fields = reply.unversioned()?;
        match reply.word() {
            "remembered" => {
                let held = fields.whole("links held")?;
                fields.end(Remembered::Remembered { held })
            }
            "ignored" => fields.end(Remembered::Ignored),
            _ => reply.unknown_word(),
        }
    }
}
