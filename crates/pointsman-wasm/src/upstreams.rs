//! Rendezvous order over upstreams that are hashed once.

use crate::memory::{checked, with_arguments};
use wasm_bindgen::prelude::*;

/// What [`Ranking::pick`] answers for no upstream.
const NONE: u32 = u32::MAX;

/// [`pointsman::Ranking`].
#[wasm_bindgen]
pub struct Ranking {
    ranking: pointsman::Ranking,
    order: Vec<u32>,
}

#[wasm_bindgen]
impl Ranking {
    /// Arguments in memory: the names, then a weight for each where `weighted`.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: usize, count: usize, weighted: bool, seed_low: u32, seed_high: u32) -> Self {
        let seed = u64::from(seed_high) << 32 | u64::from(seed_low);
        let ranking = with_arguments(bytes, |mut arguments| {
            let names = arguments.texts(count);
            let weights = weighted.then(|| arguments.numbers(count));
            checked(pointsman::Ranking::new(&names, weights.as_deref(), seed))
        });
        let order = vec![0; count];
        Self { ranking, order }
    }

    /// Arguments in memory: the key. The index of the strongest, or 2^32 - 1 if there is none.
    pub fn pick(&self, bytes: usize) -> u32 {
        let picked = with_arguments(bytes, |key| checked(self.ranking.pick(key.bytes())));
        picked.map_or(NONE, |index| index as u32)
    }

    /// Arguments in memory: the key. Puts the `limit` strongest where [`indices`](Self::indices)
    /// says.
    pub fn order(&mut self, bytes: usize, limit: usize) {
        let order = &mut self.order[..limit];
        let ranking = &self.ranking;
        with_arguments(bytes, |key| checked(ranking.order_into(key.bytes(), order)));
    }

    /// Where the indices of an order lie, four bytes each; they stay there.
    pub fn indices(&self) -> *const u32 {
        self.order.as_ptr()
    }
}
