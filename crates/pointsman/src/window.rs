use crate::Error;
use crate::bounds::{self, MAX_BOOKED, MAX_MS, MAX_WHOLE};
use crate::change::{self, Inherit};
use crate::grant::{self, Cancelled, Grant, Meter, Taken};
use alloc::vec::Vec;

/// Into how many parts a window is divided.
const PARTS: u64 = 48;

/// A window limit: costs of at most `capacity` in any `window_ms` that one may look back, wherever
/// it begins.
///
/// Grants that lie close together are counted as one group, until the last of them has left the
/// window. So it never admits too much, and on real traffic at least 98 % of the cost that an exact log
/// would admit. Time in it never goes back.
///
/// What is booked ahead with [`reserve`](Self::reserve) is served first come, first served, and
/// nobody passes a booking.
///
/// Cost: O(groups): at most 50 for the window, and as many for each window booked ahead.
///
/// Source: the sliding window log, its entries merged; compare the "sliding window counter" of
/// several HTTP gateways, which estimates where this bounds.
///
/// ```
/// use pointsman::{Taken, WindowLimit};
///
/// let mut limit = WindowLimit::new(2, 60_000)?;
/// assert!(matches!(limit.take(1, 0)?, Taken::Granted(_)));
/// assert!(matches!(limit.take(1, 50_000)?, Taken::Granted(_)));
/// assert_eq!(limit.take(1, 59_999)?, Taken::Wait { retry_after_ms: 1 });
/// assert!(matches!(limit.take(1, 60_000)?, Taken::Granted(_)));
/// assert_eq!(limit.take(3, 60_000)?, Taken::Never);
/// # Ok::<(), pointsman::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowLimit {
    capacity: u64,
    window_ms: u64,
    at_ms: u64,
    /// What starts before this has left the window, or was forgotten, before the rule changed. It counts
    /// no more, unless the group that it is in still does.
    counts_from_ms: u64,
    groups: Vec<Group>,
}

/// Grants of one part of a window. A new group begins at least a part after the one before, so
/// that of those whose last grant is within the window at most one begins before it and at most
/// 48 in it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    first_ms: u64,
    last_ms: u64,
    cost: u64,
}

impl WindowLimit {
    /// A limit of which nothing is used. `capacity`: 1 to 2^53 - 1. `window_ms`: 1 or more.
    pub fn new(capacity: u64, window_ms: u64) -> Result<Self, Error> {
        bounds::whole("capacity", capacity, 1, MAX_WHOLE)?;
        bounds::whole("window_ms", window_ms, 1, MAX_MS)?;
        Ok(Self {
            capacity,
            window_ms,
            at_ms: 0,
            counts_from_ms: 0,
            groups: Vec::new(),
        })
    }

    /// Takes `cost` (1 to 2^53 - 1) now, or says when it can be taken.
    pub fn take(&mut self, cost: u64, now_ms: u64) -> Result<Taken, Error> {
        grant::take(self, cost, 0, now_ms)
    }

    /// Takes `cost` as soon as it can be taken: charges it now, and says at which instant it may
    /// be used. Takes nothing if that would be more than `max_wait_ms` from now, after [`MAX_MS`],
    /// beyond exact arithmetic, or with [`MAX_BOOKED`] groups that count.
    pub fn reserve(&mut self, cost: u64, max_wait_ms: u64, now_ms: u64) -> Result<Taken, Error> {
        grant::take(self, cost, max_wait_ms, now_ms)
    }

    /// Gives back what a grant was charged, if it has not started; it is then of no cost. Where
    /// other grants share its group its instant stays: nobody starts before it, and the group counts
    /// at most 1/48 of the window longer.
    pub fn cancel(&mut self, grant: &mut Grant, now_ms: u64) -> Result<Cancelled, Error> {
        grant::cancel(self, grant, now_ms)
    }

    /// Corrects what a grant was charged to `actual` (0 or more), as long as it is within the
    /// window. What was used beyond the capacity is owed: later takers wait until it has left the
    /// window. It may be settled again: the last call counts.
    pub fn settle(&mut self, grant: &mut Grant, actual: u64, now_ms: u64) -> Result<(), Error> {
        grant::settle(self, grant, actual, now_ms)
    }

    /// Changes the rule from `now_ms` on, with the bounds of [`new`](Self::new). What is booked stays
    /// booked, at its instant; of the rest `inherit` says what is left. A rule that is the same one
    /// changes nothing. What has left the old window does not come back in a longer one.
    pub fn change(
        &mut self,
        capacity: u64,
        window_ms: u64,
        inherit: Inherit,
        now_ms: u64,
    ) -> Result<(), Error> {
        let rule = Self::new(capacity, window_ms)?;
        bounds::ms("now_ms", now_ms)?;
        self.change_to(&rule, inherit, self.now(now_ms));
        Ok(())
    }

    pub(crate) fn change_to(&mut self, rule: &Self, inherit: Inherit, now_ms: u64) {
        self.advance(now_ms);
        if (self.capacity, self.window_ms) == (rule.capacity, rule.window_ms) {
            return;
        }
        let begun = (self.groups).partition_point(|group| group.last_ms <= now_ms);
        if rule.window_ms > self.window_ms && now_ms >= self.window_ms {
            self.forget_before(now_ms - self.window_ms + 1);
        }
        match inherit {
            Inherit::Keep => {}
            Inherit::Proportional => self.scale(begun, rule.capacity),
            Inherit::Full => {
                let last = self.groups.drain(..begun).next_back();
                self.forget_before(last.map_or(0, |group| group.last_ms + 1));
            }
            Inherit::Empty => {
                let left = rule.capacity.saturating_sub(self.used_at(now_ms));
                let all = Group {
                    first_ms: now_ms,
                    last_ms: now_ms,
                    cost: left,
                };
                self.groups.splice(begun..begun, (left > 0).then_some(all));
            }
        }
        (self.capacity, self.window_ms) = (rule.capacity, rule.window_ms);
        self.advance(now_ms);
    }

    fn forget_before(&mut self, instant_ms: u64) {
        self.counts_from_ms = self.counts_from_ms.max(instant_ms);
    }

    /// Makes the first `begun` groups the same share of another capacity: what is left in the window
    /// at any later instant too, never less than that.
    fn scale(&mut self, begun: usize, capacity: u64) {
        let booked: u64 = self.groups[begun..].iter().map(|group| group.cost).sum();
        let (mut sum, mut scaled) = (0, 0);
        for group in self.groups[..begun].iter_mut().rev() {
            sum += group.cost;
            let next = change::share_up(sum, capacity, self.capacity).min(MAX_WHOLE - booked);
            group.cost = next - scaled;
            scaled = next;
        }
        let mut place = 0..;
        (self.groups).retain(|group| place.next() >= Some(begun) || group.cost > 0);
    }

    /// How much could be taken now, if nothing is booked ahead; 0 while some is owed.
    pub fn remaining(&self, now_ms: u64) -> Result<u64, Error> {
        grant::remaining(self, now_ms)
    }

    /// Costs of the groups that count at an instant, those booked ahead included.
    fn used_at(&self, now_ms: u64) -> u64 {
        self.counting(now_ms).map(|group| group.cost).sum()
    }

    fn counting(&self, now_ms: u64) -> impl Iterator<Item = &Group> {
        (self.groups.iter()).filter(move |group| self.leaves_at(group) > now_ms)
    }

    fn leaves_at(&self, group: &Group) -> u64 {
        group.last_ms + self.window_ms
    }

    /// Whether a grant is in the window.
    fn counts(&self, starts_at_ms: u64, now_ms: u64) -> bool {
        starts_at_ms >= self.counts_from_ms && now_ms < starts_at_ms + self.window_ms
    }

    /// The group in which a grant counts. Without one of its own (it was not asked for, or all of
    /// its group has come back) that is the next one, as long as the grant is in the window.
    fn group_of(&self, starts_at_ms: u64, now_ms: u64) -> Option<usize> {
        let counts = self.counts(starts_at_ms, now_ms);
        (self.groups.iter())
            .position(|group| starts_at_ms <= group.last_ms && now_ms < self.leaves_at(group))
            .filter(|&at| counts || self.groups[at].first_ms <= starts_at_ms)
    }

    /// Adds a cost that starts no sooner than any other.
    fn add_last(&mut self, cost: u64, starts_at_ms: u64) {
        let part_ms = self.window_ms.div_ceil(PARTS);
        match self.groups.last_mut() {
            // A rule that has changed may have left a group longer than a part; no two end alike.
            Some(group)
                if starts_at_ms - group.first_ms < part_ms || starts_at_ms == group.last_ms =>
            {
                group.last_ms = starts_at_ms;
                group.cost += cost;
            }
            _ => self.groups.push(Group {
                first_ms: starts_at_ms,
                last_ms: starts_at_ms,
                cost,
            }),
        }
    }

    /// How much more may be charged within exact arithmetic.
    fn room(&self, now_ms: u64) -> u64 {
        MAX_WHOLE.saturating_sub(self.used_at(now_ms))
    }
}

impl Meter for WindowLimit {
    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn now(&self, now_ms: u64) -> u64 {
        now_ms.max(self.at_ms)
    }

    fn begin(&mut self, _now_ms: u64) {}

    fn advance(&mut self, now_ms: u64) {
        self.at_ms = now_ms;
        let gone = self
            .groups
            .iter()
            .take_while(|group| self.leaves_at(group) <= now_ms)
            .count();
        self.groups.drain(..gone);
    }

    fn start(&self, cost: u64, now_ms: u64) -> u64 {
        let last_booked = self.groups.last().map_or(0, |group| group.last_ms);
        let mut start_ms = now_ms.max(last_booked);
        let mut used = self.used_at(now_ms);
        for group in self.counting(now_ms) {
            if self.leaves_at(group) > start_ms {
                if used + cost <= self.capacity {
                    break;
                }
                start_ms = self.leaves_at(group);
            }
            used -= group.cost;
        }
        start_ms
    }

    fn can_book(&self, cost: u64, starts_at_ms: u64, now_ms: u64) -> bool {
        let kept = starts_at_ms == now_ms || self.counting(now_ms).count() < MAX_BOOKED;
        kept && cost <= self.room(now_ms)
    }

    fn charge(&mut self, cost: u64, starts_at_ms: u64, now_ms: u64) {
        self.advance(now_ms);
        self.add_last(cost, starts_at_ms);
    }

    fn give_back(&mut self, cost: u64, starts_at_ms: u64, now_ms: u64) -> bool {
        let known =
            (self.group_of(starts_at_ms, now_ms)).filter(|&at| self.groups[at].cost >= cost);
        let Some(at) = known else {
            return false;
        };
        self.groups[at].cost -= cost;
        if self.groups[at].cost == 0 {
            self.groups.remove(at);
        }
        self.advance(now_ms);
        true
    }

    fn most(&self, cost: u64, starts_at_ms: u64, now_ms: u64) -> u64 {
        // A change of the rule may have left less of it than its cost.
        let counted = match self.group_of(starts_at_ms, now_ms) {
            Some(at) => cost.min(self.groups[at].cost),
            None if self.counts(starts_at_ms, now_ms) => 0,
            None => return MAX_WHOLE,
        };
        (counted + self.room(now_ms)).min(MAX_WHOLE)
    }

    fn recharge(&mut self, cost: u64, actual: u64, starts_at_ms: u64, now_ms: u64) {
        self.advance(now_ms);
        if let Some(at) = self.group_of(starts_at_ms, now_ms) {
            let group = &mut self.groups[at];
            group.cost = group.cost.saturating_sub(cost) + actual;
        } else if self.counts(starts_at_ms, now_ms) {
            self.add_last(actual, starts_at_ms);
        }
    }

    fn left(&self, now_ms: u64) -> u64 {
        self.capacity.saturating_sub(self.used_at(now_ms))
    }
}

#[cfg(test)]
mod tests;
