use crate::Error;
use crate::bounds::{self, MAX_MS, MAX_WHOLE};
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
            groups: Vec::new(),
        })
    }

    /// Takes `cost` (1 to 2^53 - 1) now, or says when it can be taken.
    pub fn take(&mut self, cost: u64, now_ms: u64) -> Result<Taken, Error> {
        grant::take(self, cost, 0, now_ms)
    }

    /// Takes `cost` as soon as it can be taken: charges it now, and says at which instant it may
    /// be used. Takes nothing if that would be more than `max_wait_ms` from now, after [`MAX_MS`],
    /// or beyond exact arithmetic.
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

    /// How much could be taken now, if nothing is booked ahead; 0 while some is owed.
    pub fn remaining(&self, now_ms: u64) -> Result<u64, Error> {
        grant::remaining(self, now_ms)
    }

    /// Costs of the groups that count at an instant, those booked ahead included.
    fn used_at(&self, now_ms: u64) -> u64 {
        let counts = |group: &&Group| self.leaves_at(group) > now_ms;
        self.groups
            .iter()
            .filter(counts)
            .map(|group| group.cost)
            .sum()
    }

    fn leaves_at(&self, group: &Group) -> u64 {
        group.last_ms + self.window_ms
    }

    /// The group in which a grant counts. Without one of its own (it was not asked for, or all of
    /// its group has come back) that is the next one, as long as the grant is in the window.
    fn group_of(&self, starts_at_ms: u64, now_ms: u64) -> Option<usize> {
        let counts = now_ms < starts_at_ms + self.window_ms;
        (self.groups.iter())
            .position(|group| starts_at_ms <= group.last_ms)
            .filter(|&at| counts || self.groups[at].first_ms <= starts_at_ms)
    }

    /// Adds a cost that starts no sooner than any other.
    fn add_last(&mut self, cost: u64, starts_at_ms: u64) {
        let part_ms = self.window_ms.div_ceil(PARTS);
        match self.groups.last_mut() {
            Some(group) if starts_at_ms - group.first_ms < part_ms => {
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

    fn advance(&mut self, now_ms: u64) {
        self.at_ms = now_ms;
        let gone = self
            .groups
            .iter()
            .take_while(|group| self.leaves_at(group) <= now_ms)
            .count();
        self.groups.drain(..gone);
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

    fn start(&self, cost: u64, now_ms: u64) -> u64 {
        let last_booked = self.groups.last().map_or(0, |group| group.last_ms);
        let mut start_ms = now_ms.max(last_booked);
        let mut used = self.used_at(start_ms);
        for group in &self.groups {
            if used + cost <= self.capacity {
                break;
            }
            if self.leaves_at(group) > start_ms {
                start_ms = self.leaves_at(group);
                used -= group.cost;
            }
        }
        start_ms
    }

    fn can_book(&self, cost: u64, now_ms: u64) -> bool {
        cost <= self.room(now_ms)
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

    fn most(&self, cost: u64, now_ms: u64) -> u64 {
        (cost + self.room(now_ms)).min(MAX_WHOLE)
    }

    fn recharge(&mut self, cost: u64, actual: u64, starts_at_ms: u64, now_ms: u64) {
        self.advance(now_ms);
        if let Some(at) = self.group_of(starts_at_ms, now_ms) {
            let group = &mut self.groups[at];
            group.cost = group.cost.saturating_sub(cost) + actual;
        } else if now_ms < starts_at_ms + self.window_ms {
            self.add_last(actual, starts_at_ms);
        }
    }

    fn left(&self, now_ms: u64) -> u64 {
        self.capacity.saturating_sub(self.used_at(now_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn granted(cost: u64, starts_at_ms: u64) -> Taken {
        Taken::Granted(Grant { cost, starts_at_ms })
    }

    fn wait(retry_after_ms: u64) -> Taken {
        Taken::Wait { retry_after_ms }
    }

    #[test]
    fn exactly_the_capacity_passes_in_a_window_and_the_next_when_the_first_has_left() {
        let mut limit = WindowLimit::new(3, 1_000).unwrap();
        for now_ms in [0, 400, 800] {
            assert_eq!(limit.take(1, now_ms), Ok(granted(1, now_ms)));
        }
        let before = limit.clone();
        assert_eq!(limit.take(1, 999), Ok(wait(1)));
        assert_eq!(limit.take(2, 999), Ok(wait(401)));
        assert_eq!(limit.take(4, 999), Ok(Taken::Never));
        assert_eq!(limit, before, "a refusal changes nothing");
        assert_eq!(limit.take(1, 1_000), Ok(granted(1, 1_000)));
    }

    #[test]
    fn a_group_counts_until_its_last_grant_has_left() {
        // A part of 4,800 is 100 long: 0 and 99 are one group, 100 begins the next.
        let mut limit = WindowLimit::new(3, 4_800).unwrap();
        for now_ms in [0, 99, 100] {
            assert_eq!(limit.take(1, now_ms), Ok(granted(1, now_ms)));
        }
        assert_eq!(limit.take(1, 4_800), Ok(wait(99)));
        assert_eq!(limit.remaining(4_899), Ok(2));
        assert_eq!(limit.remaining(4_900), Ok(3));
    }

    #[test]
    fn bookings_are_served_in_order_and_nobody_passes_them() {
        let mut limit = WindowLimit::new(2, 100).unwrap();
        assert_eq!(limit.take(2, 0), Ok(granted(2, 0)));
        let Ok(Taken::Granted(mut booked)) = limit.reserve(1, 500, 10) else {
            panic!("it can wait");
        };
        assert_eq!(booked.starts_at_ms(), 100);
        assert_eq!(limit.reserve(2, 500, 10), Ok(granted(2, 200)));
        assert_eq!(limit.take(1, 150), Ok(wait(150)));
        assert_eq!(limit.cancel(&mut booked, 150), Ok(Cancelled::Started));
    }

    #[test]
    fn a_cancelled_booking_is_given_back() {
        let mut limit = WindowLimit::new(2, 100).unwrap();
        assert_eq!(limit.take(2, 0), Ok(granted(2, 0)));
        let Ok(Taken::Granted(mut booked)) = limit.reserve(2, 500, 10) else {
            panic!("it can wait");
        };
        assert_eq!(limit.cancel(&mut booked, 20), Ok(Cancelled::Returned));
        assert_eq!(limit.take(2, 100), Ok(granted(2, 100)));
    }

    #[test]
    fn settling_corrects_while_it_is_in_the_window() {
        let mut limit = WindowLimit::new(10, 100).unwrap();
        let Ok(Taken::Granted(mut grant)) = limit.take(9, 0) else {
            panic!("nothing is used");
        };
        limit.settle(&mut grant, 2, 50).unwrap();
        assert_eq!(limit.remaining(50), Ok(8));
        limit.settle(&mut grant, 15, 50).unwrap();
        assert_eq!(
            (limit.remaining(50), limit.take(1, 50)),
            (Ok(0), Ok(wait(50)))
        );
        limit.settle(&mut grant, 3, 150).unwrap();
        assert_eq!(limit.remaining(150), Ok(10));
    }

    #[test]
    fn what_starts_too_late_or_adds_up_too_high_is_refused() {
        let mut limit = WindowLimit::new(1, MAX_MS).unwrap();
        assert_eq!(limit.take(1, 0), Ok(granted(1, 0)));
        assert_eq!(limit.reserve(1, MAX_MS, 0), Ok(granted(1, MAX_MS)));
        let before = limit.clone();
        assert_eq!(limit.reserve(1, MAX_MS, MAX_MS), Ok(wait(MAX_MS)));
        let mut limit_of_all = WindowLimit::new(MAX_WHOLE, 100).unwrap();
        let Ok(Taken::Granted(mut grant)) = limit_of_all.take(1, 0) else {
            panic!("nothing is used");
        };
        assert_eq!(limit_of_all.reserve(MAX_WHOLE, 100, 0), Ok(wait(100)));
        assert_eq!(
            limit_of_all.reserve(MAX_WHOLE - 1, 100, 0),
            Ok(granted(MAX_WHOLE - 1, 0))
        );
        let error = limit_of_all.settle(&mut grant, 2, 0).unwrap_err();
        assert_eq!(error.bound(), "a whole number from 0 to 1");
        assert_eq!(limit, before);
    }

    #[test]
    fn a_grant_whose_group_was_given_back_counts_again_when_it_is_settled() {
        let mut limit = WindowLimit::new(5, 4_800).unwrap();
        assert_eq!(limit.take(5, 0), Ok(granted(5, 0)));
        let [first, second] = [2, 3].map(|cost| limit.reserve(cost, 4_800, 0));
        let (Ok(Taken::Granted(mut first)), Ok(Taken::Granted(mut second))) = (first, second)
        else {
            panic!("both can wait");
        };
        limit.settle(&mut first, 0, 0).unwrap();
        assert_eq!(limit.cancel(&mut second, 0), Ok(Cancelled::Returned));
        limit.settle(&mut first, 4, 4_800).unwrap();
        assert_eq!(limit.remaining(9_599), Ok(1));
        assert_eq!(limit.remaining(9_600), Ok(5));
    }

    #[test]
    fn no_more_than_fifty_groups_are_ever_counted() {
        let mut limit = WindowLimit::new(1_000_000, 1_000).unwrap();
        for now_ms in 0..5_000 {
            assert_eq!(limit.take(1, now_ms), Ok(granted(1, now_ms)));
            assert!(limit.groups.len() <= 50);
        }
    }
}
