//! The rules that a random take brings, and what it says of them.

use super::Held;
use super::rules::{Rule, changed, other};
use crate::seed::Draws;
use pointsman::bounds::MAX_WHOLE;
use pointsman::{Inherit, Start};

/// What a call brings.
pub struct Brought {
    pub version: u64,
    pub rules: Vec<Rule>,
    pub inherit: (&'static str, Inherit),
    pub start: (&'static str, Start),
}

impl Brought {
    /// What is in force, or what comes `first`; now and then something else.
    pub fn some(held: Option<&Held>, first: &[Rule], draws: &mut Draws) -> Self {
        let (mut version, mut rules) = match held {
            Some(held) => (held.version, held.rules.clone()),
            None => (3 + draws.below(3), first.to_vec()),
        };
        match draws.below(100) {
            0..5 => {
                version = (version + 1 + draws.below(3)).min(MAX_WHOLE);
                rules = changed(&rules, draws);
            }
            5..10 => version = version.saturating_sub(1 + draws.below(2)),
            10..13 => rules = changed(&rules, draws),
            13..23 => (version, rules) = ((version + 1).min(MAX_WHOLE), other(&rules, draws)),
            _ => {}
        }
        if draws.below(200) == 0 {
            version = MAX_WHOLE - draws.below(3);
        }
        let inherits = [
            ("keep", Inherit::Keep),
            ("full", Inherit::Full),
            ("proportional", Inherit::Proportional),
            ("full", Inherit::Full),
            ("empty", Inherit::Empty),
        ];
        let starts = [("full", Start::Full), ("empty", Start::Empty)];
        Self {
            version,
            rules,
            inherit: inherits[draws.below(5) as usize],
            start: starts[draws.below(4) as usize / 3],
        }
    }
}
