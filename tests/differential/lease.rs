//! `lease`, `lease_renew` and `lease_release` beside `Leases`.

use super::call::Call;
use super::clock::Clock;
use super::{Family, History, Reply, Scripts};
use crate::reply;
use crate::seed::Draws;
use pointsman::{Acquired, Choice, LeaseCandidate, Leases, Released, Renewed};

const UPSTREAMS: [&str; 10] = ["a", "b", "B", "é", "日本", "🦀", "1 2", "a 1", "\\n", "10"];

/// Histories of this family.
pub const FAMILY: Family = Family {
    name: "lease",
    begin: |key, draws| Box::new(LeaseHistory::new(key, draws)),
    steps: 2000,
    grants: &["leased", "repeated"],
    others: &["wait", "empty", "renewed", "released", "gone"],
};

/// The leases of one key.
struct LeaseHistory {
    key: String,
    core: Leases,
    /// Whether most calls ask as the one before did, which the scripts answer by another way.
    is_calm: bool,
    upstreams: u64,
    /// How many leases an upstream mostly has room for.
    room: u64,
    longest_ttl_ms: u64,
    list: Vec<LeaseCandidate<'static>>,
    /// Ids of leases, the newest last.
    given: Vec<Vec<u8>>,
    clock: Clock,
    /// When the lease that was granted or renewed last expires.
    expires_ms: u64,
    /// The instant of the last write.
    latest_ms: u64,
}

impl LeaseHistory {
    fn new(key: &str, draws: &mut Draws) -> Self {
        let mut history = Self {
            key: key.into(),
            core: Leases::new(0).expect("the draw is good"),
            is_calm: draws.below(2) == 0,
            upstreams: 1 + draws.below(UPSTREAMS.len() as u64),
            room: [1, 3, 9, 60][draws.below(4) as usize],
            longest_ttl_ms: [500, 5_000, 600_000, 86_400_000][draws.below(4) as usize],
            list: Vec::new(),
            given: Vec::new(),
            clock: Clock::new(60, draws),
            expires_ms: 0,
            latest_ms: 0,
        };
        history.list = (0..draws.below(7))
            .map(|_| history.candidate(draws))
            .collect();
        history
    }

    fn candidate(&self, draws: &mut Draws) -> LeaseCandidate<'static> {
        let max_in_flight = match draws.below(20) {
            0 => 1,
            1 => 1_000,
            _ => 1 + draws.below(self.room) as u32,
        };
        LeaseCandidate {
            upstream: UPSTREAMS[draws.below(self.upstreams) as usize],
            max_in_flight,
        }
    }

    /// Some are named twice, and some that hold leases are not named.
    fn change_list(&mut self, draws: &mut Draws) {
        let at = draws.below(self.list.len() as u64 + 1) as usize;
        match draws.below(if self.is_calm { 120 } else { 12 }) {
            0 if self.list.len() < 12 => self.list.insert(at, self.candidate(draws)),
            1 if at < self.list.len() => drop(self.list.remove(at)),
            2 if at < self.list.len() => self.list[at] = self.candidate(draws),
            3 if at > 0 => self.list.rotate_left(at - 1),
            4 => {
                let count = draws.below(7);
                self.list = (0..count).map(|_| self.candidate(draws)).collect();
            }
            _ => {}
        }
    }

    /// An id that was given before: lately or long ago; or a stranger's.
    fn known(&self, draws: &mut Draws) -> Vec<u8> {
        let given = self.given.len() as u64;
        if given == 0 || draws.below(40) == 0 {
            return vec![b'x'];
        }
        let back = match draws.below(6) {
            0 => draws.below(given),
            _ => draws.below(given.min(12)),
        };
        self.given[(given - 1 - back) as usize].clone()
    }

    /// Any bytes; those that the script writes in another way often.
    fn fresh(&self, draws: &mut Draws) -> Vec<u8> {
        if self.is_calm {
            return format!("job-{:x}", draws.bits()).into();
        }
        if draws.below(20) == 0 {
            return vec![b'\n'; 1 + draws.below(128) as usize];
        }
        let byte = |draws: &mut Draws| match draws.below(4) {
            0 => b"\\\nn 0"[draws.below(5) as usize],
            _ => draws.bits() as u8,
        };
        let length = 1 + draws.below(10);
        (0..length).map(|_| byte(draws)).collect()
    }

    /// Now and then just when a lease expires.
    fn next_instant(&mut self, draws: &mut Draws) -> u64 {
        let soon_ms = self.latest_ms + 2_000;
        match draws.below(12) {
            0 if self.expires_ms < soon_ms => self.clock.wait_until(self.expires_ms),
            _ => self.clock.next(draws),
        }
    }

    fn ttl_ms(&self, draws: &mut Draws) -> u64 {
        1 + draws.below(self.longest_ttl_ms)
    }

    fn lease(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        self.change_list(draws);
        let asked_ms = self.next_instant(draws);
        let now_ms = asked_ms.max(self.latest_ms);
        let (ttl_ms, draw) = (self.ttl_ms(draws), draws.draw());
        let id = match draws.below(5) {
            0 => self.known(draws),
            _ => self.fresh(draws),
        };
        let (choice, core_choice) = match draws.below(if self.is_calm { 20 } else { 3 }) {
            0 => ("first", Choice::First),
            _ => ("fewest", Choice::Fewest),
        };
        if self.core.fence() == 0 {
            self.core = Leases::new(draw).expect("the draw is good");
        }
        let name = id_of_core(&id);
        let answer = (self.core).acquire(&self.list, core_choice, &name, ttl_ms, asked_ms);
        let (word, expected): (_, Vec<Reply>) = match answer.expect("the arguments are good") {
            Acquired::Leased {
                upstream,
                fence,
                expires_ms,
                repeated,
            } => {
                if !repeated {
                    self.latest_ms = now_ms;
                    self.expires_ms = expires_ms;
                    self.given.push(id.clone());
                }
                let (upstream, repeats) = (format!(":{upstream}"), u64::from(repeated));
                let expected = reply![
                    "leased", 1, now_ms, 0, &*upstream, fence, expires_ms, repeats
                ];
                let word = if repeated { "repeated" } else { "leased" };
                (word, expected.into())
            }
            Acquired::Wait { retry_after_ms } => {
                ("wait", reply!["wait", 1, now_ms, 0, retry_after_ms].into())
            }
            Acquired::Empty => ("empty", reply!["empty", 1, now_ms, 0].into()),
            other => panic!("{other:?} has no reply"),
        };
        let listed = self.list.iter().flat_map(|one| {
            let max_in_flight = one.max_in_flight.to_string();
            [one.upstream.to_string(), max_in_flight]
        });
        Call::at(asked_ms, "lease", &self.key)
            .text(&id)
            .number(ttl_ms)
            .text(choice)
            .number(draw)
            .texts(listed)
            .answers(&expected, draws, scripts);
        word
    }

    fn renew(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        let asked_ms = self.next_instant(draws);
        let now_ms = asked_ms.max(self.latest_ms);
        let (id, ttl_ms) = (self.known(draws), self.ttl_ms(draws));
        let answer = self.core.renew(&id_of_core(&id), ttl_ms, asked_ms);
        let (word, expected): (_, Vec<Reply>) = match answer.expect("the arguments are good") {
            Renewed::Until { expires_ms, fence } => {
                self.latest_ms = now_ms;
                self.expires_ms = expires_ms;
                let expected = reply!["renewed", 1, now_ms, 0, fence, expires_ms];
                ("renewed", expected.into())
            }
            Renewed::Gone => ("gone", reply!["gone", 1, now_ms, 0].into()),
            other => panic!("{other:?} has no reply"),
        };
        Call::at(asked_ms, "lease_renew", &self.key)
            .text(&id)
            .number(ttl_ms)
            .answers(&expected, draws, scripts);
        word
    }

    fn release(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        let asked_ms = self.next_instant(draws);
        let now_ms = asked_ms.max(self.latest_ms);
        let id = self.known(draws);
        let answer = self.core.release(&id_of_core(&id), asked_ms);
        let (word, expected): (_, Vec<Reply>) = match answer.expect("the arguments are good") {
            Released::Released { upstream } => {
                self.latest_ms = now_ms;
                let upstream = format!(":{upstream}");
                let expected = reply!["released", 1, now_ms, 0, &*upstream];
                ("released", expected.into())
            }
            Released::Gone => ("gone", reply!["gone", 1, now_ms, 0].into()),
            other => panic!("{other:?} has no reply"),
        };
        Call::at(asked_ms, "lease_release", &self.key)
            .text(&id)
            .answers(&expected, draws, scripts);
        word
    }
}

impl History for LeaseHistory {
    fn step(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str {
        match draws.below(20) {
            0..14 => self.lease(draws, scripts),
            14..17 => self.renew(draws, scripts),
            _ => self.release(draws, scripts),
        }
    }
}

/// In the core an id is text: a character for each byte.
fn id_of_core(id: &[u8]) -> String {
    id.iter().copied().map(char::from).collect()
}
