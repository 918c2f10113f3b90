//! What the scripts promise of request ids.

use crate::seed::Draws;
use std::collections::{HashMap, VecDeque};

/// The ids that a key still knows, each with the answer it got: the newest 1,000, beyond that those of
/// the last minute, and never more than 10,000. At most two are forgotten at a time.
pub struct RequestIds<A> {
    answers: HashMap<Vec<u8>, A>,
    kept: VecDeque<(u64, Vec<u8>)>,
    given: Vec<Vec<u8>>,
}

impl<A> Default for RequestIds<A> {
    fn default() -> Self {
        Self {
            answers: HashMap::new(),
            kept: VecDeque::new(),
            given: Vec::new(),
        }
    }
}

impl<A> RequestIds<A> {
    /// The id of the next question: none, a fresh one, or one given before: lately, about to
    /// be forgotten, or long ago.
    pub fn next(&mut self, draws: &mut Draws) -> Vec<u8> {
        let given = self.given.len() as u64;
        match draws.below(10) {
            0..4 => Vec::new(),
            4..6 if given > 0 => {
                let oldest_kept = given - self.kept.len() as u64;
                let at = match draws.below(8) {
                    0 => draws.below(given),
                    1 => (oldest_kept + draws.below(3)).saturating_sub(1),
                    _ => given - 1 - draws.below(20.min(given)),
                };
                self.given[at.min(given - 1) as usize].clone()
            }
            _ => {
                let longest = if draws.below(20) == 0 { 128 } else { 12 };
                let length = 1 + draws.below(longest);
                (0..length).map(|_| draws.bits() as u8).collect()
            }
        }
    }

    /// The answer that this id got.
    pub fn answer(&self, id: &[u8]) -> Option<&A> {
        self.answers.get(id)
    }

    /// Notes the answer of an id, unless it is empty, at this instant.
    pub fn keep(&mut self, id: Vec<u8>, answer: A, now_ms: u64) {
        if id.is_empty() {
            return;
        }
        for forgotten in outdated(&mut self.kept, now_ms) {
            self.answers.remove(&forgotten);
        }
        self.kept.push_back((now_ms + 60_000, id.clone()));
        self.given.push(id.clone());
        self.answers.insert(id, answer);
    }
}

/// The ids that are forgotten for another one at this instant, of those that are kept until theirs: two
/// where time has passed, one where there are too many.
pub fn outdated(kept: &mut VecDeque<(u64, Vec<u8>)>, now_ms: u64) -> Vec<Vec<u8>> {
    let mut forgotten = Vec::new();
    let mut is_past = true;
    while is_past && forgotten.len() < 2 {
        is_past = kept
            .front()
            .is_some_and(|(until_ms, _)| *until_ms <= now_ms);
        if kept.len() < 1_000 || !is_past && kept.len() < 10_000 {
            break;
        }
        forgotten.extend(kept.pop_front().map(|(_, id)| id));
    }
    forgotten
}
