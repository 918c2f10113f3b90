//! Chains of fingerprints that grow entry by entry.

use crate::memory::{answer, checked, with_arguments};
use wasm_bindgen::prelude::*;

/// [`pointsman::Chain`].
#[wasm_bindgen]
pub struct Chain(pointsman::Chain);

#[wasm_bindgen]
impl Chain {
    /// Arguments in memory: the `parts` of the namespace.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: usize, parts: usize, seed_low: u32, seed_high: u32) -> Self {
        let seed = u64::from(seed_high) << 32 | u64::from(seed_low);
        with_arguments(bytes, |mut arguments| {
            let parts = arguments.byte_strings(parts);
            Self(checked(pointsman::Chain::in_namespace(&parts, seed)))
        })
    }

    /// Arguments in memory: the entry. Answers the halves of its link, the lower one first.
    pub fn push(&mut self, bytes: usize) {
        answer_link(with_arguments(bytes, |entry| {
            checked(self.0.push(entry.bytes()))
        }));
    }

    /// Arguments in memory: the `parts` of the entry. Answers as [`push`](Self::push) does.
    #[wasm_bindgen(js_name = pushParts)]
    pub fn push_parts(&mut self, bytes: usize, parts: usize) {
        answer_link(with_arguments(bytes, |mut arguments| {
            checked(self.0.push_parts(&arguments.byte_strings(parts)))
        }));
    }
}

fn answer_link(link: pointsman::Link) {
    let link = u64::from(link);
    answer([f64::from(link as u32), f64::from((link >> 32) as u32)]);
}
