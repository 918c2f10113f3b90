use crate::Error;
use crate::bounds::{self, MAX_IN_FLIGHT, MAX_LEASE_TTL_MS, MAX_UPSTREAMS};
use crate::hash::Map;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// Which of the candidates with room gets the lease.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Choice {
    /// The one with the fewest live leases; of equals the next one round the list, behind the
    /// upstream of the last grant, wherever that stands in this list.
    #[default]
    Fewest,
    /// The first in the list: rendezvous order, fill first, any order that the caller makes.
    First,
}

/// One that may be leased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseCandidate<'a> {
    /// The name of the upstream.
    pub upstream: &'a str,
    /// How many leases it may hold at a time: 1 to 1,000. A number below what it holds grants
    /// nothing until enough are gone, and ends none.
    pub max_in_flight: u32,
}

/// What [`Leases::acquire`] answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acquired {
    /// A lease.
    Leased {
        /// The upstream.
        upstream: String,
        /// Higher than that of every lease before: whoever stores it can refuse a holder whose
        /// lease has ended.
        fence: u64,
        /// From this instant on the lease is gone, unless it is renewed.
        expires_ms: u64,
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

/// What [`Leases::renew`] answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewed {
    /// The lease lives on.
    Until {
        /// Its new expiry.
        expires_ms: u64,
        /// Its fence, as before.
        fence: u64,
    },
    /// There is no such lease (any more). It is not granted again.
    Gone,
}

/// What [`Leases::release`] answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Released {
    /// The lease has ended.
    Released {
        /// The upstream that it held.
        upstream: String,
    },
    /// There is no such lease (any more); nothing has changed.
    Gone,
}

/// Leases on upstreams, each with an expiry of its own; in flight is the number of live leases,
/// and nothing else.
///
/// A holder that dies keeps its place until its lease expires, and no longer. The id is chosen by
/// the caller, so that a repeated call finds the same lease. Leases are not mutual exclusion
/// without a check of the fence where the work is done.
///
/// ```
/// use pointsman::{Acquired, Choice, LeaseCandidate, Leases, Released};
///
/// let mut leases = Leases::new(0)?;
/// let only = [LeaseCandidate { upstream: "a", max_in_flight: 1 }];
/// let first = leases.acquire(&only, Choice::Fewest, "job-1", 60_000, 0)?;
/// assert!(matches!(first, Acquired::Leased { expires_ms: 60_000, .. }));
/// let second = leases.acquire(&only, Choice::Fewest, "job-2", 60_000, 1_000)?;
/// assert_eq!(second, Acquired::Wait { retry_after_ms: 59_000 });
/// assert_eq!(leases.release("job-1", 2_000)?, Released::Released { upstream: "a".into() });
/// assert_eq!(leases.release("job-1", 2_000)?, Released::Gone);
/// # Ok::<(), pointsman::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leases {
    clock_ms: u64,
    fence: u64,
    /// The upstream of the last grant: behind it the round goes on.
    last: Option<Box<str>>,
    /// The place behind the last grant, for lists that do not name its upstream; the draw before
    /// the first.
    behind: u64,
    leases: Map<Box<str>, Lease>,
    /// Those that hold leases, in the order of their names.
    upstreams: Vec<Holder>,
}

/// An upstream with its leases, the one that expires first in front.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Holder {
    upstream: Box<str>,
    held: Vec<(u64, Box<str>)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Lease {
    upstream: Box<str>,
    fence: u64,
    expires_ms: u64,
}

impl Leases {
    /// No leases. `draw` (a random whole number below 2^53) is where the first round among equal
    /// candidates begins.
    pub fn new(draw: u64) -> Result<Self, Error> {
        bounds::draw(draw)?;
        Ok(Self {
            clock_ms: 0,
            fence: 0,
            last: None,
            behind: draw,
            leases: Map::default(),
            upstreams: Vec::new(),
        })
    }

    /// Leases one of the candidates that has room, or says when to come back. A refusal changes
    /// nothing; an id that holds a live lease gets that one again, whatever the candidates.
    ///
    /// `lease_id`: 1 to 128 bytes. `ttl_ms`: 1 to 86,400,000. Cost: O(candidates · log upstreams),
    /// and on a grant O(upstreams that hold leases) and the leases of the chosen one, at most 1,000.
    pub fn acquire(
        &mut self,
        candidates: &[LeaseCandidate<'_>],
        choice: Choice,
        lease_id: &str,
        ttl_ms: u64,
        now_ms: u64,
    ) -> Result<Acquired, Error> {
        check(candidates)?;
        bounds::lease_id(lease_id)?;
        bounds::whole("ttl_ms", ttl_ms, 1, MAX_LEASE_TTL_MS)?;
        bounds::ms("now_ms", now_ms)?;
        let now_ms = now_ms.max(self.clock_ms);
        if let Some(lease) = self.live(lease_id, now_ms) {
            return Ok(Acquired::Leased {
                upstream: (*lease.upstream).into(),
                fence: lease.fence,
                expires_ms: lease.expires_ms,
                repeated: true,
            });
        }
        if candidates.is_empty() {
            return Ok(Acquired::Empty);
        }
        let Some(chosen) = self.choose(candidates, choice, now_ms) else {
            let expiries = candidates
                .iter()
                .filter_map(|one| self.next_expiry(one.upstream, now_ms));
            let soonest = expiries.min().unwrap_or(now_ms);
            return Ok(Acquired::Wait {
                retry_after_ms: soonest - now_ms,
            });
        };
        let upstream = candidates[chosen].upstream;
        self.behind = chosen as u64 + 1;
        self.last = Some(upstream.into());
        Ok(self.grant(upstream, lease_id, ttl_ms, now_ms))
    }

    /// Lets a live lease expire `ttl_ms` from now, if that is later than it would.
    pub fn renew(&mut self, lease_id: &str, ttl_ms: u64, now_ms: u64) -> Result<Renewed, Error> {
        bounds::lease_id(lease_id)?;
        bounds::whole("ttl_ms", ttl_ms, 1, MAX_LEASE_TTL_MS)?;
        bounds::ms("now_ms", now_ms)?;
        let now_ms = now_ms.max(self.clock_ms);
        let Some(lease) = self.live(lease_id, now_ms).cloned() else {
            return Ok(Renewed::Gone);
        };
        self.advance(now_ms);
        self.end(lease_id);
        let renewed = Lease {
            expires_ms: lease.expires_ms.max(now_ms + ttl_ms),
            ..lease
        };
        let (expires_ms, fence) = (renewed.expires_ms, renewed.fence);
        self.hold(lease_id, renewed);
        Ok(Renewed::Until { expires_ms, fence })
    }

    /// Ends a lease. Twice, too late or by a stranger it answers `Gone` and changes nothing.
    pub fn release(&mut self, lease_id: &str, now_ms: u64) -> Result<Released, Error> {
        bounds::lease_id(lease_id)?;
        bounds::ms("now_ms", now_ms)?;
        let now_ms = now_ms.max(self.clock_ms);
        if self.live(lease_id, now_ms).is_none() {
            return Ok(Released::Gone);
        }
        self.advance(now_ms);
        let ended = self.end(lease_id);
        Ok(ended.map_or(Released::Gone, |lease| Released::Released {
            upstream: lease.upstream.into(),
        }))
    }

    /// How many live leases an upstream has.
    pub fn in_flight(&self, upstream: &str, now_ms: u64) -> Result<usize, Error> {
        bounds::name("upstream", upstream)?;
        bounds::ms("now_ms", now_ms)?;
        Ok(self.live_leases(upstream, now_ms.max(self.clock_ms)))
    }

    /// The fence of the newest lease, 0 before the first.
    pub fn fence(&self) -> u64 {
        self.fence
    }

    fn live(&self, lease_id: &str, now_ms: u64) -> Option<&Lease> {
        (self.leases.get(lease_id)).filter(|lease| now_ms < lease.expires_ms)
    }

    /// How many leases of an upstream are alive: all that it holds less the expired ones, of which
    /// there are only those since the last change.
    fn live_leases(&self, upstream: &str, now_ms: u64) -> usize {
        self.live_expiries(upstream, now_ms).len()
    }

    fn live_expiries(&self, upstream: &str, now_ms: u64) -> &[(u64, Box<str>)] {
        let Ok(place) = self.place(upstream) else {
            return &[];
        };
        let held = &self.upstreams[place].held;
        let expired = held
            .iter()
            .take_while(|(expires_ms, _)| *expires_ms <= now_ms);
        &held[expired.count()..]
    }

    fn next_expiry(&self, upstream: &str, now_ms: u64) -> Option<u64> {
        let soonest = self.live_expiries(upstream, now_ms).first();
        soonest.map(|&(expires_ms, _)| expires_ms)
    }

    fn place(&self, upstream: &str) -> Result<usize, usize> {
        (self.upstreams).binary_search_by(|holder| (*holder.upstream).cmp(upstream))
    }

    fn choose(
        &self,
        candidates: &[LeaseCandidate<'_>],
        choice: Choice,
        now_ms: u64,
    ) -> Option<usize> {
        let mut with_room = (candidates.iter().enumerate())
            .map(|(at, one)| (self.live_leases(one.upstream, now_ms), at))
            .filter(|&(in_flight, at)| in_flight < candidates[at].max_in_flight as usize);
        let chosen = match choice {
            Choice::First => with_room.next(),
            Choice::Fewest => {
                let (count, start) = (candidates.len(), self.start(candidates));
                let away = |at: usize| (at + count - start) % count;
                with_room.min_by_key(|&(in_flight, at)| (in_flight, away(at)))
            }
        };
        chosen.map(|(_, at)| at)
    }

    /// The place in a list, which is not empty, where the round goes on.
    fn start(&self, candidates: &[LeaseCandidate<'_>]) -> usize {
        let count = candidates.len();
        let last = (self.last.as_deref())
            .and_then(|last| candidates.iter().position(|one| one.upstream == last));
        match last {
            Some(at) => (at + 1) % count,
            None => (self.behind % count as u64) as usize,
        }
    }

    fn grant(&mut self, upstream: &str, lease_id: &str, ttl_ms: u64, now_ms: u64) -> Acquired {
        self.advance(now_ms);
        self.fence = (self.fence + 1).max(now_ms * 1_000);
        let lease = Lease {
            upstream: upstream.into(),
            fence: self.fence,
            expires_ms: now_ms + ttl_ms,
        };
        let expires_ms = lease.expires_ms;
        self.hold(lease_id, lease);
        Acquired::Leased {
            upstream: upstream.into(),
            fence: self.fence,
            expires_ms,
            repeated: false,
        }
    }

    /// Moves the clock and removes what has expired.
    fn advance(&mut self, now_ms: u64) {
        self.clock_ms = now_ms;
        let leases = &mut self.leases;
        self.upstreams.retain_mut(|holder| {
            let expired = (holder.held).partition_point(|(expires_ms, _)| *expires_ms <= now_ms);
            for (_, lease_id) in holder.held.drain(..expired) {
                leases.remove(&lease_id);
            }
            !holder.held.is_empty()
        });
    }

    fn hold(&mut self, lease_id: &str, lease: Lease) {
        let place = self.place(&lease.upstream).unwrap_or_else(|place| {
            let upstream = lease.upstream.clone();
            let held = Vec::new();
            self.upstreams.insert(place, Holder { upstream, held });
            place
        });
        let held = &mut self.upstreams[place].held;
        let behind = held.partition_point(|(expires_ms, _)| *expires_ms <= lease.expires_ms);
        held.insert(behind, (lease.expires_ms, lease_id.into()));
        self.leases.insert(lease_id.into(), lease);
    }

    fn end(&mut self, lease_id: &str) -> Option<Lease> {
        let lease = self.leases.remove(lease_id)?;
        if let Ok(place) = self.place(&lease.upstream) {
            let held = &mut self.upstreams[place].held;
            held.retain(|(_, held_id)| **held_id != *lease_id);
            if held.is_empty() {
                self.upstreams.remove(place);
            }
        }
        Some(lease)
    }
}

fn check(candidates: &[LeaseCandidate<'_>]) -> Result<(), Error> {
    bounds::count("candidates", candidates.len(), MAX_UPSTREAMS)?;
    for candidate in candidates {
        bounds::name("upstream", candidate.upstream)?;
        bounds::whole(
            "max_in_flight",
            candidate.max_in_flight.into(),
            1,
            MAX_IN_FLIGHT.into(),
        )?;
    }
    Ok(())
}
