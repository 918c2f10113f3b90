//! `pick_no_repeat` and `observe_exit` beside `NoRepeat`.

use super::call::Call;
use super::clock::Clock;
use super::request_ids::RequestIds;
use super::{Family, History, Reply, Scripts};
use crate::reply;
use crate::seed::Draws;
use pointsman::{Candidate, Different, NoRepeat, OnlyOne, RepeatBy};

const UPSTREAMS: [&str; 8] = ["a", "b", "B", "é", "日本", "🦀", "10", "9 9"];
const EXITS: [&str; 5] = ["X", "Y", "203.0.113.7", "zwei é", "a"];

/// One candidate, as it is listed.
#[derive(Clone)]
struct Listed {
    upstream: &'static str,
    exit: Option<&'static str>,
    weight: u32,
}

/// Histories of this family.
pub const FAMILY: Family = Family {
    name: "no_repeat",
    begin: |key, draws| Box::new(NoRepeatHistory::new(key, draws)),
    steps: 2000,
    grants: &["picked"],
    others: &[
        "reused",
        "no_different",
        "wait",
        "empty",
        "repeated",
        "observed",
    ],
};

/// One rotation without repeats.
struct NoRepeatHistory {
    key: String,
    core: NoRepeat,
    by: &'static str,
    only_one: &'static str,
    gap_ms: u64,
    upstreams: u64,
    list: Vec<Listed>,
    ids: RequestIds<(&'static str, bool)>,
    clock: Clock,
    /// The instant of the last write.
    latest_ms: u64,
}

impl NoRepeatHistory {
    fn new(key: &str, draws: &mut Draws) -> Self {
        let (by, core_by) = match draws.below(5) {
            0..2 => ("upstream", RepeatBy::Upstream),
            _ => ("exit", RepeatBy::Exit),
        };
        let gap_ms = draws.below(600);
        let (only_one, core_only_one) = match draws.below(7) {
            0..2 => ("fail", OnlyOne::Fail),
            2..4 => ("reuse", OnlyOne::Reuse),
            _ => ("wait", OnlyOne::Wait { gap_ms }),
        };
        let mut history = Self {
            key: key.into(),
            core: NoRepeat::new(core_by, core_only_one).expect("the gap is good"),
            by,
            only_one,
            gap_ms,
            upstreams: 1 + draws.below(UPSTREAMS.len() as u64),
            list: Vec::new(),
            ids: RequestIds::default(),
            clock: Clock::new(100, draws),
            latest_ms: 0,
        };
        history.list = (0..draws.below(8)).map(|_| history.listed(draws)).collect();
        history
    }

    fn upstream(&self, draws: &mut Draws) -> &'static str {
        UPSTREAMS[draws.below(self.upstreams) as usize]
    }

    fn listed(&self, draws: &mut Draws) -> Listed {
        let exit = draws.below(EXITS.len() as u64 + 1) as usize;
        let weight = match draws.below(12) {
            0 => 0,
            1 => 65_535,
            _ => 1 + draws.below(4) as u32,
        };
        Listed {
            upstream: self.upstream(draws),
            exit: EXITS.get(exit).copied(),
            weight,
        }
    }

    /// Often few, so that a repeat may be all that is left.
    fn change_list(&mut self, draws: &mut Draws) {
        let at = draws.below(self.list.len() as u64 + 1) as usize;
        match draws.below(10) {
            0 => self.list.insert(at, self.listed(draws)),
            1 if at < self.list.len() => drop(self.list.remove(at)),
            2 if at < self.list.len() => self.list[at] = self.listed(draws),
            3 => {
                let count = if draws.below(2) > 0 {
                    1
                } else {
                    draws.below(10)
                };
                self.list = (0..count).map(|_| self.listed(draws)).collect();
            }
            _ => {}
        }
    }

    fn observe(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        let asked_ms = self.clock.next(draws);
        self.latest_ms = asked_ms.max(self.latest_ms);
        let upstream = self.upstream(draws);
        let exit = EXITS[draws.below(EXITS.len() as u64) as usize];
        self.core.observe(upstream, exit).expect("both are names");
        Call::at(asked_ms, "observe_exit", &self.key)
            .number(1_000 + draws.below(1_000_000))
            .text(upstream)
            .text(exit)
            .answers(&reply!["observed", 1, self.latest_ms, 0], draws, scripts);
        "observed"
    }

    /// What the core answers, as the script must reply.
    fn expected(&mut self, id: Vec<u8>, draw: u64, now_ms: u64) -> (&'static str, Vec<Reply>) {
        let candidate = |one: &Listed| Candidate {
            upstream: one.upstream,
            exit: one.exit,
            weight: one.weight,
        };
        let candidates: Vec<_> = self.list.iter().map(candidate).collect();
        let chosen = self.core.next(&candidates, draw, now_ms);
        match chosen.expect("the candidates are good") {
            Different::Upstream { index, repeated } => {
                let upstream = self.list[index].upstream;
                self.latest_ms = now_ms;
                self.ids.keep(id, (upstream, repeated), now_ms);
                let name = format!(":{upstream}");
                let (index, repeats) = (index as u64, u64::from(repeated));
                let expected = reply!["picked", 1, now_ms, 0, index, &*name, repeats, 0];
                (if repeated { "reused" } else { "picked" }, expected.into())
            }
            Different::NoDifferent => {
                let expected = reply!["no_different", 1, now_ms, 0];
                ("no_different", expected.into())
            }
            Different::Wait { retry_after_ms } => {
                let expected = reply!["wait", 1, now_ms, 0, retry_after_ms];
                ("wait", expected.into())
            }
            Different::Empty => ("empty", reply!["empty", 1, now_ms, 0].into()),
            other => panic!("{other:?} has no reply"),
        }
    }
}

impl History for NoRepeatHistory {
    fn step(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        if draws.below(12) == 0 {
            return self.observe(draws, scripts);
        }
        self.change_list(draws);
        let asked_ms = self.clock.next(draws);
        let now_ms = asked_ms.max(self.latest_ms);
        let (id, draw) = (self.ids.next(draws), draws.draw());
        let (word, expected) = match self.ids.answer(&id) {
            Some((upstream, repeats)) => {
                let mut places = self.list.iter().map(|one| one.upstream);
                let index = places.position(|listed| listed == *upstream);
                let (name, repeats) = (format!(":{upstream}"), u64::from(*repeats));
                let mut expected = reply!["picked", 1, now_ms, 0, 0, &*name, repeats, 1];
                expected[4] = Reply::Int(index.map_or(-1, |index| index as i64));
                ("repeated", expected.into())
            }
            None => self.expected(id.clone(), draw, now_ms),
        };
        let listed = self.list.iter().flat_map(|one| {
            let exit = one.exit.unwrap_or_default().to_string();
            [one.upstream.to_string(), exit, one.weight.to_string()]
        });
        Call::at(asked_ms, "pick_no_repeat", &self.key)
            .text(&id)
            .number(1_000 + draws.below(1_000_000))
            .text(self.by)
            .text(self.only_one)
            .number(self.gap_ms)
            .number(draw)
            .texts(listed)
            .answers(&expected, draws, scripts);
        word
    }
}
