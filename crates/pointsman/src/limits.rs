use crate::Error;
use crate::bounds::{self, MAX_LIMITS, MAX_MS, MAX_WHOLE};
use crate::bucket::TokenBucket;
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
        let (mut starts_at_ms, mut slowest, mut bookable) = (now_ms, 0, true);
        for (limit, cost, meter) in self.asked(costs) {
            let start_ms = meter.start(cost, now_ms);
            if start_ms > starts_at_ms {
                (starts_at_ms, slowest) = (start_ms, limit);
            }
            bookable &= meter.can_book(cost, now_ms);
        }
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
            bounds::whole("actual", actual, 0, limit.meter().most(cost, now_ms))?;
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
mod tests {
    use super::*;
    use crate::Start;

    fn requests_and_tokens() -> Limits {
        let requests = WindowLimit::new(2, 60_000).unwrap();
        let tokens = TokenBucket::new(10, 1, 1_000, Start::Full).unwrap();
        Limits::new([Limit::Window(requests), Limit::Bucket(tokens)].into()).unwrap()
    }

    fn granted(costs: &[u64], starts_at_ms: u64) -> TakenTogether {
        TakenTogether::Granted(Grants {
            costs: costs.to_vec(),
            starts_at_ms,
        })
    }

    #[test]
    fn what_one_refuses_costs_nothing_at_the_others() {
        let mut limits = requests_and_tokens();
        assert_eq!(limits.take(&[1, 9], 0), Ok(granted(&[1, 9], 0)));
        let before = limits.clone();
        let wait = TakenTogether::Wait {
            retry_after_ms: 2_000,
            limit: 1,
        };
        assert_eq!(limits.take(&[1, 3], 0), Ok(wait));
        assert_eq!(
            limits.take(&[1, 11], 0),
            Ok(TakenTogether::Never { limit: 1 })
        );
        assert_eq!(limits, before);
        assert_eq!(limits.take(&[1, 3], 2_000), Ok(granted(&[1, 3], 2_000)));
    }

    #[test]
    fn a_common_booking_does_not_overfill_the_bucket_that_was_not_in_the_way() {
        let mut limits = requests_and_tokens();
        assert_eq!(limits.take(&[2, 1], 0), Ok(granted(&[2, 1], 0)));
        assert_eq!(
            limits.reserve(&[1, 10], 90_000, 0),
            Ok(granted(&[1, 10], 60_000))
        );
        // The bucket was full long before 60,000. It is empty then, and not full again.
        assert_eq!(limits.remaining(60_000), Ok([1, 0].into()));
        let wait = TakenTogether::Wait {
            retry_after_ms: 1_000,
            limit: 1,
        };
        assert_eq!(limits.take(&[0, 1], 60_000), Ok(wait));
    }

    #[test]
    fn cancelling_gives_back_to_all_and_settling_corrects_all() {
        let mut limits = requests_and_tokens();
        let fresh = limits.clone();
        assert_eq!(limits.take(&[2, 0], 0), Ok(granted(&[2, 0], 0)));
        let Ok(TakenTogether::Granted(mut booked)) = limits.reserve(&[1, 5], 60_000, 0) else {
            panic!("it can wait");
        };
        assert_eq!(limits.cancel(&mut booked, 59_999), Ok(Cancelled::Returned));
        assert_eq!(limits.remaining(60_000), fresh.remaining(60_000));
        let Ok(TakenTogether::Granted(mut grants)) = limits.take(&[1, 5], 60_000) else {
            panic!("all is there");
        };
        limits.settle(&mut grants, &[2, 1], 60_000).unwrap();
        assert_eq!(limits.remaining(60_000), Ok([0, 9].into()));
    }

    #[test]
    fn a_limit_that_was_not_asked_can_be_settled() {
        let mut limits = requests_and_tokens();
        for costs in [[1, 0], [0, 1]] {
            let Ok(TakenTogether::Granted(mut grants)) = limits.take(&costs, 0) else {
                panic!("all is there");
            };
            limits.settle(&mut grants, &[1, 4], 0).unwrap();
        }
        assert_eq!(limits.remaining(0), Ok([0, 2].into()));
        let Ok(TakenTogether::Granted(mut booked)) = limits.reserve(&[1, 1], 90_000, 0) else {
            panic!("it can wait");
        };
        limits.settle(&mut booked, &[0, 0], 0).unwrap();
        assert_eq!(limits.cancel(&mut booked, 0), Ok(Cancelled::Returned));
    }

    #[test]
    fn nothing_starts_after_the_last_instant() {
        let once = WindowLimit::new(1, MAX_MS).unwrap();
        let mut limits = Limits::new([Limit::Window(once)].into()).unwrap();
        assert_eq!(limits.take(&[1], 1), Ok(granted(&[1], 1)));
        let wait = TakenTogether::Wait {
            retry_after_ms: MAX_MS,
            limit: 0,
        };
        assert_eq!(limits.reserve(&[1], MAX_MS, 1), Ok(wait));
    }

    #[test]
    fn misuse_names_the_argument() {
        let mut limits = requests_and_tokens();
        for (costs, argument) in [
            (&[1][..], "costs"),
            (&[0, 0], "cost"),
            (&[1, 1 << 53], "cost"),
        ] {
            assert_eq!(limits.take(costs, 0).unwrap_err().argument(), argument);
        }
        assert!(Limits::new(Vec::new()).is_err());
    }
}
