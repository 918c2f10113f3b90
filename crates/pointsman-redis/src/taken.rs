use crate::{Error, Rules};

/// What [`RedisLimits::take`](crate::RedisLimits::take) answers.
///
/// A worker whose rules are not those in force (older, or of the same version and others) is told:
/// where the rules in force name only limits that it knows, the take is made once more under them,
/// and `version` is theirs; otherwise the answer is [`Reconfigure`](Self::Reconfigure). So a rate
/// is never doubled by workers that disagree. Making it once more costs a second trip, at every
/// take, until the worker is given the new rules.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq)]
pub enum Taken {
    /// All limits are charged.
    Granted {
        /// The id for [`take_settle`](crate::RedisLimits::take_settle) and
        /// [`take_cancel`](crate::RedisLimits::take_cancel), if it has one.
        take_id: Option<String>,
        /// From now until it may be used; 0 unless it was booked.
        starts_in_ms: u64,
        /// The same as an instant of the server's clock.
        starts_at_ms: u64,
        /// What each limit has left, by its name. Empty where the rules in force are not known
        /// here: at a repeat that comes from a worker with other rules.
        remaining: Vec<(String, u64)>,
        /// Whether this id had this answer before; then nothing has changed.
        repeated: bool,
        /// The version of the rules in force.
        version: u64,
    },
    /// Not now; none is charged.
    Wait {
        /// From now until all limits could start it, if nobody else takes before.
        retry_after_ms: u64,
        /// The limit that it waits for longest.
        limit: String,
        /// The version of the rules in force.
        version: u64,
    },
    /// The cost is above the capacity of a limit: it can never be granted.
    Never {
        /// The limit.
        limit: String,
        /// The version of the rules in force.
        version: u64,
    },
    /// Other rules are in force, these; nothing has changed. They name a limit that is not declared
    /// here, or none that this take has a cost for.
    Reconfigure(Rules),
    /// This id was taken before and cancelled, so it is not granted again.
    Gone,
    /// Redis cannot be reached, and the limits are
    /// [to let it pass](crate::OnUnreachable::Open): nobody knows whether it is charged.
    Open {
        /// Why it cannot.
        error: Error,
    },
    /// Only from [`take_when_free`](crate::RedisLimits::take_when_free): the wait was given up.
    GivenUp {
        /// The id of the take.
        take_id: String,
        /// Whether its place went back, or its start had come just before, and it is charged.
        cancelled: TakeCancelled,
    },
}

/// What [`RedisLimits::take_cancel`](crate::RedisLimits::take_cancel) answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakeCancelled {
    /// It had not started: all that it was charged is given back (by this call or an earlier one).
    Returned,
    /// It had started; nothing has changed.
    Started,
    /// No such take is known (any more).
    Gone,
}

/// What [`RedisLimits::take_settle`](crate::RedisLimits::take_settle) answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakeSettled {
    /// It is charged what it cost.
    Settled {
        /// What each limit has left, by its name; empty where other rules than the declared ones
        /// are in force.
        remaining: Vec<(String, u64)>,
        /// The version of the rules in force.
        version: u64,
    },
    /// No such take is known (any more), or it was cancelled; nothing has changed.
    Gone,
}
