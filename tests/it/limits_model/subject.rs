use super::Answer;
use pointsman::{Cancelled, Grant, Grants, Limits, Taken, TakenTogether, TokenBucket, WindowLimit};

/// The library, with one way to call it: a single limit has one cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    Bucket(TokenBucket),
    Window(WindowLimit),
    Limits(Limits),
}

pub enum Held {
    One(Grant),
    Several(Grants),
}

impl Held {
    pub fn starts_at_ms(&self) -> u64 {
        match self {
            Self::One(grant) => grant.starts_at_ms(),
            Self::Several(grants) => grants.starts_at_ms(),
        }
    }

    pub fn costs(&self) -> Vec<u64> {
        match self {
            Self::One(grant) => vec![grant.cost()],
            Self::Several(grants) => grants.costs().to_vec(),
        }
    }
}

impl Subject {
    pub fn reserve(&mut self, costs: &[u64], wait_ms: u64, now_ms: u64) -> (Answer, Option<Held>) {
        // Taking and reserving with no patience are the same.
        let take = wait_ms == 0;
        let taken = match self {
            Self::Bucket(bucket) if take => bucket.take(costs[0], now_ms),
            Self::Bucket(bucket) => bucket.reserve(costs[0], wait_ms, now_ms),
            Self::Window(window) if take => window.take(costs[0], now_ms),
            Self::Window(window) => window.reserve(costs[0], wait_ms, now_ms),
            Self::Limits(limits) if take => return together(limits.take(costs, now_ms).unwrap()),
            Self::Limits(limits) => {
                return together(limits.reserve(costs, wait_ms, now_ms).unwrap());
            }
        };
        match taken.unwrap() {
            Taken::Granted(grant) => granted(Held::One(grant)),
            Taken::Wait { retry_after_ms } => (Answer::Wait(retry_after_ms, 0), None),
            Taken::Never => (Answer::Never(0), None),
            other => panic!("{other:?}"),
        }
    }

    /// Whether it was given back.
    pub fn cancel(&mut self, held: &mut Held, now_ms: u64) -> bool {
        let cancelled = match (self, held) {
            (Self::Bucket(bucket), Held::One(grant)) => bucket.cancel(grant, now_ms),
            (Self::Window(window), Held::One(grant)) => window.cancel(grant, now_ms),
            (Self::Limits(limits), Held::Several(grants)) => limits.cancel(grants, now_ms),
            _ => panic!("another's grant"),
        };
        cancelled.unwrap() == Cancelled::Returned
    }

    /// Whether it is within exact arithmetic.
    pub fn settle(&mut self, held: &mut Held, actual: &[u64], now_ms: u64) -> bool {
        let settled = match (self, held) {
            (Self::Bucket(bucket), Held::One(grant)) => bucket.settle(grant, actual[0], now_ms),
            (Self::Window(window), Held::One(grant)) => window.settle(grant, actual[0], now_ms),
            (Self::Limits(limits), Held::Several(grants)) => limits.settle(grants, actual, now_ms),
            _ => panic!("another's grant"),
        };
        settled.is_ok()
    }

    pub fn remaining(&self, now_ms: u64) -> Vec<u64> {
        match self {
            Self::Bucket(bucket) => vec![bucket.remaining(now_ms).unwrap()],
            Self::Window(window) => vec![window.remaining(now_ms).unwrap()],
            Self::Limits(limits) => limits.remaining(now_ms).unwrap(),
        }
    }
}

fn granted(held: Held) -> (Answer, Option<Held>) {
    (Answer::Granted(held.starts_at_ms()), Some(held))
}

fn together(taken: TakenTogether) -> (Answer, Option<Held>) {
    match taken {
        TakenTogether::Granted(grants) => granted(Held::Several(grants)),
        TakenTogether::Wait {
            retry_after_ms,
            limit,
        } => (Answer::Wait(retry_after_ms, limit), None),
        TakenTogether::Never { limit } => (Answer::Never(limit), None),
        other => panic!("{other:?}"),
    }
}
