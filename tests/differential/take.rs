//! `take`, `take_cancel` and `take_settle` beside `Limits`.

mod brought;
mod rules;

use super::call::Call;
use super::request_ids::outdated;
use super::{Family, History, Reply, Scripts};
use crate::reply;
use crate::seed::Draws;
use brought::Brought;
use pointsman::bounds::MAX_MS;
use pointsman::{Cancelled, Grants, Limits, TakenTogether};
use rules::{Rule, actual_for, costs, some};
use std::collections::{HashMap, VecDeque};

/// Histories of this family.
pub const FAMILY: Family = Family {
    name: "take",
    begin: |key, draws| Box::new(TakeHistory::new(key, draws)),
    steps: 800,
    grants: &["granted", "booked"],
    others: &[
        "wait",
        "never",
        "reconfigure",
        "repeated",
        "returned",
        "started",
        "settled",
        "gone",
        "refused",
    ],
};

/// How long a key lives at least: no history waits longer for the next write.
const LIFE_MS: u64 = 59_999;

/// What a take was charged, by the limits' own numbers.
#[derive(Clone)]
struct Taken {
    starts_at_ms: u64,
    charges: HashMap<u64, u64>,
    is_cancelled: bool,
}

/// What is in force.
#[derive(Clone)]
struct Held {
    version: u64,
    rules: Vec<Rule>,
    /// Numbers of the limits: each has its own, as long as it keeps its name.
    numbers: Vec<u64>,
    core: Limits,
}

/// Limits that are taken together.
struct TakeHistory {
    key: String,
    /// Nothing before the first grant, or wait.
    held: Option<Held>,
    /// The rules that callers bring as long as there are none.
    first: Vec<Rule>,
    next_number: u64,
    taken: HashMap<Vec<u8>, Taken>,
    /// Ids that are remembered, with the instants until when.
    kept: VecDeque<(u64, Vec<u8>)>,
    /// The last ids that were given.
    given: VecDeque<Vec<u8>>,
    now_ms: u64,
    step_ms: u64,
    /// The instant of the last write.
    latest_ms: u64,
}

impl TakeHistory {
    fn new(key: &str, draws: &mut Draws) -> Self {
        let now_ms = match draws.below(20) {
            0 => 1 + draws.below(2_000),
            1 => MAX_MS - draws.below(5_000),
            _ => 1_600_000_000_000 + draws.below(200_000_000_000),
        };
        Self {
            key: key.into(),
            held: None,
            first: some(draws),
            next_number: 0,
            taken: HashMap::new(),
            kept: VecDeque::new(),
            given: VecDeque::new(),
            now_ms,
            step_ms: [100, 1_000, 6_000][draws.below(3) as usize],
            latest_ms: 0,
        }
    }

    /// The instant that a call names, and the one at which it is decided.
    fn instants(&mut self, draws: &mut Draws) -> (u64, u64) {
        let step_ms = self.step_ms;
        // Now and then the very instant at which one starts that was given lately.
        let start_ms = (self.given.back().and_then(|id| self.taken.get(id)))
            .map(|taken| taken.starts_at_ms)
            .filter(|start_ms| *start_ms > self.now_ms);
        self.now_ms = match draws.below(100) {
            0..4 => start_ms.unwrap_or(self.now_ms),
            4..35 => self.now_ms,
            35..42 => self.now_ms.saturating_sub(draws.below(5 * step_ms)).max(1),
            42..44 => self.now_ms + draws.below(40 * step_ms),
            _ => self.now_ms + draws.below(step_ms),
        };
        if self.latest_ms > 0 {
            self.now_ms = self.now_ms.min(self.latest_ms + LIFE_MS);
        }
        self.now_ms = self.now_ms.min(MAX_MS);
        (self.now_ms, self.now_ms.max(self.latest_ms))
    }

    /// A fresh id, a known one, or one that was known.
    fn some_id(&self, draws: &mut Draws) -> Vec<u8> {
        let given = self.given.len() as u64;
        if given > 0 && draws.below(4) > 0 {
            let lately = if draws.below(3) > 0 {
                6.min(given)
            } else {
                given
            };
            return self.given[(given - 1 - draws.below(lately)) as usize].clone();
        }
        fresh_id(draws)
    }

    /// Mostly one that can be cancelled, or was; often nothing where there is none.
    fn id_to_cancel(&self, draws: &mut Draws) -> Option<Vec<u8>> {
        let is_ahead = |id: &&Vec<u8>| {
            let taken = self.taken.get(*id);
            taken.is_some_and(|taken| taken.is_cancelled || taken.starts_at_ms > self.now_ms)
        };
        let ahead: Vec<&Vec<u8>> = self.given.iter().filter(is_ahead).collect();
        match draws.below(8) {
            0..5 if ahead.is_empty() => None,
            0..7 if !ahead.is_empty() => {
                Some(ahead[draws.below(ahead.len() as u64) as usize].clone())
            }
            _ => Some(self.some_id(draws)),
        }
    }

    /// What would be in force; nothing where the rules cannot follow those that are.
    fn would_hold(&mut self, brought: &Brought, now_ms: u64) -> Option<Held> {
        let fresh = |rule: &Rule| rule.limit(brought.start.1);
        let Some(held) = &self.held else {
            let limits = brought.rules.iter().map(fresh).collect();
            let numbers = (self.next_number..).take(brought.rules.len()).collect();
            return Some(Held {
                version: brought.version,
                rules: brought.rules.clone(),
                numbers,
                core: Limits::new(limits).expect("the list is good"),
            });
        };
        let mut next = held.clone();
        if brought.version == held.version {
            return Some(next);
        }
        let from = |rule: &Rule| held.rules.iter().position(|old| old.name == rule.name);
        let limits = brought.rules.iter().map(|rule| (fresh(rule), from(rule)));
        let changed = next
            .core
            .change(limits.collect(), brought.inherit.1, now_ms);
        changed.ok()?;
        let mut numbers = self.next_number..;
        let number = |rule: &Rule| match from(rule) {
            Some(at) => held.numbers[at],
            None => numbers.next().expect("numbers do not end"),
        };
        next.numbers = brought.rules.iter().map(number).collect();
        (next.version, next.rules) = (brought.version, brought.rules.clone());
        Some(next)
    }

    /// Puts into force what a call has written.
    fn hold(&mut self, held: Held, now_ms: u64) {
        let highest = held.numbers.iter().max().expect("there are limits");
        self.next_number = self.next_number.max(highest + 1);
        (self.held, self.latest_ms) = (Some(held), now_ms);
    }

    fn keep(&mut self, id: Vec<u8>, taken: Taken, now_ms: u64) {
        for forgotten in outdated(&mut self.kept, now_ms) {
            self.taken.remove(&forgotten);
        }
        self.kept
            .push_back((taken.starts_at_ms + 60_000, id.clone()));
        self.given.push_back(id.clone());
        if self.given.len() > 40 {
            self.given.pop_front();
        }
        self.taken.insert(id, taken);
    }

    fn take(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        let (asked_ms, now_ms) = self.instants(draws);
        let brought = Brought::some(self.held.as_ref(), &self.first, draws);
        let id = match draws.below(24) {
            0..7 => Vec::new(),
            7..10 => self.some_id(draws),
            _ => fresh_id(draws),
        };
        let costs = costs(&brought.rules, draws);
        let wait_ms = match draws.below(8) {
            0..3 => 0,
            3..6 => draws.below(60 * self.step_ms),
            _ => draws.below(2_000_000),
        };
        let mut call = Call::at(asked_ms, "take", &self.key)
            .text(&id)
            .number(wait_ms)
            .number(brought.version)
            .text(brought.inherit.0)
            .text(brought.start.0)
            .number(brought.rules.len() as u64);
        for rule in &brought.rules {
            call = call.texts(rule.words());
        }
        let call = call.texts(costs.iter().map(u64::to_string));

        if let (Some(taken), Some(held)) = (self.taken.get(&id), &self.held) {
            if taken.is_cancelled {
                call.answers(&reply!["gone", 1, now_ms, held.version], draws, scripts);
                return "gone";
            }
            let starts_in_ms = taken.starts_at_ms.saturating_sub(now_ms);
            let mut expected = reply!["granted", 1, now_ms, held.version, starts_in_ms, 1].to_vec();
            expected.extend(remaining(held, now_ms));
            call.answers(&expected, draws, scripts);
            return "repeated";
        }
        if let Some(held) = &self.held {
            let is_other = brought.version == held.version && brought.rules != held.rules;
            if brought.version < held.version || is_other {
                let count = held.rules.len() as u64;
                let mut expected = reply!["reconfigure", 1, now_ms, held.version, count].to_vec();
                expected.extend(held.rules.iter().flat_map(Rule::told));
                call.answers(&expected, draws, scripts);
                return "reconfigure";
            }
        }
        let Some(mut next) = self.would_hold(&brought, now_ms) else {
            call.is_refused(draws, scripts);
            return "refused";
        };
        let writes = self.held.as_ref().map(|held| held.version) != Some(next.version);
        let version = next.version;
        let name = |at: usize| format!(":{}", brought.rules[at].name);
        match next
            .core
            .reserve(&costs, wait_ms, now_ms)
            .expect("the costs are good")
        {
            TakenTogether::Granted(grants) => {
                let (charges, starts_at_ms) = grants.into_parts();
                let mut expected =
                    reply!["granted", 1, now_ms, version, starts_at_ms - now_ms, 0].to_vec();
                expected.extend(remaining(&next, now_ms));
                call.answers(&expected, draws, scripts);
                if !id.is_empty() {
                    let charges = next.numbers.iter().copied().zip(charges).collect();
                    let is_cancelled = false;
                    let taken = Taken {
                        starts_at_ms,
                        charges,
                        is_cancelled,
                    };
                    self.keep(id, taken, now_ms);
                }
                self.hold(next, now_ms);
                if starts_at_ms > now_ms {
                    "booked"
                } else {
                    "granted"
                }
            }
            TakenTogether::Wait {
                retry_after_ms,
                limit,
            } => {
                let expected = reply!["wait", 1, now_ms, version, retry_after_ms, &*name(limit)];
                call.answers(&expected, draws, scripts);
                if writes {
                    self.hold(next, now_ms);
                }
                "wait"
            }
            TakenTogether::Never { limit } => {
                let expected = reply!["never", 1, now_ms, version, &*name(limit)];
                call.answers(&expected, draws, scripts);
                "never"
            }
            answer => panic!("{answer:?}"),
        }
    }

    fn cancel(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        let Some(id) = self.id_to_cancel(draws) else {
            return self.take(draws, scripts);
        };
        let (asked_ms, now_ms) = self.instants(draws);
        let call = Call::at(asked_ms, "take_cancel", &self.key).text(&id);
        let version = self.held.as_ref().map_or(0, |held| held.version);
        let (Some(taken), Some(held)) = (self.taken.get_mut(&id), &mut self.held) else {
            call.answers(&reply!["gone", 1, now_ms, version], draws, scripts);
            return "gone";
        };
        let mut word = "returned";
        if !taken.is_cancelled {
            let mut grants = grants(held, taken);
            match held
                .core
                .cancel(&mut grants, now_ms)
                .expect("the instant is good")
            {
                Cancelled::Returned => (taken.is_cancelled, self.latest_ms) = (true, now_ms),
                Cancelled::Started => word = "started",
            }
        }
        call.answers(&reply![word, 1, now_ms, version], draws, scripts);
        word
    }

    fn settle(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        let (asked_ms, now_ms) = self.instants(draws);
        let id = self.some_id(draws);
        let mut call = Call::at(asked_ms, "take_settle", &self.key).text(&id);
        if draws.below(8) == 0 {
            call = call.text("nobody's").number(draws.draw());
        }
        let taken = self.taken.get_mut(&id).filter(|taken| !taken.is_cancelled);
        let (Some(taken), Some(held)) = (taken, &mut self.held) else {
            let version = self.held.as_ref().map_or(0, |held| held.version);
            call.answers(&reply!["gone", 1, now_ms, version], draws, scripts);
            return "gone";
        };
        let mut grants = grants(held, taken);
        let mut actual = grants.costs().to_vec();
        for (at, rule) in held.rules.iter().enumerate() {
            if draws.below(4) > 0 {
                actual[at] = actual_for(actual[at], rule, draws);
                call = call.text(rule.name).number(actual[at]);
            }
        }
        let changes = actual != grants.costs();
        if held.core.settle(&mut grants, &actual, now_ms).is_err() {
            call.is_refused(draws, scripts);
            return "refused";
        }
        let mut expected = reply!["settled", 1, now_ms, held.version].to_vec();
        expected.extend(remaining(held, now_ms));
        call.answers(&expected, draws, scripts);
        if changes {
            taken.charges = held.numbers.iter().copied().zip(actual).collect();
            self.latest_ms = now_ms;
        }
        "settled"
    }
}

impl History for TakeHistory {
    fn step(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        match draws.below(100) {
            0..21 => self.cancel(draws, scripts),
            21..34 => self.settle(draws, scripts),
            _ => self.take(draws, scripts),
        }
    }
}

fn fresh_id(draws: &mut Draws) -> Vec<u8> {
    let longest = if draws.below(20) == 0 { 128 } else { 12 };
    let length = 4 + draws.below(longest - 3);
    (0..length).map(|_| draws.bits() as u8).collect()
}

fn remaining(held: &Held, now_ms: u64) -> Vec<Reply> {
    let left = held.core.remaining(now_ms).expect("the instant is good");
    left.into_iter().map(Reply::from).collect()
}

/// The charges of a take at the limits in force.
fn grants(held: &Held, taken: &Taken) -> Grants {
    let charge = |number: &u64| taken.charges.get(number).copied().unwrap_or(0);
    let costs = held.numbers.iter().map(charge).collect();
    Grants::from_parts(costs, taken.starts_at_ms).expect("it was granted")
}
