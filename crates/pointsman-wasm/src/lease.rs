//! Leases on upstreams.

use crate::memory::{answer, checked, with_arguments};
use pointsman::{Acquired, Choice, LeaseCandidate, Released, Renewed};
use wasm_bindgen::prelude::*;

/// [`pointsman::Leases`].
#[wasm_bindgen]
pub struct Leases(pointsman::Leases);

#[wasm_bindgen]
impl Leases {
    /// No leases.
    #[wasm_bindgen(constructor)]
    pub fn new(draw: f64) -> Self {
        Self(checked(pointsman::Leases::new(draw as u64)))
    }

    /// Arguments in memory: the lease id, then for each candidate its name and how many it may
    /// hold. Answers 0, the fence, the expiry and whether it is repeated, and returns the
    /// upstream; 1 and the milliseconds to wait; 2 for no candidate.
    pub fn acquire(
        &mut self,
        bytes: usize,
        count: usize,
        first: bool,
        ttl_ms: f64,
        now_ms: f64,
    ) -> Option<String> {
        let choice = match first {
            true => Choice::First,
            false => Choice::Fewest,
        };
        let acquired = with_arguments(bytes, |mut arguments| {
            let lease_id = arguments.framed_text();
            let candidates: Vec<LeaseCandidate<'_>> = (0..count)
                .map(|_| LeaseCandidate {
                    upstream: arguments.framed_text(),
                    max_in_flight: arguments.number(),
                })
                .collect();
            let (ttl_ms, now_ms) = (ttl_ms as u64, now_ms as u64);
            let leases = &mut self.0;
            checked(leases.acquire(&candidates, choice, lease_id, ttl_ms, now_ms))
        });
        match acquired {
            Acquired::Leased {
                upstream,
                fence,
                expires_ms,
                repeated,
            } => {
                answer([0.0, fence as f64, expires_ms as f64, f64::from(repeated)]);
                return Some(upstream);
            }
            Acquired::Wait { retry_after_ms } => answer([1.0, retry_after_ms as f64]),
            _ => answer([2.0]),
        }
        None
    }

    /// Arguments in memory: the lease id. Answers 0, the expiry and the fence; 1 if it is gone.
    pub fn renew(&mut self, bytes: usize, ttl_ms: f64, now_ms: f64) {
        let renewed = with_arguments(bytes, |lease_id| {
            checked(self.0.renew(lease_id.text(), ttl_ms as u64, now_ms as u64))
        });
        match renewed {
            Renewed::Until { expires_ms, fence } => {
                answer([0.0, expires_ms as f64, fence as f64]);
            }
            _ => answer([1.0]),
        }
    }

    /// Arguments in memory: the lease id. The upstream that it held, or nothing if it is gone.
    pub fn release(&mut self, bytes: usize, now_ms: f64) -> Option<String> {
        let released = with_arguments(bytes, |lease_id| {
            checked(self.0.release(lease_id.text(), now_ms as u64))
        });
        match released {
            Released::Released { upstream } => Some(upstream),
            _ => None,
        }
    }

    /// Arguments in memory: the name of the upstream.
    #[wasm_bindgen(js_name = inFlight)]
    pub fn in_flight(&self, bytes: usize, now_ms: f64) -> usize {
        with_arguments(bytes, |name| {
            checked(self.0.in_flight(name.text(), now_ms as u64))
        })
    }
}
