use crate::Error;
use crate::bounds::{self, MAX_MS, MAX_WHOLE};

/// What was taken from a limit, and when it may be used. Keep it to [`settle`] or [`cancel`].
///
/// It belongs to the limit that gave it.
///
/// [`settle`]: crate::TokenBucket::settle
/// [`cancel`]: crate::TokenBucket::cancel
#[must_use = "a grant that starts later must be waited for"]
#[derive(Debug, PartialEq, Eq)]
pub struct Grant {
    pub(crate) cost: u64,
    pub(crate) starts_at_ms: u64,
}

impl Grant {
    /// What it has been charged: the cost that was asked for, or what it was last settled at.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// The instant from which on it may be used.
    pub fn starts_at_ms(&self) -> u64 {
        self.starts_at_ms
    }

    /// Cost and start, to carry it across a boundary. [`from_parts`](Self::from_parts) makes it
    /// anew; whoever does so twice charges and gives back twice.
    pub fn into_parts(self) -> (u64, u64) {
        (self.cost, self.starts_at_ms)
    }

    /// A grant from its parts.
    pub fn from_parts(cost: u64, starts_at_ms: u64) -> Result<Self, Error> {
        bounds::whole("cost", cost, 0, MAX_WHOLE)?;
        bounds::whole("starts_at_ms", starts_at_ms, 0, MAX_WHOLE)?;
        Ok(Self { cost, starts_at_ms })
    }
}

/// What a limit answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, PartialEq, Eq)]
pub enum Taken {
    /// Charged.
    Granted(Grant),
    /// Not now; nothing has changed.
    Wait {
        /// From now until it could start, if nobody else takes before.
        retry_after_ms: u64,
    },
    /// The cost is above the capacity: it can never be granted.
    Never,
}

/// What a cancelled grant came to.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancelled {
    /// It had not started: all that it was charged is given back.
    Returned,
    /// It had started (or is not known): nothing has changed.
    Started,
}

/// One kind of limit, seen from those who take.
pub(crate) trait Meter {
    fn capacity(&self) -> u64;

    /// Its own time, which never goes back.
    fn now(&self, now_ms: u64) -> u64;

    /// Called before the first question: a bucket that was made empty fills from here on.
    fn begin(&mut self, now_ms: u64);

    /// Moves its own time, and forgets what no longer counts.
    fn advance(&mut self, now_ms: u64);

    /// The first instant at which a cost could start that is within the capacity.
    fn start(&self, cost: u64, now_ms: u64) -> u64;

    /// Whether one more grant stays within exact arithmetic, and within the bookings that are kept.
    fn can_book(&self, cost: u64, starts_at_ms: u64, now_ms: u64) -> bool;

    /// Charges a cost that starts at an instant which [`start`](Self::start) allowed.
    fn charge(&mut self, cost: u64, starts_at_ms: u64, now_ms: u64);

    /// Gives back a charge that starts later. `false`, and nothing changed, if it is not known.
    fn give_back(&mut self, cost: u64, starts_at_ms: u64, now_ms: u64) -> bool;

    /// The most that a charge of `cost` may become within exact arithmetic.
    fn most(&self, cost: u64, starts_at_ms: u64, now_ms: u64) -> u64;

    /// Makes a charge of `cost` one of `actual`.
    fn recharge(&mut self, cost: u64, actual: u64, starts_at_ms: u64, now_ms: u64);

    /// What could be taken now, 0 in debt.
    fn left(&self, now_ms: u64) -> u64;
}

/// Takes a cost that may start up to `max_wait_ms` from now.
pub(crate) fn take(
    meter: &mut dyn Meter,
    cost: u64,
    max_wait_ms: u64,
    now_ms: u64,
) -> Result<Taken, Error> {
    bounds::whole("cost", cost, 1, MAX_WHOLE)?;
    bounds::ms("max_wait_ms", max_wait_ms)?;
    bounds::ms("now_ms", now_ms)?;
    let now_ms = meter.now(now_ms);
    if cost > meter.capacity() {
        return Ok(Taken::Never);
    }
    meter.begin(now_ms);
    let starts_at_ms = meter.start(cost, now_ms);
    let wait_ms = starts_at_ms - now_ms;
    let bookable = meter.can_book(cost, starts_at_ms, now_ms);
    if wait_ms > max_wait_ms || starts_at_ms > MAX_MS || !bookable {
        let retry_after_ms = wait_ms.min(MAX_MS);
        return Ok(Taken::Wait { retry_after_ms });
    }
    meter.charge(cost, starts_at_ms, now_ms);
    Ok(Taken::Granted(Grant { cost, starts_at_ms }))
}

/// Gives a grant back, if it has not started.
pub(crate) fn cancel(
    meter: &mut dyn Meter,
    grant: &mut Grant,
    now_ms: u64,
) -> Result<Cancelled, Error> {
    bounds::ms("now_ms", now_ms)?;
    let now_ms = meter.now(now_ms);
    let Grant { cost, starts_at_ms } = *grant;
    let later = now_ms < starts_at_ms;
    if later && (cost == 0 || meter.give_back(cost, starts_at_ms, now_ms)) {
        grant.cost = 0;
        return Ok(Cancelled::Returned);
    }
    Ok(Cancelled::Started)
}

/// Corrects what a grant was charged.
pub(crate) fn settle(
    meter: &mut dyn Meter,
    grant: &mut Grant,
    actual: u64,
    now_ms: u64,
) -> Result<(), Error> {
    bounds::ms("now_ms", now_ms)?;
    let now_ms = meter.now(now_ms);
    if actual != grant.cost {
        let most = meter.most(grant.cost, grant.starts_at_ms, now_ms);
        bounds::whole("actual", actual, 0, most)?;
        meter.recharge(grant.cost, actual, grant.starts_at_ms, now_ms);
        grant.cost = actual;
    }
    Ok(())
}

/// What could be taken now.
pub(crate) fn remaining(meter: &dyn Meter, now_ms: u64) -> Result<u64, Error> {
    bounds::ms("now_ms", now_ms)?;
    Ok(meter.left(meter.now(now_ms)))
}
