//! Random numbers for tests: from a fresh seed that is printed, or from `POINTSMAN_SEED`.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

/// A sequence of draws (SplitMix64) that can be replayed.
pub struct Draws {
    name: &'static str,
    seed: u64,
    state: u64,
}

impl Draws {
    /// Draws of a fresh seed, or of the one in `POINTSMAN_SEED`.
    pub fn fresh(name: &'static str) -> Self {
        let given = std::env::var("POINTSMAN_SEED").ok();
        let seed = given.map_or_else(
            || RandomState::new().hash_one(name),
            |seed| seed.parse().expect("POINTSMAN_SEED is a whole number"),
        );
        println!("{name}: POINTSMAN_SEED={seed}");
        Self::seeded(name, seed)
    }

    /// Draws of this seed.
    pub fn seeded(name: &'static str, seed: u64) -> Self {
        Self {
            name,
            seed,
            state: seed,
        }
    }

    /// What it was made from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound
    }

    /// A draw as the library takes it: a whole number below 2^53.
    pub fn draw(&mut self) -> u64 {
        self.bits() >> 11
    }
}

/// How to replay, for the message of a failed assertion.
impl fmt::Display for Draws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: replay with POINTSMAN_SEED={}", self.name, self.seed)
    }
}
