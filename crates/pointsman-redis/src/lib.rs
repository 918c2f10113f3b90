//! Pointsman's decisions, made in Redis: shared by many workers, one atomic script each.
//!
//! [`pointsman`] decides in one process; eight processes have eight memories. Here the memory is a
//! key in Redis and each decision is one script that Redis runs as a whole, so all workers that
//! name the same key decide as one, with the answers that the core would give.
//!
//! | question | type | calls |
//! |---|---|---|
//! | may it go now, and if not, when? | [`RedisLimits`] | `take`, `take_when_free`, `take_cancel`, `take_settle` |
//! | which upstream has room, and who holds it? | [`RedisLeases`] | `lease`, `lease_renew`, `lease_release` |
//! | which one was used least? | [`RedisLeastUsed`] | `configure`, `pick`, `record` |
//! | which one by chance, each once? | [`RedisShuffle`] | `next` |
//! | which one by chance, never the same again? | [`RedisNoRepeat`] | `pick`, `observe_exit` |
//! | which one has this conversation in its cache? | [`RedisAffinity`] | `recall`, `remember` |
//! | what does Redis hold? | [`inspect`](inspect()) | |
//!
//! Each type holds a key and what is declared for it, and makes [`Request`]s, which end with
//! `query` over any [`redis::ConnectionLike`], or `query_async` over any asynchronous connection
//! (feature `tokio`): single connections, connection managers, Sentinel and Cluster.
//!
//! ```no_run
//! use pointsman_redis::{RedisLimits, Rule, Taken};
//!
//! let mut con = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
//! let limits = RedisLimits::new("limits:acct-1", &[("requests", Rule::window(60, 60_000))], 1);
//! match limits.take(&[("requests", 1)]).query(&mut con)? {
//!     Taken::Granted { .. } => println!("go"),
//!     Taken::Wait { retry_after_ms, .. } => println!("again in {retry_after_ms} ms"),
//!     other => println!("{other:?}"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/worker.rs` is a whole worker.
//!
//! # What holds
//!
//! - **One decision, one script, one key.** Nothing is decided between two trips. A refusal writes
//!   nothing.
//! - **EVALSHA, and on NOSCRIPT one EVAL**: also after SCRIPT FLUSH, a restart or a failover.
//!   Nothing else is retried here, so an error of a script means one run. A cluster routes both by
//!   the key; spread load over keys, not over the fields of one.
//! - **The server's clock decides**, in whole milliseconds; in a key it never goes back.
//! - **A reply that is not known is an [`Error`]**, never a grant.
//! - **Every key has an expiry** beyond all that it has to remember.
//!
//! # Ids
//!
//! A reply can be lost after the script has run, and some clients then send a command again by
//! themselves: the cluster clients of `redis` do so unless they are built with `retries(0)`. A call
//! with an id gets its first answer again instead of a second grant. Leases, waits and takes that
//! may start later always have one (of 128 random bits, if the caller gives none); every other take,
//! pick and shuffle has one if it is given one: with `id`, or `random_id`. A [`Request`] keeps its
//! id, so querying the same request again is the repeat. Ids are known for a minute at least.
//!
//! # When Redis is away
//!
//! A call is then an [`Error`] for which [`is_unreachable`](Error::is_unreachable) holds; a take may
//! be let through instead, visibly: [`OnUnreachable`]. How long a call waits for a reply is set at
//! the connection, as are reconnections. A command that a client kept meanwhile should not count any
//! more when it arrives: [`timeout_ms`](Request::timeout_ms).
//!
//! What was written in the last moments before a failover or a crash may be lost, as Redis is
//! asynchronous. Then a key is as it was, or fresh: limits may grant once more what they granted in
//! that time (all of a bucket, unless [`start`](RedisLimits::start) is `Empty`), leases may be
//! granted beside live ones (with a higher fence, while the server's clock does not go back), counts
//! begin anew.
//!
//! # What it does not do
//!
//! It sends no requests, opens no connections, checks no health, and retries nothing. There is no
//! queue in Redis and no polling: [`take_when_free`](RedisLimits::take_when_free) books a start and
//! waits for it on a timer. In a pipeline a script cannot fall back to EVAL: send
//! [`Script::eval`] there.
//!
//! # Features
//!
//! `tokio`: `query_async`, and waiting on tokio's timer; a wait whose future is dropped gives its place
//! back by a task on tokio's runtime. Everything else that connections need
//! (Cluster, Sentinel, connection managers, TLS) is a feature of `redis`, of the same version as the
//! one re-exported [here](redis).

mod affinity;
pub mod bundle;
mod call;
mod error;
mod inspect;
mod key;
mod leases;
mod least_used;
mod limits;
mod no_repeat;
mod picked;
mod policy;
mod random;
#[cfg(test)]
mod replies;
mod request;
mod rule;
mod script;
#[cfg(test)]
mod scripted;
mod shuffle;
mod taken;
#[cfg(test)]
mod trips;
mod waiting;

pub use affinity::{Recall, Recalled, RedisAffinity, Remember, Remembered};
pub use call::Operation;
pub use error::Error;
pub use inspect::{Fact, Inspect, Inspected, inspect};
pub use leases::{Lease, LeaseRelease, LeaseRenew, Leased, RedisLeases, Released, Renewed};
pub use least_used::{ConfigureLeastUsed, PickLeastUsed, RecordLeastUsed, RedisLeastUsed};
pub use limits::{RedisLimits, Take, TakeCancel, TakeSettle};
pub use no_repeat::{Different, ObserveExit, Observed, PickNoRepeat, RedisNoRepeat};
pub use picked::{Configured, Picked, Recorded};
pub use policy::OnUnreachable;
pub use request::Request;
pub use rule::{Rule, Rules};
pub use script::Script;
pub use shuffle::{NextShuffle, RedisShuffle, Shuffled};
pub use taken::{TakeCancelled, TakeSettled, Taken};
pub use waiting::{GiveUp, WhenFree};

pub use redis;
