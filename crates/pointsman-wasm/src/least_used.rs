//! The upstream that was picked least often.

use crate::error::Fault;
use crate::memory::{answer, with_arguments};
use pointsman::{Join, Picked};
use wasm_bindgen::prelude::*;

/// [`pointsman::LeastUsed`].
#[wasm_bindgen]
pub struct LeastUsed(pointsman::LeastUsed);

#[wasm_bindgen]
impl LeastUsed {
    /// A table without upstreams.
    #[wasm_bindgen(constructor)]
    pub fn new(draw: f64) -> Result<Self, Fault> {
        Ok(Self(pointsman::LeastUsed::new(draw as u64)?))
    }

    /// Arguments in memory: the name. `join`: 0 at the floor, 1 keeps its count, 2 at zero.
    pub fn add(&mut self, bytes: usize, weight: u32, join: u32) -> Result<(), Fault> {
        let join = match join {
            0 => Join::Floor,
            1 => Join::Keep,
            _ => Join::Zero,
        };
        with_arguments(bytes, |name| self.0.add(name.text(), weight, join))?;
        Ok(())
    }

    /// Arguments in memory: the name.
    pub fn remove(&mut self, bytes: usize) -> bool {
        with_arguments(bytes, |name| self.0.remove(name.text()))
    }

    /// Arguments in memory: the excluded names. Answers 0 where one is picked, 1 where all are
    /// excluded, 2 where there is none.
    pub fn pick(&mut self, bytes: usize, excluded: usize) -> Result<Option<String>, Fault> {
        with_arguments(bytes, |mut arguments| {
            let (outcome, picked) = match self.0.pick(&arguments.texts(excluded))? {
                Picked::Upstream(upstream) => (0.0, Some(upstream.into())),
                Picked::AllExcluded => (1.0, None),
                _ => (2.0, None),
            };
            answer([outcome]);
            Ok(picked)
        })
    }

    /// Arguments in memory: the name. Its count, or -1 if it is not there.
    pub fn count(&self, bytes: usize) -> f64 {
        let count = with_arguments(bytes, |name| self.0.count(name.text()));
        count.map_or(-1.0, |count| count as f64)
    }

    /// Arguments in memory: the name.
    pub fn record(&mut self, bytes: usize, times: f64) -> Result<bool, Fault> {
        Ok(with_arguments(bytes, |name| {
            self.0.record(name.text(), times as u64)
        })?)
    }
}
