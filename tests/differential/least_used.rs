//! `configure_least_used`, `pick_least_used` and `record_least_used` beside `LeastUsed`.

use super::call::Call;
use super::clock::Clock;
use super::request_ids::RequestIds;
use super::{Family, History, Reply, Scripts};
use crate::reply;
use crate::seed::Draws;
use pointsman::{Join, LeastUsed, Picked};

const UPSTREAMS: [&str; 16] = [
    "a", "b", "B", "é", "日本", "🦀", "10", "9 9", "0 1 1 a", " a", "a ", "left", "-", "u:a", "s",
    "k",
];

/// The largest count.
const LARGEST: u64 = (1 << 53) - 1;

/// Histories of this family.
pub const FAMILY: Family = Family {
    name: "least_used",
    begin: |key, draws| Box::new(LeastUsedHistory::new(key, draws)),
    steps: 1500,
    grants: &["picked", "repeated"],
    others: &[
        "all_excluded",
        "configured",
        "empty",
        "older",
        "other",
        "recorded",
        "same",
        "unknown",
        "unknown_upstream",
    ],
};

/// One table.
struct LeastUsedHistory {
    key: String,
    /// None before the first configuration.
    core: Option<LeastUsed>,
    version: u64,
    /// The list in force.
    list: Vec<(&'static str, u32)>,
    /// All that were ever listed, in the order in which they became known.
    known: Vec<&'static str>,
    upstreams: u64,
    /// The weights are below it.
    weights: u64,
    /// Counts are recorded that come near the largest.
    large: bool,
    /// What an id got, by the letter of its script and the id.
    ids: RequestIds<(u64, &'static str)>,
    clock: Clock,
    /// The instant of the last write.
    latest_ms: u64,
}

impl LeastUsedHistory {
    fn new(key: &str, draws: &mut Draws) -> Self {
        Self {
            key: key.into(),
            core: None,
            version: 0,
            list: Vec::new(),
            known: Vec::new(),
            upstreams: 1 + draws.below(UPSTREAMS.len() as u64),
            weights: [2, 2, 4, 9, 65_536][draws.below(5) as usize],
            large: draws.below(3) == 0,
            ids: RequestIds::default(),
            clock: Clock::new(100, draws),
            latest_ms: 0,
        }
    }

    fn now(&mut self, draws: &mut Draws) -> (u64, u64) {
        let asked_ms = self.clock.next(draws);
        (asked_ms, asked_ms.max(self.latest_ms))
    }

    fn upstream(&self, draws: &mut Draws) -> &'static str {
        UPSTREAMS[draws.below(self.upstreams) as usize]
    }

    /// Mostly 1 or more.
    fn weight(&self, draws: &mut Draws) -> u32 {
        match draws.below(12) {
            0 => 0,
            1 => (self.weights - 1) as u32,
            _ => 1 + draws.below(self.weights - 1) as u32,
        }
    }

    /// Another list than the one in force, of which it has a good part.
    fn another_list(&self, draws: &mut Draws) -> Vec<(&'static str, u32)> {
        if !self.list.is_empty() && draws.below(5) == 0 {
            return Vec::new();
        }
        let stay = 1 + draws.below(4);
        let mut list = Vec::new();
        for &upstream in &UPSTREAMS[..self.upstreams as usize] {
            let old = self.list.iter().find(|(listed, _)| *listed == upstream);
            match old {
                Some(&old) if draws.below(4) < stay => list.push(old),
                _ if draws.below(2) > 0 => list.push((upstream, self.weight(draws))),
                _ => {}
            }
        }
        if list.is_empty() || same(&list, &self.list) {
            let left = self.list.is_empty();
            list = if left {
                vec![("a", 1)]
            } else {
                self.list[1..].to_vec()
            };
        }
        shuffled(list, draws)
    }

    fn configure(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        let (asked_ms, now_ms) = self.now(draws);
        let (join, core_join) = match draws.below(3) {
            0 => ("floor", Join::Floor),
            1 => ("keep", Join::Keep),
            _ => ("zero", Join::Zero),
        };
        let draw = draws.draw();
        let fresh = self.core.is_none();
        let kind = if fresh { 0 } else { draws.below(4) };
        let (version, list) = match kind {
            0 => (self.newer(draws), self.another_list(draws)),
            1 => (self.version, shuffled(self.list.clone(), draws)),
            2 if self.version > 0 => (draws.below(self.version), self.another_list(draws)),
            _ => (self.version, self.another_list(draws)),
        };
        let count = list.len() as u64;
        let (word, expected) = if fresh || version > self.version {
            self.latest_ms = now_ms;
            self.apply(version, &list, core_join, draw);
            (
                "configured",
                reply!["configured", 1, now_ms, version, count].into(),
            )
        } else if version < self.version {
            ("older", reply!["older", 1, now_ms, self.version].into())
        } else if kind == 1 {
            ("same", reply!["same", 1, now_ms, version, count].into())
        } else {
            let mut expected: Vec<Reply> = reply!["other", 1, now_ms, version].into();
            for (upstream, weight) in self.by_place() {
                expected.extend(reply![&*format!(":{upstream}"), u64::from(weight)]);
            }
            ("other", expected)
        };
        let listed = list
            .iter()
            .flat_map(|(upstream, weight)| [upstream.to_string(), weight.to_string()]);
        Call::at(asked_ms, "configure_least_used", &self.key)
            .number(version)
            .text(join)
            .number(1_000 + draws.below(1_000_000))
            .number(draw)
            .texts(listed)
            .answers(&expected, draws, scripts);
        word
    }

    /// Mostly a small step, sometimes up to the largest.
    fn newer(&self, draws: &mut Draws) -> u64 {
        let step = if draws.below(50) == 0 { LARGEST / 4 } else { 3 };
        (self.version + 1 + draws.below(step)).min(LARGEST)
    }

    fn apply(&mut self, version: u64, list: &[(&'static str, u32)], join: Join, draw: u64) {
        let core =
            (self.core).get_or_insert_with(|| LeastUsed::new(draw).expect("the draw is good"));
        for old in &self.list {
            if !list.contains(old) {
                assert!(core.remove(old.0));
            }
        }
        for &(upstream, weight) in list {
            if !self.list.contains(&(upstream, weight)) {
                core.add(upstream, weight, join).expect("it has not joined");
            }
            if !self.known.contains(&upstream) {
                self.known.push(upstream);
            }
        }
        (self.version, self.list) = (version, list.to_vec());
    }

    fn by_place(&self) -> Vec<(&'static str, u32)> {
        let listed = |known: &&str| {
            self.list
                .iter()
                .find(|(upstream, _)| upstream == known)
                .copied()
        };
        self.known.iter().filter_map(listed).collect()
    }

    fn excluded(&self, draws: &mut Draws) -> Vec<&'static str> {
        match draws.below(15) {
            0..9 => Vec::new(),
            9..12 => (0..1 + draws.below(3))
                .map(|_| self.upstream(draws))
                .collect(),
            12 => {
                let one = draws.below(self.list.len() as u64 + 1) as usize;
                let others = self.list.iter().enumerate().filter(|(at, _)| *at != one);
                others.map(|(_, (upstream, _))| *upstream).collect()
            }
            _ => self.list.iter().map(|(upstream, _)| *upstream).collect(),
        }
    }

    fn pick(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        let (asked_ms, now_ms) = self.now(draws);
        let (id, tagged) = self.id("p", draws);
        let excluded = self.excluded(draws);
        let version = self.version;
        let (word, expected): (_, Vec<Reply>) = match self.ids.answer(&tagged) {
            Some(&(count, upstream)) => {
                let name = format!(":{upstream}");
                let expected = reply!["picked", 1, now_ms, version, &*name, count, 1];
                ("repeated", expected.into())
            }
            None => {
                let core = self.core.as_mut().expect("it is configured");
                let picked = core.pick(&excluded).expect("there are not too many");
                match picked {
                    Picked::Empty => ("empty", reply!["empty", 1, now_ms, version].into()),
                    Picked::AllExcluded => (
                        "all_excluded",
                        reply!["all_excluded", 1, now_ms, version].into(),
                    ),
                    Picked::Upstream(upstream) => {
                        let known = self.known.iter().find(|known| **known == upstream);
                        let upstream = *known.expect("it was listed");
                        let count = core.count(upstream).expect("it has joined");
                        self.ids.keep(tagged, (count, upstream), now_ms);
                        self.latest_ms = now_ms;
                        let name = format!(":{upstream}");
                        let expected = reply!["picked", 1, now_ms, version, &*name, count, 0];
                        ("picked", expected.into())
                    }
                    other => panic!("{other:?} has no reply"),
                }
            }
        };
        Call::at(asked_ms, "pick_least_used", &self.key)
            .text(&id)
            .texts(&excluded)
            .answers(&expected, draws, scripts);
        word
    }

    fn record(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        let (asked_ms, now_ms) = self.now(draws);
        let (id, tagged) = self.id("r", draws);
        let listed = self.list.len() as u64;
        let upstream = match draws.below(5) {
            0..2 if listed > 0 => self.list[draws.below(listed) as usize].0,
            _ => UPSTREAMS[draws.below(UPSTREAMS.len() as u64) as usize],
        };
        let times = match draws.below(8) {
            0 if self.large => LARGEST - draws.below(4),
            1 if self.large => draws.draw(),
            2 => 0,
            3 => draws.below(100_000),
            _ => draws.below(4),
        };
        let version = self.version;
        let (word, expected): (_, Vec<Reply>) = match self.ids.answer(&tagged) {
            Some(&(count, _)) => (
                "repeated",
                reply!["recorded", 1, now_ms, version, count, 1].into(),
            ),
            None => {
                let core = self.core.as_mut().expect("it is configured");
                match core.record(upstream, times).expect("times are good") {
                    false => (
                        "unknown_upstream",
                        reply!["unknown_upstream", 1, now_ms, version].into(),
                    ),
                    true => {
                        let count = core.count(upstream).expect("it has joined");
                        self.ids.keep(tagged, (count, upstream), now_ms);
                        self.latest_ms = now_ms;
                        (
                            "recorded",
                            reply!["recorded", 1, now_ms, version, count, 0].into(),
                        )
                    }
                }
            }
        };
        Call::at(asked_ms, "record_least_used", &self.key)
            .text(&id)
            .text(upstream)
            .number(times)
            .answers(&expected, draws, scripts);
        word
    }

    /// An id, and the same behind the letter of its script: a pick and a record do not share theirs.
    fn id(&mut self, letter: &str, draws: &mut Draws) -> (Vec<u8>, Vec<u8>) {
        let mut id = self.ids.next(draws);
        if matches!(id.first(), Some(b'p' | b'r')) {
            id.remove(0);
        }
        if id.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let tagged = [letter.as_bytes(), &id].concat();
        (id, tagged)
    }

    /// Asks a key that is not there.
    fn unknown(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        let asked_ms = self.clock.next(draws);
        let key = if self.core.is_none() {
            self.key.clone()
        } else {
            format!("{}:none", self.key)
        };
        let call = match draws.below(2) {
            0 => Call::at(asked_ms, "pick_least_used", &key)
                .text("")
                .texts(self.excluded(draws)),
            _ => Call::at(asked_ms, "record_least_used", &key)
                .text("id")
                .text("a")
                .number(1),
        };
        call.answers(&reply!["unknown", 1, asked_ms, 0], draws, scripts);
        "unknown"
    }
}

impl History for LeastUsedHistory {
    fn step(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        match draws.below(100) {
            0..6 => self.unknown(draws, scripts),
            _ if self.core.is_none() => self.configure(draws, scripts),
            6..30 => self.configure(draws, scripts),
            30..46 => self.record(draws, scripts),
            _ => self.pick(draws, scripts),
        }
    }
}

fn same(list: &[(&str, u32)], other: &[(&str, u32)]) -> bool {
    list.len() == other.len() && list.iter().all(|one| other.contains(one))
}

fn shuffled<T>(mut list: Vec<T>, draws: &mut Draws) -> Vec<T> {
    for at in (1..list.len()).rev() {
        list.swap(at, draws.below(at as u64 + 1) as usize);
    }
    list
}
