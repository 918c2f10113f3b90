//! The score of a key at an upstream (format v1), over many upstreams at once.

use alloc::vec::Vec;

/// Fingerprints of upstreams, split into halves so that the compiler can score several at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lanes {
    low: Vec<u32>,
    high: Vec<u32>,
}

/// How many upstreams are scored side by side.
const WIDTH: usize = 8;

/// Up to this many, a rank is counted by comparing all with all: no branch depends on the data.
const COUNTED: usize = 64;

impl Lanes {
    pub(crate) fn new(fingerprints: impl Iterator<Item = u64> + Clone) -> Self {
        Self {
            low: fingerprints.clone().map(low).collect(),
            high: fingerprints.map(high).collect(),
        }
    }

    /// Writes positions into `order`, as many as it holds: the greatest score (with weights, the
    /// least cost) first, the lower position first of equals.
    pub(crate) fn sort(&self, key: u64, weights: Option<&[u32]>, order: &mut [u32]) {
        let count = self.low.len();
        match weights {
            None if count <= COUNTED && order.len() >= count => {
                let mut scores = [0; COUNTED];
                for (slot, score) in scores.iter_mut().zip(self.scores(key)) {
                    *slot = score;
                }
                count_ranks(&scores[..count], order);
            }
            None => {
                let ranks = self.scores(key).map(|score| descending(score).into());
                sort_ranks(ranks, order);
            }
            Some(weights) => {
                let scores = self.scores(key).zip(weights);
                sort_ranks(
                    scores.map(|(score, &weight)| cost_rank(score, weight)),
                    order,
                );
            }
        }
    }

    /// The position of the greatest score, the first of equals.
    pub(crate) fn strongest(&self, key: u64) -> Option<usize> {
        let (key_low, key_high) = (low(key), high(key));
        let count = self.low.len();
        let whole = count - count % WIDTH;
        let mut best = [i32::MIN; WIDTH];
        let mut best_at = [0u32; WIDTH];
        let chunks = self
            .low
            .chunks_exact(WIDTH)
            .zip(self.high.chunks_exact(WIDTH));
        for (at, (lows, highs)) in (0u32..).zip(chunks) {
            for lane in 0..WIDTH {
                let score = score(key_low, key_high, lows[lane], highs[lane]);
                let better = score > best[lane];
                best[lane] = if better { score } else { best[lane] };
                best_at[lane] = if better { at } else { best_at[lane] };
            }
        }
        let in_chunks =
            (0..WIDTH.min(whole)).map(|lane| (best[lane], best_at[lane] as usize * WIDTH + lane));
        let behind =
            (whole..count).map(|at| (score(key_low, key_high, self.low[at], self.high[at]), at));
        in_chunks
            .chain(behind)
            .reduce(first_greatest)
            .map(|(_, at)| at)
    }

    /// The position of the least cost, the first of equals.
    pub(crate) fn cheapest(&self, key: u64, weights: &[u32]) -> Option<usize> {
        (self.scores(key).zip(weights))
            .map(|(score, &weight)| cost_rank(score, weight))
            .zip(0..)
            .min()
            .map(|(_, at)| at)
    }

    fn scores(&self, key: u64) -> impl Iterator<Item = i32> {
        let (key_low, key_high) = (low(key), high(key));
        (self.low.iter().zip(&self.high))
            .map(move |(&low, &high)| score(key_low, key_high, low, high))
    }
}

/// Sorts fingerprints with the indices of their names: by fingerprint, then bytes, then index.
pub(crate) fn sort_names(ranked: &mut [(u64, u32)], names: &[&str]) {
    ranked.sort_unstable();
    // Equal fingerprints of different names are next to never: there an insertion sort will do.
    let name = |ranked: (u64, u32)| names[ranked.1 as usize];
    for end in 1..ranked.len() {
        let mut at = end;
        while at > 0 && ranked[at - 1].0 == ranked[at].0 && name(ranked[at - 1]) > name(ranked[at])
        {
            ranked.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// Puts each position where as many are ahead of it as really are, without a branch on the data.
fn count_ranks(scores: &[i32], order: &mut [u32]) {
    for (at, &own) in scores.iter().enumerate() {
        let before = scores[..at].iter().map(|&other| u32::from(other >= own));
        let behind = scores[at + 1..].iter().map(|&other| u32::from(other > own));
        let rank: u32 = before.chain(behind).sum();
        order[rank as usize] = at as u32;
    }
}

fn sort_ranks(ranks: impl Iterator<Item = u64>, order: &mut [u32]) {
    let mut ranks: Vec<(u64, u32)> = ranks.zip(0..).collect();
    ranks.sort_unstable();
    for (slot, (_, at)) in order.iter_mut().zip(ranks) {
        *slot = at;
    }
}

/// Two multiplications over 32-bit lanes, compared as a signed number: the greater wins.
#[inline(always)]
fn score(key_low: u32, key_high: u32, low: u32, high: u32) -> i32 {
    let x = (key_low ^ low).wrapping_mul(0x21f0_aaad);
    let x = (x ^ (x >> 15)).wrapping_add(key_high ^ high);
    x.wrapping_mul(0x735a_2d97) as i32
}

/// Something whose ascending order is the order of costs. The bits of a non-negative float ascend
/// as it does; upstreams of weight 0 stand behind infinity, by their scores.
fn cost_rank(score: i32, weight: u32) -> u64 {
    match weight {
        0 => f64::INFINITY.to_bits() + 1 + u64::from(descending(score)),
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

/// The later of two positions only where its score is greater.
fn first_greatest(left: (i32, usize), right: (i32, usize)) -> (i32, usize) {
    let right_wins = right.0 > left.0 || (right.0 == left.0 && right.1 < left.1);
    if right_wins { right } else { left }
}

/// Ascends as the score descends.
fn descending(score: i32) -> u32 {
    !(score as u32 ^ 0x8000_0000)
}

fn low(value: u64) -> u32 {
    value as u32
}

fn high(value: u64) -> u32 {
    (value >> 32) as u32
}
