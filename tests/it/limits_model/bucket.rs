use super::{Exact, Sizes};
use pointsman::bounds::MAX_WHOLE;
use pointsman::{Start, TokenBucket};

/// The bucket that the upstream keeps itself, in exact parts of a token, and a list of what will
/// be taken from it. There is no formula for a wait: it is searched.
pub struct ExactBucket {
    sizes: Sizes,
    /// Parts in a token, and parts regained in a millisecond: period and refill, as configured.
    token: i128,
    refill: i128,
    /// So many of our parts are one of the library's, which must stay below 2^53.
    divisor: i128,
    /// What is in it at `clock_ms`, below 0 in debt.
    held: i128,
    clock_ms: Option<u64>,
    /// In the order of the starts.
    booked: Vec<Entry>,
    /// All that was ever granted and not cancelled.
    granted: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    id: u64,
    starts_at_ms: u64,
    tokens: u64,
}

impl ExactBucket {
    pub fn new(sizes: Sizes, refill: u64, period_ms: u64, start: Start) -> (Self, TokenBucket) {
        let divisor = (1..=period_ms.min(refill))
            .rev()
            .find(|part| period_ms % part == 0 && refill % part == 0)
            .unwrap();
        let full = i128::from(sizes.capacity) * i128::from(period_ms);
        let exact = Self {
            sizes,
            token: period_ms.into(),
            refill: refill.into(),
            divisor: divisor.into(),
            held: if start == Start::Full { full } else { 0 },
            clock_ms: (start == Start::Full).then_some(0),
            booked: Vec::new(),
            granted: Vec::new(),
        };
        let bucket = TokenBucket::new(sizes.capacity, refill, period_ms, start).unwrap();
        (exact, bucket)
    }

    fn full(&self) -> i128 {
        i128::from(self.sizes.capacity) * self.token
    }

    fn parts(&self, tokens: u64) -> i128 {
        i128::from(tokens) * self.token
    }

    fn held_at(&self, at_ms: u64) -> i128 {
        let (mut held, mut last_ms) = (self.held, self.clock_ms.unwrap_or(at_ms));
        let refilled = |held: i128, from_ms: u64, to_ms: u64| {
            (held + self.refill * i128::from(to_ms - from_ms)).min(self.full())
        };
        for one in self.booked.iter().filter(|one| one.starts_at_ms <= at_ms) {
            held = refilled(held, last_ms, one.starts_at_ms) - self.parts(one.tokens);
            last_ms = one.starts_at_ms;
        }
        refilled(held, last_ms, at_ms)
    }

    /// What is in it and promised to nobody.
    fn free_at(&self, at_ms: u64) -> i128 {
        let later = self.booked.iter().filter(|one| one.starts_at_ms > at_ms);
        let promised: i128 = later.map(|one| self.parts(one.tokens)).sum();
        self.held_at(at_ms) - promised
    }

    fn write(&mut self, now_ms: u64) {
        self.held = self.held_at(now_ms);
        self.clock_ms = Some(now_ms);
        self.booked.retain(|one| one.starts_at_ms > now_ms);
    }

    fn book(&mut self, entry: Entry) {
        self.booked.push(entry);
        self.booked.sort_by_key(|one| one.starts_at_ms);
    }
}

impl Exact for ExactBucket {
    fn sizes(&self) -> Sizes {
        self.sizes
    }

    fn clock_ms(&self) -> u64 {
        self.clock_ms.unwrap_or(0)
    }

    fn begin(&mut self, now_ms: u64) -> bool {
        self.clock_ms
            .replace(self.clock_ms.unwrap_or(now_ms))
            .is_none()
    }

    fn start_ms(&self, cost: u64, now_ms: u64) -> u64 {
        let enough = |wait_ms| self.free_at(now_ms + wait_ms) >= self.parts(cost);
        let (mut too_short, mut long_enough) = (0, 0);
        while !enough(long_enough) {
            (too_short, long_enough) = (long_enough, 2 * long_enough + 1);
        }
        while too_short + 1 < long_enough {
            let middle = too_short + (long_enough - too_short) / 2;
            match enough(middle) {
                true => long_enough = middle,
                false => too_short = middle,
            }
        }
        now_ms + long_enough
    }

    fn holds(&self, charged: u64, actual: u64, now_ms: u64) -> bool {
        let missing = self.full() - self.free_at(now_ms);
        let more = self.parts(actual) - self.parts(charged);
        let most = i128::from(MAX_WHOLE) * self.divisor;
        self.parts(actual) <= most && missing + more.max(0) <= most
    }

    fn counts(&self, _id: u64, _starts_at_ms: u64, _now_ms: u64) -> bool {
        true
    }

    fn charge(&mut self, id: u64, cost: u64, starts_at_ms: u64, now_ms: u64) {
        self.write(now_ms);
        let entry = Entry {
            id,
            starts_at_ms,
            tokens: cost,
        };
        self.granted.push(entry);
        match starts_at_ms > now_ms {
            true => self.book(entry),
            false => self.held -= self.parts(cost),
        }
    }

    fn correct(&mut self, id: u64, charged: u64, actual: u64, starts_at_ms: u64, now_ms: u64) {
        self.write(now_ms);
        if starts_at_ms > now_ms {
            self.booked.retain(|one| one.id != id);
            self.book(Entry {
                id,
                starts_at_ms,
                tokens: actual,
            });
        } else {
            let back = self.parts(charged) - self.parts(actual);
            self.held = (self.held + back).min(self.full());
        }
    }

    fn cancel(&mut self, id: u64, now_ms: u64) {
        self.write(now_ms);
        self.booked.retain(|one| one.id != id);
        self.granted.retain(|one| one.id != id);
    }

    fn remaining(&self, now_ms: u64) -> u64 {
        (self.free_at(now_ms).max(0) / self.token) as u64
    }

    /// The upstream's own bucket, full in the beginning, holds each grant at its start.
    fn check_from_outside(&mut self) {
        self.granted.sort_by_key(|one| one.starts_at_ms);
        let (mut held, mut last_ms) = (self.full(), 0);
        for one in &self.granted {
            let elapsed = i128::from(one.starts_at_ms - last_ms);
            held = (held + self.refill * elapsed).min(self.full()) - self.parts(one.tokens);
            assert!(
                held >= 0,
                "{} parts too many at {}",
                -held,
                one.starts_at_ms
            );
            last_ms = one.starts_at_ms;
        }
    }
}
