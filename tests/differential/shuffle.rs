//! `next_shuffle` beside `Shuffle`.

use super::call::Call;
use super::clock::Clock;
use super::request_ids::RequestIds;
use super::{Family, History, Scripts};
use crate::reply;
use crate::seed::Draws;
use pointsman::{Boundary, Shuffle};

/// Names of every length in UTF-8, the shortest and a longest one.
const NAMES: [&str; 9] = [
    "a",
    "b",
    "B",
    "10",
    "9",
    "é",
    "日本",
    "🦀 crab",
    "a b:c\"d\\",
];

/// Histories of this family.
pub const FAMILY: Family = Family {
    name: "shuffle",
    begin: |key, draws| Box::new(ShuffleHistory::new(key, draws)),
    steps: 4000,
    grants: &["picked"],
    others: &["repeated", "empty"],
};

/// One shuffle over a list that changes.
struct ShuffleHistory {
    key: String,
    core: Shuffle,
    boundary: &'static str,
    /// How many names there are to choose from.
    universe: u64,
    list: Vec<String>,
    ids: RequestIds<String>,
    clock: Clock,
    /// The instant of the last write.
    latest_ms: u64,
    last: Option<String>,
}

impl ShuffleHistory {
    fn new(key: &str, draws: &mut Draws) -> Self {
        let (boundary, core) = match draws.below(2) {
            0 => ("free", Boundary::Free),
            _ => ("no_repeat", Boundary::NoRepeat),
        };
        let longest = match draws.below(30) {
            0 => 1_024,
            1..4 => 60,
            _ => 9,
        };
        // So slow that a thousand ids fall within a minute, or so fast that they do not.
        let step_ms = [2, 20, 300][draws.below(3) as usize];
        Self {
            key: key.into(),
            core: Shuffle::new(core),
            boundary,
            universe: 1 + draws.below(longest),
            list: Vec::new(),
            ids: RequestIds::default(),
            clock: Clock::new(step_ms, draws),
            latest_ms: 0,
            last: None,
        }
    }

    fn name(&self, draws: &mut Draws) -> String {
        let number = draws.below(self.universe) as usize;
        match NAMES.get(number) {
            Some(name) => name.to_string(),
            None => format!("{number}{}", "n".repeat(number % 252)),
        }
    }

    /// Now and then one comes, one goes, one is listed twice, or the list is another.
    fn change_list(&mut self, draws: &mut Draws) {
        let name = self.name(draws);
        let at = draws.below(self.list.len() as u64 + 1) as usize;
        match draws.below(20) {
            0..2 if self.list.len() < 1_024 => self.list.insert(at, name),
            2..4 if at < self.list.len() => drop(self.list.remove(at)),
            4 => {
                let count = draws.below(2 * self.universe).min(1_024);
                self.list = (0..count).map(|_| self.name(draws)).collect();
            }
            _ => {}
        }
    }
}

impl History for ShuffleHistory {
    fn step(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        self.change_list(draws);
        let none = Vec::new();
        let list = if draws.below(15) == 0 {
            &none
        } else {
            &self.list
        };
        let asked_ms = self.clock.next(draws);
        let now_ms = asked_ms.max(self.latest_ms);
        let (id, draw) = (self.ids.next(draws), draws.draw());
        let call = Call::at(asked_ms, "next_shuffle", &self.key)
            .text(&id)
            .number(1_000 + draws.below(1_000_000))
            .text(self.boundary)
            .number(draw)
            .texts(list);
        if let Some(upstream) = self.ids.answer(&id) {
            let index = list.iter().position(|listed| listed == upstream);
            let index = index.map_or(super::Reply::Int(-1), |index| (index as u64).into());
            let mut expected = reply!["picked", 1, now_ms, 0, 0, &*format!(":{upstream}"), 1];
            expected[4] = index;
            call.answers(&expected, draws, scripts);
            return "repeated";
        }
        let chosen = self.core.next(list, draw).expect("the list is good");
        let Some(index) = chosen else {
            call.answers(&reply!["empty", 1, now_ms, 0], draws, scripts);
            return "empty";
        };
        let upstream = list[index].clone();
        let name = format!(":{upstream}");
        call.answers(
            &reply!["picked", 1, now_ms, 0, index as u64, &*name, 0],
            draws,
            scripts,
        );
        self.latest_ms = now_ms;
        self.last = Some(upstream.clone());
        self.ids.keep(id, upstream, now_ms);
        "picked"
    }
}
