use crate::Error;
use crate::bounds::{self, MAX_BOOKED, MAX_MS, MAX_WHOLE};
use crate::change::{self, Inherit};
use crate::grant::{self, Cancelled, Grant, Meter, Taken};
use alloc::vec::Vec;

/// How much a new bucket holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Start {
    /// Its capacity: the first burst passes at once.
    #[default]
    Full,
    /// Nothing: it fills from the first `take` or `reserve` on that is not answered with `Never`,
    /// also one that must wait.
    Empty,
}

/// A token bucket: holds up to `capacity` tokens and regains `refill` of them each `period_ms`,
/// evenly, a part of a token each millisecond.
///
/// Exact for ever: 7 a second are 604,800 in a day, never one more. What is booked ahead with
/// [`reserve`](Self::reserve) is served first come, first served. Time in the bucket never goes
/// back: while a clock is behind the latest instant written with, nothing refills.
///
/// Cost: O(1), and O(bookings that have not started) where there are any.
///
/// Source: the token bucket of traffic policing, as in the ATM Forum's generic cell rate
/// algorithm (Traffic Management Specification 4.1, 1999), which it equals; kept as a level, in
/// units of 1 / `period_ms` token, because a level can be settled and shown.
///
/// ```
/// use pointsman::{Start, Taken, TokenBucket};
///
/// let mut bucket = TokenBucket::new(3, 7, 1_000, Start::Full)?;
/// assert!(matches!(bucket.take(3, 0)?, Taken::Granted(_)));
/// assert_eq!(bucket.take(1, 0)?, Taken::Wait { retry_after_ms: 143 });
/// assert!(matches!(bucket.take(1, 143)?, Taken::Granted(_)));
/// assert_eq!(bucket.take(4, 143)?, Taken::Never);
/// # Ok::<(), pointsman::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenBucket {
    capacity: u64,
    /// Units of one token, and units regained in a millisecond. `capacity * token` is at most
    /// 2^53 - 1.
    token: i64,
    per_ms: i64,
    /// Units as of `at_ms`, with everything that is booked taken off. Never so low that what is
    /// missing to full passes 2^53 - 1.
    level: i64,
    /// `None` until the first call of a bucket that began empty: from then on it fills.
    at_ms: Option<u64>,
    /// Bookings that had not started at `at_ms`: when each starts, and its units.
    booked: Vec<(u64, i64)>,
}

impl TokenBucket {
    /// A bucket. `capacity`, `refill` and `period_ms`: 1 or more; `period_ms`, divided by its
    /// greatest common divisor with `refill`, times `capacity` must be at most 2^53 - 1.
    pub fn new(capacity: u64, refill: u64, period_ms: u64, start: Start) -> Result<Self, Error> {
        bounds::whole("capacity", capacity, 1, MAX_WHOLE)?;
        bounds::whole("refill", refill, 1, MAX_WHOLE)?;
        bounds::whole("period_ms", period_ms, 1, MAX_MS)?;
        let divisor = greatest_common_divisor(refill, period_ms);
        let token = period_ms / divisor;
        bounds::whole("capacity", capacity, 1, MAX_WHOLE / token)?;
        let full = (capacity * token) as i64;
        Ok(Self {
            capacity,
            token: token as i64,
            per_ms: (refill / divisor) as i64,
            level: match start {
                Start::Full => full,
                Start::Empty => 0,
            },
            at_ms: match start {
                Start::Full => Some(0),
                Start::Empty => None,
            },
            booked: Vec::new(),
        })
    }

    /// Takes `cost` tokens (1 to 2^53 - 1) now, or says when they will be there.
    pub fn take(&mut self, cost: u64, now_ms: u64) -> Result<Taken, Error> {
        grant::take(self, cost, 0, now_ms)
    }

    /// Takes `cost` tokens as soon as they are there: charges them now, and says at which instant
    /// they may be used. Takes nothing if that would be more than `max_wait_ms` from now, after
    /// [`MAX_MS`], beyond exact arithmetic, or behind bookings at [`MAX_BOOKED`] instants.
    pub fn reserve(&mut self, cost: u64, max_wait_ms: u64, now_ms: u64) -> Result<Taken, Error> {
        grant::take(self, cost, max_wait_ms, now_ms)
    }

    /// Gives back what a grant was charged, if it has not started; it is then of no cost. Grants that others hold keep
    /// their instants.
    pub fn cancel(&mut self, grant: &mut Grant, now_ms: u64) -> Result<Cancelled, Error> {
        grant::cancel(self, grant, now_ms)
    }

    /// Corrects what a grant was charged to `actual` (0 or more). What was not used comes back,
    /// up to full; what was used beyond it is owed, and later takers wait for it. It may be
    /// settled again: the last call counts.
    pub fn settle(&mut self, grant: &mut Grant, actual: u64, now_ms: u64) -> Result<(), Error> {
        grant::settle(self, grant, actual, now_ms)
    }

    /// Changes the rule from `now_ms` on, with the bounds of [`new`](Self::new). What is booked stays
    /// booked, at its instant; of the rest `inherit` says what is left. A rule that is the same one
    /// changes nothing, but that a bucket which starts empty begins to fill.
    ///
    /// It is an error if what is booked cannot be counted under the new rule within exact arithmetic.
    pub fn change(
        &mut self,
        capacity: u64,
        refill: u64,
        period_ms: u64,
        inherit: Inherit,
        now_ms: u64,
    ) -> Result<(), Error> {
        let rule = Self::new(capacity, refill, period_ms, Start::Full)?;
        bounds::ms("now_ms", now_ms)?;
        self.change_to(&rule, inherit, self.now(now_ms))
    }

    pub(crate) fn change_to(
        &mut self,
        rule: &Self,
        inherit: Inherit,
        now_ms: u64,
    ) -> Result<(), Error> {
        let mut old = self.clone();
        old.advance(now_ms);
        let same = [self.token, self.per_ms] == [rule.token, rule.per_ms];
        if same && self.capacity == rule.capacity {
            *self = old;
            return Ok(());
        }
        let booked = (old.ahead(0) / old.token) as u64;
        if booked > MAX_WHOLE / rule.token as u64 {
            let max = MAX_WHOLE / booked;
            return bounds::whole("period_ms / gcd", rule.token as u64, 1, max);
        }
        let left = old.level + old.ahead(0);
        let capacity = rule.capacity;
        let missing = match inherit {
            Inherit::Keep => ((old.full() - old.level) as u64).div_ceil(old.token as u64),
            Inherit::Proportional if left < 0 => {
                capacity + left.unsigned_abs().div_ceil(old.token as u64) + booked
            }
            Inherit::Proportional => {
                let tokens = (left / old.token) as u64;
                capacity - change::share(tokens, capacity, old.capacity) + booked
            }
            Inherit::Full => booked,
            Inherit::Empty => capacity + booked,
        };
        let booked = (old.booked.iter())
            .map(|&(starts_at_ms, units)| (starts_at_ms, rule.units((units / old.token) as u64)));
        *self = Self {
            level: rule.full() - rule.units(missing),
            at_ms: Some(now_ms),
            booked: booked.collect(),
            ..*rule
        };
        Ok(())
    }

    /// How many whole tokens could be taken now; 0 while some are owed.
    pub fn remaining(&self, now_ms: u64) -> Result<u64, Error> {
        grant::remaining(self, now_ms)
    }

    fn full(&self) -> i64 {
        self.capacity as i64 * self.token
    }

    /// The lowest level: from there to full is 2^53 - 1.
    fn lowest(&self) -> i64 {
        self.full() - MAX_WHOLE as i64
    }

    /// Units of so many tokens; more than exact arithmetic holds were never charged.
    fn units(&self, tokens: u64) -> i64 {
        tokens.min(MAX_WHOLE / self.token as u64) as i64 * self.token
    }

    fn booking(&self, starts_at_ms: u64, units: i64) -> Option<usize> {
        let booking = (starts_at_ms, units);
        self.booked.iter().position(|known| *known == booking)
    }

    fn book(&mut self, starts_at_ms: u64, units: i64) {
        let behind = (self.booked).partition_point(|&(other_ms, _)| other_ms <= starts_at_ms);
        self.booked.insert(behind, (starts_at_ms, units));
    }

    /// Units of the bookings behind the first `started`. What is booked fills its place until it
    /// starts: level and this together never pass full, or more would be refilled than the
    /// bucket holds.
    fn ahead(&self, started: usize) -> i64 {
        self.booked[started..].iter().map(|&(_, units)| units).sum()
    }

    /// At how many instants the bookings behind the first `started` start.
    fn starts(&self, started: usize) -> usize {
        let booked = &self.booked[started..];
        booked.chunk_by(|one, next| one.0 == next.0).count()
    }

    /// The level at an instant, and how many bookings have started by then.
    fn level_at(&self, now_ms: u64) -> (i64, usize) {
        let (mut level, mut started) = (self.level, 0);
        let mut at_ms = self.at_ms.unwrap_or(now_ms);
        let mut ceiling = self.full() - self.ahead(0);
        for &(starts_at_ms, units) in &self.booked {
            if starts_at_ms > now_ms {
                break;
            }
            level = self.refilled(level, ceiling, starts_at_ms - at_ms);
            at_ms = starts_at_ms;
            ceiling += units;
            started += 1;
        }
        (self.refilled(level, ceiling, now_ms - at_ms), started)
    }

    /// Never multiplies beyond what is missing.
    fn refilled(&self, level: i64, ceiling: i64, elapsed_ms: u64) -> i64 {
        if elapsed_ms >= self.time_for(ceiling - level) {
            return ceiling;
        }
        level + elapsed_ms as i64 * self.per_ms
    }

    /// Milliseconds, rounded up, in which so many units are regained.
    fn time_for(&self, units: i64) -> u64 {
        (units.max(0) as u64).div_ceil(self.per_ms as u64)
    }
}

impl Meter for TokenBucket {
    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn now(&self, now_ms: u64) -> u64 {
        now_ms.max(self.at_ms.unwrap_or(0))
    }

    fn begin(&mut self, now_ms: u64) {
        self.at_ms.get_or_insert(now_ms);
    }

    fn advance(&mut self, now_ms: u64) {
        let (level, started) = self.level_at(now_ms);
        self.booked.drain(..started);
        self.level = level;
        self.at_ms = Some(now_ms);
    }

    fn start(&self, cost: u64, now_ms: u64) -> u64 {
        let wanted = self.units(cost);
        let (mut level, started) = self.level_at(now_ms);
        let mut at_ms = now_ms;
        let mut ceiling = self.full() - self.ahead(started);
        for &(starts_at_ms, units) in &self.booked[started..] {
            let ready_ms = at_ms + self.time_for(wanted - level);
            if wanted <= ceiling && ready_ms <= starts_at_ms {
                return ready_ms;
            }
            level = self.refilled(level, ceiling, starts_at_ms - at_ms);
            at_ms = starts_at_ms;
            ceiling += units;
        }
        at_ms + self.time_for(wanted - level)
    }

    fn can_book(&self, cost: u64, starts_at_ms: u64, now_ms: u64) -> bool {
        let (level, started) = self.level_at(now_ms);
        let kept = starts_at_ms == now_ms || self.starts(started) < MAX_BOOKED;
        kept && level - self.units(cost) >= self.lowest()
    }

    fn charge(&mut self, cost: u64, starts_at_ms: u64, now_ms: u64) {
        self.advance(now_ms);
        let units = self.units(cost);
        self.level -= units;
        if starts_at_ms > now_ms {
            self.book(starts_at_ms, units);
        }
    }

    fn give_back(&mut self, cost: u64, starts_at_ms: u64, now_ms: u64) -> bool {
        let units = self.units(cost);
        if self.booking(starts_at_ms, units).is_none() {
            return false;
        }
        self.advance(now_ms);
        if let Some(at) = self.booking(starts_at_ms, units) {
            self.booked.remove(at);
            self.level += units;
        }
        true
    }

    fn most(&self, cost: u64, _starts_at_ms: u64, now_ms: u64) -> u64 {
        let (level, _) = self.level_at(now_ms);
        let room = ((level - self.lowest()) / self.token) as u64;
        (cost + room).min(MAX_WHOLE / self.token as u64)
    }

    fn recharge(&mut self, cost: u64, actual: u64, starts_at_ms: u64, now_ms: u64) {
        self.advance(now_ms);
        let units = self.units(cost);
        let more = self.units(actual) - units;
        match self.booking(starts_at_ms, units) {
            Some(at) if units + more == 0 => drop(self.booked.remove(at)),
            Some(at) => self.booked[at].1 += more,
            // `Limits` may settle what was booked at the others, and not asked for here.
            None if starts_at_ms > now_ms => self.book(starts_at_ms, more),
            None => {}
        }
        let ceiling = self.full() - self.ahead(0);
        self.level = (self.level - more).min(ceiling);
    }

    fn left(&self, now_ms: u64) -> u64 {
        let (level, _) = self.level_at(now_ms);
        (level.max(0) / self.token) as u64
    }
}

fn greatest_common_divisor(left: u64, right: u64) -> u64 {
    match right {
        0 => left,
        _ => greatest_common_divisor(right, left % right),
    }
}

#[cfg(test)]
mod tests;
