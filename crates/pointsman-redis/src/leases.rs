use crate::call::{Arguments, Operation, Reply};
use crate::inspect::Inspect;
use crate::key::Key;
use crate::request::Request;
use crate::script::Script;
use crate::{Error, bundle, random};
use pointsman::Choice;
use std::sync::Arc;

/// How long a lease lives, unless said otherwise, in milliseconds.
const TTL_MS: u64 = 60_000;

/// Leases on upstreams, over all workers that name the same key; in flight is the number of live
/// leases, and nothing else.
///
/// A holder that dies keeps its place until its lease expires, and no longer. Leases are not mutual
/// exclusion without a check of the fence where the work is done.
///
/// ```no_run
/// use pointsman_redis::{Leased, RedisLeases};
///
/// let mut con = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// let leases = RedisLeases::new("leases:gpus");
/// let request = leases.lease(&[("gpu-1", 4), ("gpu-2", 4)]).ttl_ms(30_000);
/// if let Leased::Leased { lease_id, upstream, .. } = request.query(&mut con)? {
///     println!("work on {upstream}");
///     let _ = leases.lease_release(&lease_id).query(&mut con)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RedisLeases {
    key: Arc<Key>,
    choice: Choice,
}

impl RedisLeases {
    /// The leases of a key.
    pub fn new(key: &str) -> Self {
        Self {
            key: Arc::new(Key::new(key)),
            choice: Choice::default(),
        }
    }

    /// Which of the candidates with room gets the lease.
    pub fn choice(mut self, choice: Choice) -> Self {
        self.choice = choice;
        self
    }

    /// Leases one of the candidates that has room; each with how many leases it may hold at a time,
    /// 1 to 1,000; at most 1,024 candidates.
    ///
    /// The lease gets an id of 128 random bits unless [`id`](Request::<Lease>::id) sets one, and
    /// lives 60 s unless [`ttl_ms`](Request::<Lease>::ttl_ms) says otherwise. The same request,
    /// queried again, finds the same lease.
    pub fn lease(&self, candidates: &[(&str, u32)]) -> Request<Lease<'_>> {
        let named = |&(upstream, max_in_flight): &(&str, u32)| (upstream.into(), max_in_flight);
        let lease = Lease {
            leases: self,
            id: String::new(),
            ttl_ms: TTL_MS,
            draw: None,
            candidates: candidates.iter().map(named).collect(),
        };
        Request::new(lease).set(random::id(), |lease, id| lease.id = id)
    }

    /// Lets a live lease expire 60 s from now, or as [`ttl_ms`](Request::<LeaseRenew>::ttl_ms)
    /// says, if that is later than it would.
    pub fn lease_renew(&self, lease_id: &str) -> Request<LeaseRenew<'_>> {
        Request::new(LeaseRenew {
            leases: self,
            id: lease_id.into(),
            ttl_ms: TTL_MS,
        })
    }

    /// Ends a lease. Twice, too late or by a stranger it answers `Gone` and changes nothing.
    pub fn lease_release(&self, lease_id: &str) -> Request<LeaseRelease<'_>> {
        Request::new(LeaseRelease {
            leases: self,
            id: lease_id.into(),
        })
    }

    /// What Redis holds under this key, in plain words.
    pub fn inspect(&self) -> Request<Inspect> {
        Request::new(Inspect::of(&self.key))
    }
}

/// `lease`: see [`RedisLeases::lease`].
#[derive(Debug, Clone)]
pub struct Lease<'a> {
    leases: &'a RedisLeases,
    id: String,
    ttl_ms: u64,
    draw: Option<u64>,
    candidates: Vec<(String, u32)>,
}

/// What [`RedisLeases::lease`] answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leased {
    /// A lease.
    Leased {
        /// Its id, to renew and to release it.
        lease_id: String,
        /// The upstream.
        upstream: String,
        /// Higher than that of every lease before: whoever stores it can refuse a holder whose
        /// lease has ended.
        fence: u64,
        /// From this instant of the server's clock on the lease is gone, unless it is renewed.
        expires_ms: u64,
        /// The same as a time from the call on, for a clock of one's own.
        expires_in_ms: u64,
        /// Whether this id already held this lease; then nothing has changed.
        repeated: bool,
    },
    /// Every candidate is full.
    Wait {
        /// From now until the first of their leases expires; a release may come before.
        retry_after_ms: u64,
    },
    /// There is no candidate.
    Empty,
}

impl Request<Lease<'_>> {
    /// An id of 1 to 128 bytes that no other lease has.
    pub fn id(mut self, lease_id: &str) -> Self {
        self.operation.id = lease_id.into();
        self
    }

    /// How long it lives, 1 to 86,400,000 ms.
    pub fn ttl_ms(mut self, ttl_ms: u64) -> Self {
        self.operation.ttl_ms = ttl_ms;
        self
    }

    /// Begins the first round at this whole number below 2^53 instead of a random one: for replays
    /// and tests.
    pub fn draw(mut self, draw: u64) -> Self {
        self.operation.draw = Some(draw);
        self
    }

    /// The id that the lease goes by.
    pub fn lease_id(&self) -> &str {
        &self.operation.id
    }
}

impl Operation for Lease<'_> {
    type Outcome = Leased;

    const SCRIPT: &'static Script = &bundle::LEASE;

    fn key(&self) -> &Key {
        &self.leases.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        let choice = match self.leases.choice {
            Choice::Fewest => "fewest",
            Choice::First => "first",
        };
        to.text(self.id.as_str())
            .whole(self.ttl_ms)
            .text(choice)
            .whole(self.draw.map_or_else(random::draw, Ok)?);
        for (upstream, max_in_flight) in &self.candidates {
            to.text(upstream.as_str()).whole((*max_in_flight).into());
        }
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<Leased, Error> {
        let mut fields = reply.unversioned()?;
        match reply.word() {
            "leased" => {
                let upstream = fields.name("upstream")?;
                let fence = fields.whole("fence")?;
                let expires_ms = fields.whole("expires_ms")?;
                let repeated = fields.flag("repeated")?;
                fields.end(Leased::Leased {
                    lease_id: self.id.clone(),
                    upstream,
                    fence,
                    expires_ms,
                    expires_in_ms: expires_ms.saturating_sub(reply.now_ms()),
                    repeated,
                })
            }
            "wait" => {
                let retry_after_ms = fields.whole("retry_after_ms")?;
                fields.end(Leased::Wait { retry_after_ms })
            }
            "empty" => fields.end(Leased::Empty),
            _ => reply.unknown_word(),
        }
    }
}

/// `lease_renew`: see [`RedisLeases::lease_renew`].
#[derive(Debug, Clone)]
pub struct LeaseRenew<'a> {
    leases: &'a RedisLeases,
    id: String,
    ttl_ms: u64,
}

/// What [`RedisLeases::lease_renew`] answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewed {
    /// The lease lives on.
    Renewed {
        /// Its fence, as before.
        fence: u64,
        /// Its new expiry, on the server's clock.
        expires_ms: u64,
        /// The same as a time from the call on.
        expires_in_ms: u64,
    },
    /// There is no such lease (any more). It is not granted again.
    Gone,
}

impl Request<LeaseRenew<'_>> {
    /// How long it lives from now on, 1 to 86,400,000 ms.
    pub fn ttl_ms(mut self, ttl_ms: u64) -> Self {
        self.operation.ttl_ms = ttl_ms;
        self
    }
}

impl Operation for LeaseRenew<'_> {
    type Outcome = Renewed;

    const SCRIPT: &'static Script = &bundle::LEASE_RENEW;

    fn key(&self) -> &Key {
        &self.leases.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        to.text(self.id.as_str()).whole(self.ttl_ms);
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<Renewed, Error> {
        let mut fields = reply.unversioned()?;
        match reply.word() {
            "renewed" => {
                let fence = fields.whole("fence")?;
                let expires_ms = fields.whole("expires_ms")?;
                fields.end(Renewed::Renewed {
                    fence,
                    expires_ms,
                    expires_in_ms: expires_ms.saturating_sub(reply.now_ms()),
                })
            }
            "gone" => fields.end(Renewed::Gone),
            _ => reply.unknown_word(),
        }
    }
}

/// `lease_release`: see [`RedisLeases::lease_release`].
#[derive(Debug, Clone)]
pub struct LeaseRelease<'a> {
    leases: &'a RedisLeases,
    id: String,
}

/// What [`RedisLeases::lease_release`] answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Released {
    /// The lease has ended.
    Released {
        /// The upstream that it held.
        upstream: String,
    },
    /// There is no such lease (any more); nothing has changed. So answers a repeat after a lost
    /// reply, too.
    Gone,
}

impl Operation for LeaseRelease<'_> {
    type Outcome = Released;

    const SCRIPT: &'static Script = &bundle::LEASE_RELEASE;

    fn key(&self) -> &Key {
        &self.leases.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        to.text(self.id.as_str());
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<Released, Error> {
        let mut fields = reply.unversioned()?;
        match reply.word() {
            "released" => {
                let upstream = fields.name("upstream")?;
                fields.end(Released::Released { upstream })
            }
            "gone" => fields.end(Released::Gone),
            _ => reply.unknown_word(),
        }
    }
}
