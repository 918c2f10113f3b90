//! Pointsman decides which upstream gets a request, and when.
//!
//! An upstream is whatever serves requests: an LLM account, an API key, a proxy, a replica. This
//! crate is the core: decisions, and the little memory that they need. It sends nothing, checks no
//! health, and has no clock, no randomness and no I/O of its own.
//!
//! | question | answer |
//! |---|---|
//! | which upstream, the same for everybody? | [`order`], [`pick`], [`Upstreams`]: rendezvous hashing |
//! | which one has this conversation in its cache? | [`chain`] and [`AffinityTable`] |
//! | which one by chance, in turn, or never the same again? | [`random`], [`weighted_random`], [`Shuffle`], [`RoundRobin`], [`NoRepeat`] |
//! | which one was used least? | [`LeastUsed`] |
//! | may it go now, and if not, when? | [`TokenBucket`], [`WindowLimit`], [`Limits`] |
//! | which one has room, and who holds it? | [`Leases`] |
//!
//! # What holds everywhere
//!
//! - **Time is an argument**: whole milliseconds, in instants since any epoch (`now_ms`) and in
//!   lengths. Each object keeps the latest instant that it was written with and decides with the
//!   later one, so a clock that steps back refills nothing, kills nothing and prolongs nothing by
//!   more than the step.
//! - **Randomness is an argument**: a `draw` is a random whole number below 2^53.
//! - **Integers decide**, and stay below 2^53, so that the same answers come out in languages
//!   whose numbers are floats. What could leave exact arithmetic is refused when an object is made.
//! - **"Not now" and "never" are answers**, and nothing has changed after them (but that a bucket
//!   which began empty fills from its first call on). Misuse is an
//!   [`Error`] that names the argument, its value and its [bound](bounds).
//! - What comes out for given input is the same on every platform and in every release of a major
//!   version.
//!
//! # Features
//!
//! `std` (on by default) chooses faster instructions for hashing at run time. Without it the crate
//! needs `alloc` alone.
#![no_std]

extern crate alloc;

mod affinity;
pub mod bounds;
mod bucket;
mod chain;
mod change;
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
pub use change::Inherit;
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
