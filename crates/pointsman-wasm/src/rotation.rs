//! Rotation: by chance, shuffled, in turn, never twice in a row; and where chance comes from.

use crate::memory::{answer, checked, with_arguments};
use core::cell::RefCell;
use pointsman::{Boundary, Candidate, Different, OnlyOne, RepeatBy};
use rand::rngs::{SmallRng, SysRng};
use rand::{Rng, SeedableRng};
use wasm_bindgen::prelude::*;

/// What is answered for no upstream.
const NONE: i32 = -1;

thread_local! {
    static GENERATOR: RefCell<Option<SmallRng>> = const { RefCell::new(None) };
}

/// A random whole number below 2^53, from a generator that the host seeds once; -1 where the host
/// gives no randomness.
#[wasm_bindgen]
pub fn draw() -> f64 {
    GENERATOR.with_borrow_mut(|generator| {
        if generator.is_none() {
            *generator = SmallRng::try_from_rng(&mut SysRng).ok();
        }
        let drawn = generator
            .as_mut()
            .map(|generator| generator.next_u64() >> 11);
        drawn.map_or(-1.0, |drawn| drawn as f64)
    })
}

/// [`pointsman::random`].
#[wasm_bindgen]
pub fn random(count: usize, draw: f64) -> i32 {
    index(checked(pointsman::random(count, draw as u64)))
}

/// [`pointsman::weighted_random`]. Arguments in memory: the weights.
#[wasm_bindgen(js_name = weightedRandom)]
pub fn weighted_random(bytes: usize, count: usize, draw: f64) -> i32 {
    let weights = with_arguments(bytes, |mut arguments| arguments.numbers(count));
    index(checked(pointsman::weighted_random(&weights, draw as u64)))
}

/// [`pointsman::Shuffle`].
#[wasm_bindgen]
pub struct Shuffle(pointsman::Shuffle);

#[wasm_bindgen]
impl Shuffle {
    /// A shuffle that has returned nothing yet.
    #[wasm_bindgen(constructor)]
    pub fn new(no_boundary_repeat: bool) -> Self {
        Self(pointsman::Shuffle::new(match no_boundary_repeat {
            true => Boundary::NoRepeat,
            false => Boundary::Free,
        }))
    }

    /// Arguments in memory: the names. The index of the next one, or -1 for an empty list.
    pub fn next(&mut self, bytes: usize, count: usize, draw: f64) -> i32 {
        index(with_arguments(bytes, |mut arguments| {
            checked(self.0.next(&arguments.texts(count), draw as u64))
        }))
    }
}

/// [`pointsman::RoundRobin`].
#[wasm_bindgen]
#[derive(Default)]
pub struct RoundRobin(pointsman::RoundRobin);

#[wasm_bindgen]
impl RoundRobin {
    /// A rotation that begins at the first.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// The index whose turn it is, or -1 if there is none.
    pub fn next(&mut self, count: usize) -> i32 {
        index(self.0.next(count))
    }
}

/// [`pointsman::NoRepeat`].
#[wasm_bindgen]
pub struct NoRepeat(pointsman::NoRepeat);

#[wasm_bindgen]
impl NoRepeat {
    /// `only_one`: 0 fails, 1 reuses, 2 waits for `gap_ms`.
    #[wasm_bindgen(constructor)]
    pub fn new(by_exit: bool, only_one: u32, gap_ms: f64) -> Self {
        let by = match by_exit {
            true => RepeatBy::Exit,
            false => RepeatBy::Upstream,
        };
        let only_one = match only_one {
            0 => OnlyOne::Fail,
            1 => OnlyOne::Reuse,
            _ => OnlyOne::Wait {
                gap_ms: gap_ms as u64,
            },
        };
        Self(checked(pointsman::NoRepeat::new(by, only_one)))
    }

    /// Arguments in memory: for each candidate its name, its exit (empty if not known) and its
    /// weight. Answers 0, the index and whether it is repeated; 1 for no different one; 2 and
    /// the milliseconds to wait; 3 for none at all.
    pub fn next(&mut self, bytes: usize, count: usize, draw: f64, now_ms: f64) {
        let different = with_arguments(bytes, |mut arguments| {
            let candidates: Vec<Candidate<'_>> = (0..count)
                .map(|_| Candidate {
                    upstream: arguments.framed_text(),
                    exit: Some(arguments.framed_text()).filter(|exit| !exit.is_empty()),
                    weight: arguments.number(),
                })
                .collect();
            checked(self.0.next(&candidates, draw as u64, now_ms as u64))
        });
        match different {
            Different::Upstream { index, repeated } => {
                answer([0.0, index as f64, f64::from(repeated)]);
            }
            Different::NoDifferent => answer([1.0]),
            Different::Wait { retry_after_ms } => answer([2.0, retry_after_ms as f64]),
            _ => answer([3.0]),
        }
    }

    /// Arguments in memory: the names of the upstream and of the exit. Whether there was room.
    pub fn observe(&mut self, bytes: usize) -> bool {
        with_arguments(bytes, |mut arguments| {
            let (upstream, exit) = (arguments.framed_text(), arguments.framed_text());
            self.0.observe(upstream, exit).is_ok()
        })
    }
}

fn index(index: Option<usize>) -> i32 {
    index.map_or(NONE, |index| index as i32)
}
