//! Token buckets and window limits, one or several together.

use crate::memory::{Reader, answer, checked, with_arguments};
use pointsman::{Cancelled, Grants, Limit, Start, TakenTogether, TokenBucket, WindowLimit};
use wasm_bindgen::prelude::*;

/// [`pointsman::Limits`]: a single limit is one of one.
#[wasm_bindgen]
pub struct Limits(pointsman::Limits);

#[wasm_bindgen]
impl Limits {
    /// Arguments in memory: for each limit its kind and three numbers. 0: a bucket that is full,
    /// 1: one that is empty, with its capacity, refill and period; 2: a window with its capacity,
    /// its length and nothing.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: usize, count: usize) -> Self {
        let limits = with_arguments(bytes, |mut arguments| {
            (0..count).map(|_| limit(&mut arguments)).collect()
        });
        Self(checked(pointsman::Limits::new(limits)))
    }

    /// Arguments in memory: the `count` costs. Answers 0 and the start; 1, the milliseconds to
    /// wait and the limit; 2 and the limit that can never grant it.
    pub fn reserve(&mut self, bytes: usize, count: usize, max_wait_ms: f64, now_ms: f64) {
        let costs = with_arguments(bytes, |mut arguments| arguments.wholes(count));
        match checked(self.0.reserve(&costs, max_wait_ms as u64, now_ms as u64)) {
            TakenTogether::Granted(grants) => answer([0.0, grants.starts_at_ms() as f64]),
            TakenTogether::Wait {
                retry_after_ms,
                limit,
            } => answer([1.0, retry_after_ms as f64, limit as f64]),
            TakenTogether::Never { limit } => answer([2.0, limit as f64]),
            _ => unreachable!("there is no other outcome"),
        }
    }

    /// Arguments in memory: the `count` costs that were charged. Whether they came back.
    pub fn cancel(&mut self, bytes: usize, count: usize, starts_at_ms: f64, now_ms: f64) -> bool {
        let costs = with_arguments(bytes, |mut arguments| arguments.wholes(count));
        let mut grants = checked(Grants::from_parts(costs, starts_at_ms as u64));
        checked(self.0.cancel(&mut grants, now_ms as u64)) == Cancelled::Returned
    }

    /// Arguments in memory: the `count` costs that were charged, and as many actual ones. Whether
    /// the debt stays within exact arithmetic; nothing has changed where it does not.
    pub fn settle(&mut self, bytes: usize, count: usize, starts_at_ms: f64, now_ms: f64) -> bool {
        let mut costs = with_arguments(bytes, |mut arguments| arguments.wholes(2 * count));
        let actual = costs.split_off(count);
        let mut grants = checked(Grants::from_parts(costs, starts_at_ms as u64));
        let settled = self.0.settle(&mut grants, &actual, now_ms as u64);
        settled.is_ok()
    }

    /// How much each limit has left.
    pub fn remaining(&mut self, now_ms: f64) -> Vec<f64> {
        let remaining = checked(self.0.remaining(now_ms as u64));
        remaining.into_iter().map(|left| left as f64).collect()
    }
}

fn limit(arguments: &mut Reader<'_>) -> Limit {
    let kind = arguments.number();
    let [first, second, third] = [(); 3].map(|()| arguments.whole());
    match kind {
        0 => Limit::Bucket(checked(TokenBucket::new(first, second, third, Start::Full))),
        1 => Limit::Bucket(checked(TokenBucket::new(
            first,
            second,
            third,
            Start::Empty,
        ))),
        _ => Limit::Window(checked(WindowLimit::new(first, second))),
    }
}
