//! `remember` and `recall` beside `AffinityTable`.

use super::call::Call;
use super::clock::Clock;
use super::{Family, History, Scripts};
use crate::reply;
use crate::seed::Draws;
use pointsman::{AffinityTable, Link};
use std::collections::VecDeque;

const UPSTREAMS: [&str; 5] = ["a", "acct-2", "é", "日本", "a b - c"];

/// Links that one call removes at most.
const GO_AT_A_TIME: usize = 100;

/// Histories of this family.
pub const FAMILY: Family = Family {
    name: "links",
    begin: |key, draws| Box::new(LinksHistory::new(key, draws)),
    steps: 1500,
    grants: &["recalled", "remembered"],
    others: &["nothing", "ignored"],
};

/// One memory of links, and conversations that grow, branch and are cut.
struct LinksHistory {
    key: String,
    core: AffinityTable,
    max_links: usize,
    ttl_ms: u64,
    /// The links held in the script's order, with their expiries: as in the core, but for what has
    /// expired and is removed later, since a call removes few.
    held: VecDeque<(u64, u64)>,
    conversations: Vec<Vec<u64>>,
    /// How long a conversation may become.
    longest: usize,
    clock: Clock,
    /// The instant of the last write.
    latest_ms: u64,
}

impl LinksHistory {
    fn new(key: &str, draws: &mut Draws) -> Self {
        let max_links = match draws.below(20) {
            0 => 0,
            1 => 1,
            2..4 => 1_000 + draws.below(4_000),
            _ => 2 + draws.below(49),
        };
        let longest_ttl = [3_000, 3_000, 3_000, 100_000][draws.below(4) as usize];
        let ttl_ms = 1 + draws.below(longest_ttl);
        let max_links = max_links as usize;
        Self {
            key: key.into(),
            core: AffinityTable::new(max_links, ttl_ms).expect("both are in bounds"),
            max_links,
            ttl_ms,
            held: VecDeque::new(),
            conversations: vec![Vec::new(); 3],
            longest: if draws.below(40) == 0 { 2_500 } else { 40 },
            clock: Clock::new(40, draws),
            latest_ms: 0,
        }
    }

    /// A conversation that has gone on since, or was branched off, or cut, or is an empty one.
    fn conversation(&mut self, draws: &mut Draws) -> Vec<u64> {
        let at = draws.below(self.conversations.len() as u64) as usize;
        let mut chain = self.conversations[at].clone();
        let part = draws.below(chain.len() as u64 + 1) as usize;
        match draws.below(20) {
            0 => return Vec::new(),
            1 => chain.truncate(part),
            2 if self.conversations.len() < 8 => {
                chain.truncate(part);
                chain.push(draws.below(1 << 40));
                self.conversations.push(chain.clone());
                return chain;
            }
            3 if self.longest > 1_000 => chain.extend((0..draws.below(900)).map(|_| draws.bits())),
            4..12 => chain.extend((0..1 + draws.below(3)).map(|_| draws.bits())),
            _ => {}
        }
        if chain.len() > self.longest {
            chain.clear();
        }
        self.conversations[at].clone_from(&chain);
        chain
    }

    fn recall(
        &mut self,
        chain: &[u64],
        asked_ms: u64,
        draws: &Draws,
        scripts: &mut dyn Scripts,
    ) -> &'static str {
        let now_ms = asked_ms.max(self.latest_ms);
        let links: Vec<Link> = chain.iter().copied().map(Link::from).collect();
        let call = Call::at(asked_ms, "recall", &self.key)
            .number(self.ttl_ms)
            .texts(chain.iter().map(|link| format!("{link:016x}")));
        let found = self
            .core
            .recall(&links, asked_ms)
            .expect("the instant is good");
        let Some(upstream) = found else {
            call.answers(&reply!["nothing", 1, now_ms, 0], draws, scripts);
            return "nothing";
        };
        let alive = |link: &u64| {
            let mut held = self.held.iter();
            held.any(|(known, expires_ms)| known == link && now_ms < *expires_ms)
        };
        let place = chain.iter().rposition(alive).expect("a link is alive");
        let name = format!(":{upstream}");
        let expected = reply!["recalled", 1, now_ms, 0, &*name, place as u64 + 1];
        call.answers(&expected, draws, scripts);
        self.latest_ms = now_ms;
        for (link, expires_ms) in &mut self.held {
            if *link == chain[place] {
                *expires_ms = now_ms + self.ttl_ms;
            }
        }
        "recalled"
    }

    fn remember(
        &mut self,
        chain: &[u64],
        asked_ms: u64,
        draws: &mut Draws,
        scripts: &mut dyn Scripts,
    ) -> &'static str {
        let now_ms = asked_ms.max(self.latest_ms);
        let links: Vec<Link> = chain.iter().copied().map(Link::from).collect();
        let upstream = match draws.below(20) {
            0 => "",
            _ => UPSTREAMS[draws.below(UPSTREAMS.len() as u64) as usize],
        };
        let last = chain.last().map(|link| format!("{link:016x}"));
        let call = Call::at(asked_ms, "remember", &self.key)
            .number(self.max_links as u64)
            .number(self.ttl_ms)
            .text(upstream)
            .text(last.unwrap_or_default());
        let remembered = self.core.remember(&links, upstream, asked_ms);
        remembered.expect("the name and the instant are good");
        let Some(&link) = chain
            .last()
            .filter(|_| !upstream.is_empty() && self.max_links > 0)
        else {
            call.answers(&reply!["ignored", 1, now_ms, 0], draws, scripts);
            return "ignored";
        };
        self.hold(link, now_ms);
        let held = self.held.len() as u64;
        let late = self
            .held
            .iter()
            .take_while(|(_, expires_ms)| *expires_ms <= now_ms);
        assert_eq!(self.held.len() - late.count(), self.core.len(), "{draws}");
        call.answers(&reply!["remembered", 1, now_ms, 0, held], draws, scripts);
        self.latest_ms = now_ms;
        "remembered"
    }

    /// A link becomes the newest; what has expired makes room, and then the oldest.
    fn hold(&mut self, link: u64, now_ms: u64) {
        self.held.retain(|(known, _)| *known != link);
        for _ in 0..GO_AT_A_TIME {
            match self.held.front() {
                Some((_, expires_ms))
                    if *expires_ms <= now_ms || self.held.len() >= self.max_links =>
                {
                    self.held.pop_front()
                }
                _ => break,
            };
        }
        self.held.push_back((link, now_ms + self.ttl_ms));
    }
}

impl History for LinksHistory {
    fn step(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        let chain = self.conversation(draws);
        let asked_ms = self.clock.next(draws);
        match draws.below(2) {
            0 => self.recall(&chain, asked_ms, draws, scripts),
            _ => self.remember(&chain, asked_ms, draws, scripts),
        }
    }
}
