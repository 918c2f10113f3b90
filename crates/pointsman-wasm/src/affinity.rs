//! The memory of which upstream has a conversation's prefix.

use crate::memory::{Reader, checked, with_arguments};
use pointsman::Link;
use wasm_bindgen::prelude::*;

/// The digits of a link.
const DIGITS: usize = 16;

/// [`pointsman::AffinityTable`].
#[wasm_bindgen]
pub struct AffinityTable(pointsman::AffinityTable);

#[wasm_bindgen]
impl AffinityTable {
    /// An empty table.
    #[wasm_bindgen(constructor)]
    pub fn new(max_links: usize, ttl_ms: f64) -> Self {
        Self(checked(pointsman::AffinityTable::new(
            max_links,
            ttl_ms as u64,
        )))
    }

    /// Arguments in memory: the links, 16 digits each.
    pub fn recall(&mut self, bytes: usize, now_ms: f64) -> Option<String> {
        let chain = with_arguments(bytes, links);
        checked(self.0.recall(&chain, now_ms as u64)).map(Into::into)
    }

    /// Arguments in memory: the last link, 16 digits, and the name of the upstream.
    pub fn remember(&mut self, bytes: usize, now_ms: f64) {
        with_arguments(bytes, |arguments| {
            let (link, upstream) = arguments.text().split_at(DIGITS);
            checked(
                self.0
                    .remember(&[checked(link.parse())], upstream, now_ms as u64),
            );
        });
    }

    /// How many links are held.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// How many had to go before their time.
    #[wasm_bindgen(js_name = evictedLive)]
    pub fn evicted_live(&self) -> f64 {
        self.0.evicted_live() as f64
    }
}

/// [`pointsman::log_spaced`].
#[wasm_bindgen(js_name = logSpaced)]
pub fn log_spaced(links: usize) -> Vec<u32> {
    let lengths = pointsman::log_spaced(links);
    lengths.into_iter().map(|length| length as u32).collect()
}

fn links(arguments: Reader<'_>) -> Vec<Link> {
    let text = arguments.text();
    (0..text.len() / DIGITS)
        .map(|at| checked(text[at * DIGITS..][..DIGITS].parse()))
        .collect()
}
