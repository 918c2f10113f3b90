//! Pointsman decides which upstream gets a request, and when.
#![no_std]

extern crate alloc;

mod affinity;
pub mod bounds;
mod bucket;
mod chain;
mod cost;
mod error;
mod grant;
mod hash;
mod lease;
mod least_used;
mod limits;
mod no_repeat;
mod rendezvous;
mod rotation;
mod score;
mod window;

pub use affinity::{AffinityTable, log_spaced};
pub use bucket::{Start, TokenBucket};
pub use chain::{Chain, Link, chain, prefix_bytes};
pub use error::Error;
pub use grant::{Cancelled, Grant, Taken};
pub use hash::fingerprint;
pub use lease::{Acquired, Choice, LeaseCandidate, Leases, Released, Renewed};
pub use least_used::{Join, LeastUsed, Picked};
pub use limits::{Grants, Limit, Limits, TakenTogether};
pub use no_repeat::{Candidate, Different, NoRepeat, OnlyOne, RepeatBy};
pub use rendezvous::{Ranking, Upstreams, order, pick};
pub use rotation::{Boundary, RoundRobin, Shuffle, random, weighted_random};
pub use window::WindowLimit;
