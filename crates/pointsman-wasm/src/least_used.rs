//! The upstream that was picked least often.

use crate::memory::{answer, checked, with_arguments};
use pointsman::{Join, Picked};
use wasm_bindgen::prelude::*;

/// [`pointsman::LeastUsed`].
#[wasm_bindgen]
pub struct LeastUsed(pointsman::LeastUsed);

#[wasm_bindgen]
impl LeastUsed {
    /// A table without upstreams.
    #[wasm_bindgen(constructor)]
    pub fn new(draw: f64) -> Self {
        Self(checked(pointsman::LeastUsed::new(draw as u64)))
    }

    /// Arguments in memory: the name, which is not there. `join`: 0 at the floor, 1 keeps its
    /// count, 2 at zero. Whether there was room.
    pub fn add(&mut self, bytes: usize, weight: u32, join: u32) -> bool {
        let join = match join {
            0 => Join::Floor,
            1 => Join::Keep,
            _ => Join::Zero,
        };
        with_arguments(bytes, |name| self.0.add(name.text(), weight, join).is_ok())
    }

    /// Arguments in memory: the name.
    pub fn remove(&mut self, bytes: usize) -> bool {
        with_arguments(bytes, |name| self.0.remove(name.text()))
    }

    /// Arguments in memory: the excluded names. Answers 0 where one is picked, 1 where all are
    /// excluded, 2 where there is none.
    pub fn pick(&mut self, bytes: usize, excluded: usize) -> Option<String> {
        with_arguments(bytes, |mut arguments| {
            let picked = checked(self.0.pick(&arguments.texts(excluded)));
            let (outcome, picked) = match picked {
                Picked::Upstream(upstream) => (0.0, Some(upstream.into())),
                Picked::AllExcluded => (1.0, None),
                _ => (2.0, None),
            };
            answer([outcome]);
            picked
        })
    }

    /// Arguments in memory: the name. Its count, or -1 if it is not there.
    pub fn count(&self, bytes: usize) -> f64 {
        let count = with_arguments(bytes, |name| self.0.count(name.text()));
        count.map_or(-1.0, |count| count as f64)
    }

    /// Arguments in memory: the name.
    pub fn record(&mut self, bytes: usize, times: f64) -> bool {
        with_arguments(bytes, |name| {
            checked(self.0.record(name.text(), times as u64))
        })
    }
}
