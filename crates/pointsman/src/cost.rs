//! The cost of an upstream by its score and its weight (format v1): the least is the strongest.

use crate::score::{Lanes, WIDTH, descending, greatest};
use alloc::vec::Vec;

/// Above every cost of an upstream that has a weight above 0.
const INFINITE: u64 = f64::INFINITY.to_bits();

/// Weights by position, in chunks as [`Lanes`] are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Weights {
    count: usize,
    chunks: Vec<Chunk>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Chunk {
    weights: [u32; WIDTH],
    /// For [`below_costs`]: the bits of floats.
    scales: [u32; WIDTH],
}

impl Weights {
    /// One weight at least must be above 0.
    pub(crate) fn new(weights: &[u32]) -> Self {
        let chunk = |some: &[u32]| {
            let weights = core::array::from_fn(|lane| *some.get(lane).unwrap_or(&0));
            Chunk {
                weights,
                scales: weights.map(scale),
            }
        };
        Self {
            count: weights.len(),
            chunks: weights.chunks(WIDTH).map(chunk).collect(),
        }
    }

    /// The position of the least cost, the first of equals.
    ///
    /// Logarithms are slow. A lower bound of each cost is not, and only two or three upstreams
    /// have one that is below the cost of the upstream with the least of them.
    pub(crate) fn cheapest(&self, lanes: &Lanes, key: u64) -> Option<usize> {
        let cost = |position: usize| {
            let weight = self.chunks[position / WIDTH].weights[position % WIDTH];
            cost_rank(lanes.score(key, position), weight)
        };
        if self.count <= WIDTH {
            return (0..self.count).min_by_key(|&position| cost(position));
        }
        let bounds = || {
            let chunks = lanes.chunk_scores(key).zip(&self.chunks);
            chunks.map(|(scores, chunk)| below_costs(&scores, &chunk.scales))
        };
        let likely = greatest(bounds().map(|bounds| bounds.map(|bound| !bound)));
        let mut cheapest = (cost(likely), likely);
        let limit = (f64::from_bits(cheapest.0.min(INFINITE)) as f32).to_bits() as i32;
        for (number, bounds) in bounds().enumerate() {
            if any_up_to(&bounds, limit) {
                for lane in (0..WIDTH).filter(|&lane| bounds[lane] <= limit) {
                    let position = number * WIDTH + lane;
                    cheapest = cheapest.min((cost(position), position));
                }
            }
        }
        Some(cheapest.1)
    }

    /// Calls `place` with each rank below `limit` and its position: the least cost first, the
    /// lower position first of equals.
    pub(crate) fn sort(
        &self,
        lanes: &Lanes,
        key: u64,
        limit: usize,
        mut place: impl FnMut(usize, usize),
    ) {
        let scores = lanes.chunk_scores(key).flatten();
        let weights = self.chunks.iter().flat_map(|chunk| &chunk.weights);
        let mut ranks: Vec<(u64, u32)> = (scores.zip(weights))
            .take(self.count)
            .map(|(score, &weight)| cost_rank(score, weight))
            .zip(0..)
            .collect();
        ranks.sort_unstable();
        for (rank, (_, position)) in ranks.into_iter().take(limit).enumerate() {
            place(rank, position as usize);
        }
    }
}

/// The bits of a number below each cost: -ln u > 1 - u. They ascend as the numbers do.
#[inline(always)]
fn below_costs(scores: &[i32; WIDTH], scales: &[u32; WIDTH]) -> [i32; WIDTH] {
    core::array::from_fn(|lane| {
        // Halved to fit a signed number: vector instructions convert no other.
        let half = (descending(scores[lane]) >> 1) as i32;
        (half as f32 * f32::from_bits(scales[lane])).to_bits() as i32
    })
}

/// What makes 1 - u of half of 2^32 - 1 - score, divides by the weight, and stays below that
/// after three roundings to 24 bits.
fn scale(weight: u32) -> u32 {
    let rounding = 1.0 - 1.0 / f64::from(1 << 20);
    let scale = match weight {
        0 => f32::MAX,
        _ => (rounding / f64::from(1u32 << 31) / f64::from(weight)) as f32,
    };
    scale.to_bits()
}

fn any_up_to(bounds: &[i32; WIDTH], limit: i32) -> bool {
    bounds
        .iter()
        .fold(false, |any, &bound| any | (bound <= limit))
}

/// Something whose ascending order is the order of costs. The bits of a non-negative float ascend
/// as it does; upstreams of weight 0 stand behind infinity, by their scores.
fn cost_rank(score: i32, weight: u32) -> u64 {
    match weight {
        0 => INFINITE + 1 + u64::from(descending(score)),
        _ => (negative_log(score) / f64::from(weight)).to_bits(),
    }
}

/// -ln u for u = (score + 2^31 + 1/2) / 2^32, by IEEE addition, multiplication and division
/// alone, in this order, so that every platform gets the same bits.
///
/// u = m * 2^-q with m from 3/4 to 3/2, and ln m = 2 artanh((m-1)/(m+1)), by its series.
fn negative_log(score: i32) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let x = f64::from(score as u32 ^ 0x8000_0000) + 0.5;
    let exponent = (x.to_bits() >> 52) as i32 - 1023;
    let mut m = f64::from_bits(x.to_bits() & MANTISSA | 1023 << 52);
    let mut q = 32 - exponent;
    if m >= 1.5 {
        m /= 2.0;
        q -= 1;
    }
    let t = m - 1.0;
    let s = t / (2.0 + t);
    let z = s * s;
    let mut p = 1.0 / 13.0;
    for divisor in [11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        p = p * z + 1.0 / divisor;
    }
    f64::from(q) * core::f64::consts::LN_2 - 2.0 * s * p
}
