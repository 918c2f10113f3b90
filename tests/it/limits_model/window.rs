use super::{Exact, Sizes};
use pointsman::WindowLimit;
use pointsman::bounds::MAX_WHOLE;
use std::collections::BTreeMap;

/// Every grant with its cost, and the groups as lists of grants. Nothing is ever dropped.
pub struct ExactWindow {
    sizes: Sizes,
    window_ms: u64,
    clock_ms: u64,
    groups: Vec<Group>,
    /// The exact log: start and cost of each grant.
    log: BTreeMap<u64, (u64, u64)>,
}

struct Group {
    first_ms: u64,
    last_ms: u64,
    members: BTreeMap<u64, u64>,
}

impl ExactWindow {
    pub fn new(sizes: Sizes, window_ms: u64) -> (Self, WindowLimit) {
        let exact = Self {
            sizes,
            window_ms,
            clock_ms: 0,
            groups: Vec::new(),
            log: BTreeMap::new(),
        };
        (exact, WindowLimit::new(sizes.capacity, window_ms).unwrap())
    }

    fn used_at(&self, at_ms: u64) -> u128 {
        let counting = (self.groups.iter()).filter(|group| at_ms < group.last_ms + self.window_ms);
        let costs = counting.flat_map(|group| group.members.values());
        costs.map(|&cost| u128::from(cost)).sum()
    }

    /// A part of a window is a 48th, rounded up.
    fn join(&mut self, id: u64, cost: u64, starts_at_ms: u64) {
        let part_ms = self.window_ms / 48 + u64::from(self.window_ms % 48 != 0);
        match self.groups.last_mut() {
            Some(newest) if starts_at_ms < newest.first_ms + part_ms => {
                newest.last_ms = starts_at_ms;
                newest.members.insert(id, cost);
            }
            _ => self.groups.push(Group {
                first_ms: starts_at_ms,
                last_ms: starts_at_ms,
                members: BTreeMap::from([(id, cost)]),
            }),
        }
    }

    /// Whoever corrects a grant that is in no group (it was not asked for, or its group went when
    /// all of it had come back) comes to the next one, or behind them all.
    fn place(&mut self, id: u64, cost: u64, starts_at_ms: u64) {
        let next = (self.groups.iter_mut()).find(|group| starts_at_ms <= group.last_ms);
        match next {
            Some(group) => drop(group.members.insert(id, cost)),
            None => self.join(id, cost, starts_at_ms),
        }
    }
}

impl Exact for ExactWindow {
    fn sizes(&self) -> Sizes {
        self.sizes
    }

    fn clock_ms(&self) -> u64 {
        self.clock_ms
    }

    fn begin(&mut self, _now_ms: u64) -> bool {
        false
    }

    fn start_ms(&self, cost: u64, now_ms: u64) -> u64 {
        let newest_ms = self.groups.last().map_or(0, |group| group.last_ms);
        let earliest_ms = now_ms.max(newest_ms);
        let ends = self
            .groups
            .iter()
            .map(|group| group.last_ms + self.window_ms);
        let fits = |&at_ms: &u64| {
            self.used_at(at_ms) + u128::from(cost) <= u128::from(self.sizes.capacity)
        };
        let mut instants: Vec<u64> = ends.filter(|&end_ms| end_ms > earliest_ms).collect();
        instants.push(earliest_ms);
        instants.into_iter().filter(fits).min().unwrap()
    }

    fn holds(&self, charged: u64, actual: u64, now_ms: u64) -> bool {
        let used = self.used_at(now_ms) + u128::from(actual.saturating_sub(charged));
        actual <= MAX_WHOLE && used <= u128::from(MAX_WHOLE)
    }

    fn counts(&self, id: u64, starts_at_ms: u64, now_ms: u64) -> bool {
        let is_its_own = |group: &Group| {
            group.members.contains_key(&id)
                && group.first_ms <= starts_at_ms
                && now_ms < group.last_ms + self.window_ms
        };
        now_ms < starts_at_ms + self.window_ms || self.groups.iter().any(is_its_own)
    }

    /// Checks with the exact log that no window that ends with this grant is above the capacity.
    fn charge(&mut self, id: u64, cost: u64, starts_at_ms: u64, now_ms: u64) {
        self.clock_ms = now_ms;
        self.join(id, cost, starts_at_ms);
        self.log.insert(id, (starts_at_ms, cost));
        let window_ms = self.window_ms;
        let within = (self.log.values()).filter(|(at_ms, _)| {
            (starts_at_ms + 1).saturating_sub(window_ms) <= *at_ms && *at_ms <= starts_at_ms
        });
        let sum: u128 = within.map(|&(_, cost)| u128::from(cost)).sum();
        assert!(sum <= self.sizes.capacity.into(), "{sum} at {starts_at_ms}");
    }

    fn correct(&mut self, id: u64, _charged: u64, actual: u64, starts_at_ms: u64, now_ms: u64) {
        self.clock_ms = now_ms;
        self.log.insert(id, (starts_at_ms, actual));
        let in_window = now_ms < starts_at_ms + self.window_ms;
        let group = (self.groups.iter_mut()).find(|group| group.members.contains_key(&id));
        match group {
            Some(group) if group.first_ms <= starts_at_ms || in_window => {
                group.members.insert(id, actual);
            }
            None if in_window => self.place(id, actual, starts_at_ms),
            _ => {}
        }
    }

    fn cancel(&mut self, id: u64, now_ms: u64) {
        self.clock_ms = now_ms;
        self.log.remove(&id);
        if let Some(group) = (self.groups.iter_mut()).find(|one| one.members.contains_key(&id)) {
            group.members.remove(&id);
            let first_ms = group.first_ms;
            if group.members.values().all(|&cost| cost == 0) {
                self.groups.retain(|group| group.first_ms != first_ms);
            }
        }
    }

    fn remaining(&self, now_ms: u64) -> u64 {
        u128::from(self.sizes.capacity).saturating_sub(self.used_at(now_ms)) as u64
    }

    /// It has been, with each grant.
    fn check_from_outside(&mut self) {}
}
