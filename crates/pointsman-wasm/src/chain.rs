//! Chains of fingerprints that grow entry by entry.

use crate::error::Fault;
use crate::memory::{answer, with_arguments};
use wasm_bindgen::prelude::*;

/// [`pointsman::Chain`].
#[wasm_bindgen]
pub struct Chain(pointsman::Chain);

#[wasm_bindgen]
impl Chain {
    /// Arguments in memory: the `parts` of the namespace.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: usize, parts: usize, seed_low: u32, seed_high: u32) -> Result<Self, Fault> {
        let seed = u64::from(seed_high) << 32 | u64::from(seed_low);
        let chain = with_arguments(bytes, |mut arguments| {
            pointsman::Chain::in_namespace(&arguments.texts(parts), seed)
        })?;
        Ok(Self(chain))
    }

    /// Arguments in memory: the entry, its length within bounds as the number of links is.
    /// Answers the halves of its link, the lower one first.
    pub fn push(&mut self, bytes: usize) {
        let link = with_arguments(bytes, |entry| self.0.push(entry.bytes()));
        answer_link(link.expect("the caller has checked the entry"));
    }

    /// Arguments in memory: the `parts` of the entry. Answers as [`push`](Self::push) does.
    #[wasm_bindgen(js_name = pushParts)]
    pub fn push_parts(&mut self, bytes: usize, parts: usize) {
        let link = with_arguments(bytes, |mut arguments| {
            let parts: Vec<&[u8]> = (0..parts).map(|_| arguments.framed_bytes()).collect();
            self.0.push_parts(&parts)
        });
        answer_link(link.expect("the caller has checked the entry"));
    }
}

fn answer_link(link: pointsman::Link) {
    let link = u64::from(link);
    answer([f64::from(link as u32), f64::from((link >> 32) as u32)]);
}
