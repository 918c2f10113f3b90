//! The score of a key at an upstream (format v1), over many upstreams at once.

use alloc::vec;
use alloc::vec::Vec;

/// How many upstreams are scored side by side: the compiler makes vector instructions of loops
/// over arrays of this length.
pub(crate) const WIDTH: usize = 8;

/// Up to this many are scored one after another: vectors gain less than it costs to join them.
const FEW: usize = 10;

/// Up to this many, ranks are counted by comparing all with all: no branch depends on the data.
const COUNTED: usize = 64;

/// Fingerprints of upstreams by position, the position that wins a tie first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lanes {
    count: usize,
    /// The last one is filled up with copies of the last upstream. They score as it does and
    /// stand behind it, so they are never first.
    chunks: Vec<Chunk>,
}

/// Halves of fingerprints.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Chunk {
    low: [u32; WIDTH],
    high: [u32; WIDTH],
}

impl Lanes {
    pub(crate) fn new(fingerprints: &[u64]) -> Self {
        let chunk = |some: &[u64]| {
            let fingerprint = |lane: usize| some[lane.min(some.len() - 1)];
            Chunk {
                low: core::array::from_fn(|lane| low(fingerprint(lane))),
                high: core::array::from_fn(|lane| high(fingerprint(lane))),
            }
        };
        Self {
            count: fingerprints.len(),
            chunks: fingerprints.chunks(WIDTH).map(chunk).collect(),
        }
    }

    /// The position of the greatest score, the first of equals.
    pub(crate) fn strongest(&self, key: u64) -> Option<usize> {
        if self.count <= FEW {
            let ranks = (0..self.count).map(|at| rank(self.score(key, at), at));
            return ranks.min().map(|first| low(first) as usize);
        }
        Some(greatest(self.chunk_scores(key)))
    }

    /// Calls `place` with each rank below `limit` and its position: the greatest score first, the
    /// lower position first of equals.
    pub(crate) fn sort(&self, key: u64, limit: usize, mut place: impl FnMut(usize, usize)) {
        if self.count <= COUNTED && self.count_ranks(key, limit, &mut place) {
            return;
        }
        let mut ranks = Vec::with_capacity(self.chunks.len() * WIDTH);
        for scores in self.chunk_scores(key) {
            let first = ranks.len();
            ranks.extend((0..WIDTH).map(|lane| rank(scores[lane], first + lane)));
        }
        ranks.truncate(self.count);
        let sorted = sort_spread(&ranks, limit);
        for (rank, position) in sorted.into_iter().take(limit).map(low).enumerate() {
            place(rank, position as usize);
        }
    }

    /// The score at one position.
    #[inline(always)]
    pub(crate) fn score(&self, key: u64, position: usize) -> i32 {
        let (chunk, lane) = (&self.chunks[position / WIDTH], position % WIDTH);
        mix(key, chunk.low[lane], chunk.high[lane])
    }

    /// The scores of all upstreams, chunk by chunk; those behind the last upstream mean nothing.
    pub(crate) fn chunk_scores(&self, key: u64) -> impl Iterator<Item = [i32; WIDTH]> {
        self.chunks.iter().map(move |chunk| chunk.scores(key))
    }

    /// As [`sort`](Self::sort), for at most [`COUNTED`] upstreams. Where two scores are equal it
    /// places none and answers `false`.
    fn count_ranks(&self, key: u64, limit: usize, mut place: impl FnMut(usize, usize)) -> bool {
        let mut scores = [[0; WIDTH]; COUNTED / WIDTH];
        let mut ranks = [[0; WIDTH]; COUNTED / WIDTH];
        for (slot, scores) in scores.iter_mut().zip(self.chunk_scores(key)) {
            *slot = scores;
        }
        let known = &scores.as_flattened()[..self.count];
        for (ranks, own) in ranks.iter_mut().zip(&scores[..self.chunks.len()]) {
            count_greater(known, own, ranks);
        }
        let ranks = &ranks.as_flattened()[..self.count];
        let all_differ = self.count * self.count.saturating_sub(1) / 2;
        if ranks.iter().sum::<u32>() as usize != all_differ {
            return false;
        }
        for (position, &rank) in ranks.iter().enumerate() {
            if (rank as usize) < limit {
                place(rank as usize, position);
            }
        }
        true
    }
}

impl Chunk {
    #[inline(always)]
    fn scores(&self, key: u64) -> [i32; WIDTH] {
        core::array::from_fn(|lane| mix(key, self.low[lane], self.high[lane]))
    }
}

/// The score of one upstream by its fingerprint.
pub(crate) fn score(key: u64, upstream: u64) -> i32 {
    mix(key, low(upstream), high(upstream))
}

/// Two multiplications over 32-bit halves, compared as a signed number: the greater wins.
#[inline(always)]
fn mix(key: u64, upstream_low: u32, upstream_high: u32) -> i32 {
    let x = (low(key) ^ upstream_low).wrapping_mul(0x21f0_aaad);
    let x = (x ^ (x >> 15)).wrapping_add(high(key) ^ upstream_high);
    x.wrapping_mul(0x735a_2d97) as i32
}

/// The position of the greatest number, the first of equals.
// Loops over lanes stand in functions of their own: inlined, they are not always made of vector
// instructions.
#[inline(never)]
pub(crate) fn greatest(chunks: impl Iterator<Item = [i32; WIDTH]>) -> usize {
    let mut best = [i32::MIN; WIDTH];
    let mut best_chunk = [0u32; WIDTH];
    for (number, values) in (0u32..).zip(chunks) {
        for lane in 0..WIDTH {
            let better = values[lane] > best[lane];
            best[lane] = if better { values[lane] } else { best[lane] };
            best_chunk[lane] = if better { number } else { best_chunk[lane] };
        }
    }
    first_of_lanes(&best, &best_chunk)
}

#[inline(never)]
fn first_of_lanes(best: &[i32; WIDTH], best_chunk: &[u32; WIDTH]) -> usize {
    let position = |lane: usize| best_chunk[lane] as usize * WIDTH + lane;
    let ranks = (0..WIDTH).map(|lane| rank(best[lane], position(lane)));
    low(ranks.fold(u64::MAX, u64::min)) as usize
}

/// Adds to each lane how many of `scores` are greater than its own.
#[inline(never)]
fn count_greater(scores: &[i32], own: &[i32; WIDTH], counts: &mut [u32; WIDTH]) {
    for &score in scores {
        for lane in 0..WIDTH {
            counts[lane] += u32::from(score > own[lane]);
        }
    }
}

/// Ascends as the score descends, then as the position ascends.
fn rank(score: i32, position: usize) -> u64 {
    u64::from(descending(score)) << 32 | position as u64
}

/// The `limit` least of numbers, ascending, and perhaps some that follow. The upper halves are
/// spread evenly, as scores are, so that each number can be put next to its place at once.
fn sort_spread(ranks: &[u64], limit: usize) -> Vec<u64> {
    let buckets = 2 * ranks.len();
    let bucket = |rank: u64| (((rank >> 32) * buckets as u64) >> 32) as usize;
    let mut places = vec![0u32; buckets + 1];
    for &rank in ranks {
        places[bucket(rank) + 1] += 1;
    }
    let mut needed = 0;
    while needed < buckets && (places[needed] as usize) < limit {
        places[needed + 1] += places[needed];
        needed += 1;
    }
    let mut sorted = vec![0; places[needed] as usize];
    for &rank in ranks.iter().filter(|&&rank| bucket(rank) < needed) {
        let place = &mut places[bucket(rank)];
        sorted[*place as usize] = rank;
        *place += 1;
    }
    for at in 1..sorted.len() {
        let rank = sorted[at];
        let mut hole = at;
        while hole > 0 && sorted[hole - 1] > rank {
            sorted[hole] = sorted[hole - 1];
            hole -= 1;
        }
        sorted[hole] = rank;
    }
    sorted
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

/// Ascends as the score descends.
pub(crate) fn descending(score: i32) -> u32 {
    !(score as u32 ^ 0x8000_0000)
}

fn low(value: u64) -> u32 {
    value as u32
}

fn high(value: u64) -> u32 {
    (value >> 32) as u32
}
