//! Rendezvous order over upstreams that are hashed once.

use crate::error::Fault;
use crate::memory::with_arguments;
use wasm_bindgen::prelude::*;

/// What [`Upstreams::pick`] answers for no upstream.
const NONE: u32 = u32::MAX;

/// [`pointsman::Upstreams`].
#[wasm_bindgen]
pub struct Upstreams {
    upstreams: pointsman::Upstreams,
    order: Vec<u32>,
}

#[wasm_bindgen]
impl Upstreams {
    /// Arguments in memory: the names, then a weight for each where `weighted`.
    #[wasm_bindgen(constructor)]
    pub fn new(
        bytes: usize,
        count: usize,
        weighted: bool,
        duplicates: bool,
        seed_low: u32,
        seed_high: u32,
    ) -> Result<Self, Fault> {
        let seed = u64::from(seed_high) << 32 | u64::from(seed_low);
        let upstreams = with_arguments(bytes, |mut arguments| {
            let names = arguments.texts(count);
            let weights = weighted.then(|| arguments.numbers(count));
            let make = match duplicates {
                true => pointsman::Upstreams::allowing_duplicates,
                false => pointsman::Upstreams::with_seed,
            };
            make(&names, weights.as_deref(), seed)
        })?;
        let order = vec![0; upstreams.len()];
        Ok(Self { upstreams, order })
    }

    /// Arguments in memory: the key, its length within bounds. The index of the strongest, or
    /// 2^32 - 1 if there is none.
    pub fn pick(&self, bytes: usize) -> u32 {
        with_arguments(bytes, |key| self.upstreams.pick(key.bytes()))
            .expect("the caller has checked the key")
            .map_or(NONE, |index| index as u32)
    }

    /// Arguments in memory: the key, its length within bounds. Puts the `limit` strongest where
    /// [`indices`](Self::indices) says.
    pub fn order(&mut self, bytes: usize, limit: usize) {
        let order = &mut self.order[..limit];
        with_arguments(bytes, |key| self.upstreams.order_into(key.bytes(), order))
            .expect("the caller has checked the key");
    }

    /// Where the indices of an order lie, four bytes each; they stay there.
    pub fn indices(&self) -> *const u32 {
        self.order.as_ptr()
    }
}
