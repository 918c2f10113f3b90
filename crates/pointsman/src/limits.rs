use crate::bounds::{self, MAX_LIMITS, MAX_MS, MAX_WHOLE};
use crate::bucket::TokenBucket;
use crate::change::Inherit;
use crate::error::{Bound, Error, Value};
use crate::grant::{Cancelled, Grant, Meter};
use crate::window::WindowLimit;
use alloc::vec::Vec;

/// One of several limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// A token bucket.
    Bucket(TokenBucket),
    /// A window limit.
    Window(WindowLimit),
}

/// What was taken from several limits at once, and when it may be used.
#[must_use = "a grant that starts later must be waited for"]
#[derive(Debug, PartialEq, Eq)]
pub struct Grants {
    costs: Vec<u64>,
    starts_at_ms: u64,
}

impl Grants {
    /// What each limit has been charged.
    pub fn costs(&self) -> &[u64] {
        &self.costs
    }

    /// The instant from which on it may be used.
    pub fn starts_at_ms(&self) -> u64 {
        self.starts_at_ms
    }

    /// Costs and start, to carry them across a boundary, as [`Grant::into_parts`].
    pub fn into_parts(self) -> (Vec<u64>, u64) {
        (self.costs, self.starts_at_ms)
    }

    /// Grants from their parts.
    pub fn from_parts(costs: Vec<u64>, starts_at_ms: u64) -> Result<Self, Error> {
        for &cost in &costs {
            drop(Grant::from_parts(cost, starts_at_ms)?);
        }
        Ok(Self {
            costs,
            starts_at_ms,
        })
    }
}

/// What several limits answer together.
#[must_use]
#[non_exhaustive]
#[derive(Debug, PartialEq, Eq)]
pub enum TakenTogether {
    /// All are charged.
    Granted(Grants),
    /// Not now; none is charged.
    Wait {
        /// From now until all could start it, if nobody else takes before.
        retry_after_ms: u64,
        /// Which limit it waits for longest, the first of equals.
        limit: usize,
    },
    /// It can never be granted: the cost is above a capacity.
    Never {
        /// Which limit's, the first of several.
        limit: usize,
    },
}

/// Several limits that are taken together, or not at all: requests a minute and tokens a minute,
/// say. What one refuses costs nothing at the others.
///
/// ```
/// use pointsman::{Limit, Limits, Start, TakenTogether, TokenBucket, WindowLimit};
///
/// let mut limits = Limits::new(vec![
///     Limit::Window(WindowLimit::new(60, 60_000)?),
///     Limit::Bucket(TokenBucket::new(1_000, 1_000, 60_000, Start::Full)?),
/// ])?;
/// assert!(matches!(limits.take(&[1, 900], 0)?, TakenTogether::Granted(_)));
/// let refused = limits.take(&[1, 200], 0)?;
/// assert_eq!(refused, TakenTogether::Wait { retry_after_ms: 6_000, limit: 1 });
/// assert_eq!(limits.remaining(0)?, [59, 100]);
/// # Ok::<(), pointsman::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits(Vec<Limit>);

impl Limits {
    /// 1 to 16 limits.
    pub fn new(limits: Vec<Limit>) -> Result<Self, Error> {
        bounds::whole("limits", limits.len() as u64, 1, MAX_LIMITS as u64)?;
        Ok(Self(limits))
    }

    /// Takes a cost from each limit now, or from none. One cost for each limit, 0 to 2^53 - 1; a
    /// limit is not asked where its cost is 0, and one cost at least must be above.
    pub fn take(&mut self, costs: &[u64], now_ms: u64) -> Result<TakenTogether, Error> {
        self.reserve(costs, 0, now_ms)
    }

    /// Takes a cost from each limit as soon as all have it: charges it now, and says at which
    /// instant it may be used. If that would be more than `max_wait_ms` from now, takes nothing.
    pub fn reserve(
        &mut self,
        costs: &[u64],
        max_wait_ms: u64,
        now_ms: u64,
    ) -> Result<TakenTogether, Error> {
        self.check(["costs", "cost"], costs, now_ms)?;
        let greatest = costs.iter().copied().max().unwrap_or(0);
        bounds::whole("cost", greatest, 1, MAX_WHOLE)?;
        bounds::ms("max_wait_ms", max_wait_ms)?;
        let now_ms = self.now(now_ms);
        let above = |&(_, cost, meter): &(usize, u64, &dyn Meter)| cost > meter.capacity();
        if let Some((limit, ..)) = self.asked(costs).find(above) {
            return Ok(TakenTogether::Never { limit });
        }
        for limit in &mut self.0 {
            limit.meter_mut().begin(now_ms);
        }
        let (mut starts_at_ms, mut slowest) = (now_ms, 0);
        for (limit, cost, meter) in self.asked(costs) {
            let start_ms = meter.start(cost, now_ms);
            if start_ms > starts_at_ms {
                (starts_at_ms, slowest) = (start_ms, limit);
            }
        }
        let bookable =
            (self.asked(costs)).all(|(_, cost, meter)| meter.can_book(cost, starts_at_ms, now_ms));
        let wait_ms = starts_at_ms - now_ms;
        if wait_ms > max_wait_ms || starts_at_ms > MAX_MS || !bookable {
            return Ok(TakenTogether::Wait {
                retry_after_ms: wait_ms.min(MAX_MS),
                limit: slowest,
            });
        }
        for (&cost, limit) in costs.iter().zip(&mut self.0).filter(|(cost, _)| **cost > 0) {
            limit.meter_mut().charge(cost, starts_at_ms, now_ms);
        }
        Ok(TakenTogether::Granted(Grants {
            costs: costs.to_vec(),
            starts_at_ms,
        }))
    }

    /// Gives back what was charged, if it has not started; the grants are then of no cost.
    pub fn cancel(&mut self, grants: &mut Grants, now_ms: u64) -> Result<Cancelled, Error> {
        self.check(["grants", "cost"], &grants.costs, now_ms)?;
        let now_ms = self.now(now_ms);
        if now_ms >= grants.starts_at_ms {
            return Ok(Cancelled::Started);
        }
        let mut returned = grants.costs.iter().all(|&cost| cost == 0);
        for (&cost, limit) in grants.costs.iter().zip(&mut self.0) {
            if cost > 0 {
                returned |= (limit.meter_mut()).give_back(cost, grants.starts_at_ms, now_ms);
            }
        }
        if !returned {
            return Ok(Cancelled::Started);
        }
        grants.costs.fill(0);
        Ok(Cancelled::Returned)
    }

    /// Corrects what was charged to `actual`, one for each limit, also where a limit was not asked
    /// before. It may be settled again: the last call counts.
    pub fn settle(
        &mut self,
        grants: &mut Grants,
        actual: &[u64],
        now_ms: u64,
    ) -> Result<(), Error> {
        self.check(["grants", "cost"], &grants.costs, now_ms)?;
        self.check(["actual", "actual"], actual, now_ms)?;
        let now_ms = self.now(now_ms);
        let charges = || grants.costs.iter().copied().zip(actual.iter().copied());
        for (limit, (cost, actual)) in self.0.iter().zip(charges()) {
            if cost != actual {
                let most = (limit.meter()).most(cost, grants.starts_at_ms, now_ms);
                bounds::whole("actual", actual, 0, most)?;
            }
        }
        for (limit, (cost, actual)) in self.0.iter_mut().zip(charges()) {
            if cost != actual {
                let meter = limit.meter_mut();
                meter.recharge(cost, actual, grants.starts_at_ms, now_ms);
            }
        }
        grants.costs = actual.to_vec();
        Ok(())
    }

    /// Changes the rules from `now_ms` on to those of `limits`, which are as new. One with an index
    /// goes on from the limit that stood there, with what `inherit` says; if its rule is the one it
    /// had, it goes on as if nothing had happened. The two must be of one kind. One without an index
    /// is new, and a bucket among these that starts empty begins to fill.
    ///
    /// Grants made before are by the old list: their costs must be put in the order of the new one.
    pub fn change(
        &mut self,
        limits: Vec<(Limit, Option<usize>)>,
        inherit: Inherit,
        now_ms: u64,
    ) -> Result<(), Error> {
        bounds::whole("limits", limits.len() as u64, 1, MAX_LIMITS as u64)?;
        bounds::ms("now_ms", now_ms)?;
        let now_ms = self.now(now_ms);
        let mut changed = Vec::with_capacity(limits.len());
        for (rule, from) in limits {
            changed.push(match from {
                Some(index) => self.inherited(index, rule, inherit, now_ms)?,
                None => begun(rule, now_ms),
            });
        }
        self.0 = changed;
        Ok(())
    }

    fn inherited(
        &self,
        index: usize,
        rule: Limit,
        inherit: Inherit,
        now_ms: u64,
    ) -> Result<Limit, Error> {
        let last = self.0.len() as u64 - 1;
        bounds::whole("index", index as u64, 0, last)?;
        match (self.0[index].clone(), rule) {
            (Limit::Bucket(mut bucket), Limit::Bucket(rule)) => {
                bucket.change_to(&rule, inherit, now_ms)?;
                Ok(Limit::Bucket(bucket))
            }
            (Limit::Window(mut window), Limit::Window(rule)) => {
                window.change_to(&rule, inherit, now_ms);
                Ok(Limit::Window(window))
            }
            _ => {
                let bound = Bound::Words("the index of a limit of the same kind");
                Err(Error::new("index", Value::Number(index as u64), bound))
            }
        }
    }

    /// How much each limit has left.
    pub fn remaining(&self, now_ms: u64) -> Result<Vec<u64>, Error> {
        bounds::ms("now_ms", now_ms)?;
        let now_ms = self.now(now_ms);
        Ok(self
            .0
            .iter()
            .map(|limit| limit.meter().left(now_ms))
            .collect())
    }

    /// `names`: what the list is called, and what one of it.
    fn check(&self, names: [&'static str; 2], costs: &[u64], now_ms: u64) -> Result<(), Error> {
        bounds::ms("now_ms", now_ms)?;
        bounds::one_for_each(names[0], costs.len(), "limit", self.0.len())?;
        (costs.iter()).try_for_each(|&cost| bounds::whole(names[1], cost, 0, MAX_WHOLE))
    }

    /// Those whose cost is above 0, by their positions.
    fn asked<'a>(&'a self, costs: &[u64]) -> impl Iterator<Item = (usize, u64, &'a dyn Meter)> {
        (self.0.iter().zip(costs).enumerate())
            .map(|(at, (limit, &cost))| (at, cost, limit.meter()))
            .filter(|&(_, cost, _)| cost > 0)
    }

    /// One instant for all: the latest that any of them was written with.
    fn now(&self, now_ms: u64) -> u64 {
        let own = self.0.iter().map(|limit| limit.meter().now(now_ms));
        own.max().unwrap_or(now_ms)
    }
}

fn begun(mut limit: Limit, now_ms: u64) -> Limit {
    limit.meter_mut().advance(now_ms);
    limit
}

impl Limit {
    fn meter(&self) -> &dyn Meter {
        match self {
            Self::Bucket(bucket) => bucket,
            Self::Window(window) => window,
        }
    }

    fn meter_mut(&mut self) -> &mut dyn Meter {
        match self {
            Self::Bucket(bucket) => bucket,
            Self::Window(window) => window,
        }
    }
}

#[cfg(test)]
mod tests;
