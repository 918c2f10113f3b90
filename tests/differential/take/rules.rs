//! The rules that random histories of `take` bring.

use crate::differential::Reply;
use crate::reply;
use crate::seed::Draws;
use pointsman::bounds::{MAX_MS, MAX_WHOLE};
use pointsman::{Limit, Start, TokenBucket, WindowLimit};

const NAMES: [&str; 8] = ["rpm", "tpm", "é", "日本", "a b", "10", ":", "🦀"];

/// A limit: a bucket, or a window, whose refill is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub name: &'static str,
    pub capacity: u64,
    pub refill: u64,
    pub period_ms: u64,
}

impl Rule {
    /// The limit as new.
    pub fn limit(&self, start: Start) -> Limit {
        match self.refill {
            0 => Limit::Window(
                WindowLimit::new(self.capacity, self.period_ms).expect("it is in bounds"),
            ),
            refill => {
                let bucket = TokenBucket::new(self.capacity, refill, self.period_ms, start);
                Limit::Bucket(bucket.expect("it is in bounds"))
            }
        }
    }

    fn kind(&self) -> &'static str {
        if self.refill == 0 { "window" } else { "bucket" }
    }

    /// Its five arguments.
    pub fn words(&self) -> [String; 5] {
        let [capacity, refill, period_ms] =
            [self.capacity, self.refill, self.period_ms].map(|n| n.to_string());
        [
            self.name.into(),
            self.kind().into(),
            capacity,
            refill,
            period_ms,
        ]
    }

    /// Its five elements of a reply.
    pub fn told(&self) -> [Reply; 5] {
        let name = format!(":{}", self.name);
        reply![
            &*name,
            self.kind(),
            self.capacity,
            self.refill,
            self.period_ms
        ]
    }
}

/// 1 to 4 rules.
pub fn some(draws: &mut Draws) -> Vec<Rule> {
    let mut rules = Vec::new();
    for _ in 0..1 + draws.below(3).min(draws.below(4)) + draws.below(5) / 4 {
        add(&mut rules, draws);
    }
    rules
}

/// The same rules, some of them changed, some gone, some new; never none.
pub fn changed(rules: &[Rule], draws: &mut Draws) -> Vec<Rule> {
    let mut rules = rules.to_vec();
    match draws.below(8) {
        0 => add(&mut rules, draws),
        1 if rules.len() > 1 => {
            let at = draws.below(rules.len() as u64) as usize;
            rules.remove(at);
        }
        2 => rules.reverse(),
        _ => {}
    }
    for rule in &mut rules {
        if draws.below(3) > 0 {
            *rule = match (rule.refill, draws.below(4)) {
                (0, 0) => window(rule.name, draws),
                (0, _) => {
                    let capacity = scaled(rule.capacity, MAX_WHOLE, draws);
                    Rule {
                        capacity,
                        period_ms: scaled(rule.period_ms, MAX_MS, draws),
                        ..*rule
                    }
                }
                (_, 0) => bucket(rule.name, draws),
                (refill, _) => {
                    let most = MAX_WHOLE / rule.period_ms;
                    let capacity = scaled(rule.capacity, most, draws);
                    Rule {
                        capacity,
                        refill: scaled(refill, MAX_WHOLE, draws),
                        ..*rule
                    }
                }
            };
        }
    }
    rules
}

/// The same rules, one of them of the other kind.
pub fn other(rules: &[Rule], draws: &mut Draws) -> Vec<Rule> {
    let mut rules = rules.to_vec();
    let at = draws.below(rules.len() as u64) as usize;
    rules[at] = match rules[at].refill {
        0 => bucket(rules[at].name, draws),
        _ => window(rules[at].name, draws),
    };
    rules
}

fn add(rules: &mut Vec<Rule>, draws: &mut Draws) {
    let name = NAMES[draws.below(NAMES.len() as u64) as usize];
    if rules.len() == 4 || rules.iter().any(|rule| rule.name == name) {
        return;
    }
    let make = if draws.below(5) < 3 { bucket } else { window };
    rules.push(make(name, draws));
}

/// Something between a half and the double.
fn scaled(n: u64, most: u64, draws: &mut Draws) -> u64 {
    let part = n / 2 + draws.below(n.div_ceil(2) + 2) + draws.below(n / 2 + 1);
    part.clamp(1, most.max(1))
}

fn bucket(name: &'static str, draws: &mut Draws) -> Rule {
    let period_ms = match draws.below(8) {
        0 => 1 + draws.below(100_000_000),
        1 => 1 + draws.below(60),
        _ => 1 + draws.below(2_000),
    };
    let (mut capacity, mut refill) = (1 + draws.below(40), 1 + draws.below(9));
    match draws.below(10) {
        // To the edge of exact arithmetic: the reduced period may be the whole of it.
        0 => {
            capacity = (MAX_WHOLE / period_ms - draws.below(3)).max(1);
            refill = (1 + capacity / (1 + draws.below(200))).min(MAX_WHOLE);
        }
        1 => (capacity, refill) = (1 + draws.below(90_000), 1 + draws.below(90_000)),
        _ => {}
    }
    Rule {
        name,
        capacity,
        refill,
        period_ms,
    }
}

fn window(name: &'static str, draws: &mut Draws) -> Rule {
    let longest_ms = [50, 5_000, 100_000][draws.below(3) as usize];
    let capacity = match draws.below(10) {
        0 => MAX_WHOLE - draws.below(3),
        1 => 1 + draws.below(100_000),
        _ => 1 + draws.below(60),
    };
    Rule {
        name,
        capacity,
        refill: 0,
        period_ms: 1 + draws.below(longest_ms),
    }
}

/// One cost for each limit, not all 0.
pub fn costs(rules: &[Rule], draws: &mut Draws) -> Vec<u64> {
    let mut costs: Vec<u64> = (rules.iter())
        .map(|rule| match draws.below(40) {
            0..8 => 0,
            8 => rule.capacity,
            9..12 => (rule.capacity + 1 + draws.below(3)).min(MAX_WHOLE),
            12 => 1 + draws.below(rule.capacity),
            _ => 1 + draws.below(rule.capacity.div_ceil(40)),
        })
        .collect();
    if costs.iter().all(|&cost| cost == 0) {
        costs[0] = 1;
    }
    costs
}

/// What a charge is settled to.
pub fn actual_for(charge: u64, rule: &Rule, draws: &mut Draws) -> u64 {
    match draws.below(24) {
        0 => MAX_WHOLE,
        1 => draws.draw(),
        2..6 => 0,
        6..8 => charge,
        8 => (rule.capacity + draws.below(rule.capacity)).min(MAX_WHOLE),
        _ => draws.below((charge + charge / 2 + 2).min(MAX_WHOLE)),
    }
}
