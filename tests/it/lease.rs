//! Leases at their boundaries, and a million random operations beside a plain list.

use pointsman::{Acquired, Choice, LeaseCandidate, Leases, Released, Renewed};
use tests::seed::Draws;

fn candidate(upstream: &str, max_in_flight: u32) -> LeaseCandidate<'_> {
    LeaseCandidate {
        upstream,
        max_in_flight,
    }
}

fn acquire(leases: &mut Leases, max: u32, id: &str, ttl_ms: u64, now_ms: u64) -> Acquired {
    let only = [candidate("a", max)];
    leases
        .acquire(&only, Choice::Fewest, id, ttl_ms, now_ms)
        .unwrap()
}

fn leased(upstream: &str, fence: u64, expires_ms: u64) -> Acquired {
    Acquired::Leased {
        upstream: upstream.into(),
        fence,
        expires_ms,
        repeated: false,
    }
}

fn wait(retry_after_ms: u64) -> Acquired {
    Acquired::Wait { retry_after_ms }
}

#[test]
fn a_release_counts_once() {
    let mut leases = Leases::new(0).unwrap();
    assert_eq!(acquire(&mut leases, 1, "one", 100, 0), leased("a", 1, 100));
    assert_eq!(leases.in_flight("a", 0), Ok(1));
    let released = Released::Released {
        upstream: "a".into(),
    };
    assert_eq!(leases.release("one", 1), Ok(released));
    let before = leases.clone();
    assert_eq!(leases.release("one", 1), Ok(Released::Gone));
    assert_eq!(leases.release("a stranger's", 1), Ok(Released::Gone));
    assert_eq!(leases, before);
    assert_eq!(leases.in_flight("a", 1), Ok(0));
}

#[test]
fn a_dead_holder_counts_until_its_expiry_and_no_longer() {
    let mut leases = Leases::new(0).unwrap();
    assert_eq!(
        acquire(&mut leases, 1, "dead", 30_000, 0),
        leased("a", 1, 30_000)
    );
    assert_eq!(leases.in_flight("a", 29_999), Ok(1));
    assert_eq!(leases.in_flight("a", 30_000), Ok(0));
    let before = leases.clone();
    assert_eq!(acquire(&mut leases, 1, "next", 10, 29_999), wait(1));
    assert_eq!(leases, before, "a refusal changes nothing");
    assert_eq!(
        acquire(&mut leases, 1, "next", 10, 30_000),
        leased("a", 30_000_000, 30_010)
    );
}

#[test]
fn each_lease_expires_by_itself_while_others_come_and_go() {
    let mut leases = Leases::new(0).unwrap();
    let _ = acquire(&mut leases, 2, "dead", 2_000, 0);
    for now_ms in (0..2_000).step_by(1_000) {
        let other = acquire(&mut leases, 2, "other", 2_000, now_ms);
        assert!(matches!(other, Acquired::Leased { .. }));
        let _ = leases.release("other", now_ms + 500).unwrap();
    }
    assert_eq!(leases.in_flight("a", 1_999), Ok(1));
    assert_eq!(leases.in_flight("a", 2_000), Ok(0));
}

#[test]
fn renewed_leases_hold_their_places() {
    let mut leases = Leases::new(0).unwrap();
    let _ = acquire(&mut leases, 2, "one", 2_000, 0);
    let _ = acquire(&mut leases, 2, "two", 2_000, 0);
    for now_ms in [1_000, 2_000, 3_000] {
        for (id, fence) in [("one", 1), ("two", 2)] {
            let expires_ms = now_ms + 2_000;
            let renewed = Renewed::Until { expires_ms, fence };
            assert_eq!(leases.renew(id, 2_000, now_ms), Ok(renewed));
        }
        assert_eq!(acquire(&mut leases, 2, "third", 1, now_ms), wait(2_000));
    }
    assert_eq!(leases.renew("one", 2_000, 5_000), Ok(Renewed::Gone));
    assert_eq!(leases.in_flight("a", 5_000), Ok(0));
}

#[test]
fn a_late_release_leaves_the_new_holder_alone() {
    let mut leases = Leases::new(0).unwrap();
    let _ = acquire(&mut leases, 1, "old", 100, 0);
    assert_eq!(
        acquire(&mut leases, 1, "new", 100, 100),
        leased("a", 100_000, 200)
    );
    assert_eq!(leases.release("old", 101), Ok(Released::Gone));
    assert_eq!(leases.in_flight("a", 101), Ok(1));
}

#[test]
fn a_lowered_cap_ends_nothing_and_grants_nothing_until_there_is_room() {
    let mut leases = Leases::new(0).unwrap();
    for id in ["one", "two", "three"] {
        let _ = acquire(&mut leases, 3, id, 1_000, 0);
    }
    for (id, left) in [("one", 2), ("two", 1), ("three", 0)] {
        assert_eq!(acquire(&mut leases, 1, "more", 1_000, 1), wait(999));
        let _ = leases.release(id, 1).unwrap();
        assert_eq!(leases.in_flight("a", 1), Ok(left));
    }
    assert!(matches!(
        acquire(&mut leases, 1, "more", 1, 1),
        Acquired::Leased { .. }
    ));
}

#[test]
fn the_same_id_finds_the_same_lease_whatever_is_asked() {
    let mut leases = Leases::new(0).unwrap();
    let _ = acquire(&mut leases, 1, "mine", 100, 7);
    let before = leases.clone();
    let again = Acquired::Leased {
        upstream: "a".into(),
        fence: 7_000,
        expires_ms: 107,
        repeated: true,
    };
    assert_eq!(acquire(&mut leases, 1, "mine", 9_999, 50), again);
    let other = [candidate("b", 5)];
    assert_eq!(
        leases.acquire(&other, Choice::First, "mine", 1, 50),
        Ok(again.clone())
    );
    assert_eq!(leases.acquire(&[], Choice::First, "mine", 1, 50), Ok(again));
    assert_eq!(leases, before);
    assert_eq!(
        leases.acquire(&[], Choice::First, "other", 1, 50),
        Ok(Acquired::Empty)
    );
}

#[test]
fn equal_ones_take_turns_and_busier_ones_are_left_alone() {
    let mut leases = Leases::new(1).unwrap();
    let candidates = ["a", "b", "c"].map(|upstream| candidate(upstream, 9));
    for (upstream, id) in [("a", "1"), ("a", "2"), ("a", "3"), ("b", "4"), ("c", "5")] {
        let only = [candidate(upstream, 9)];
        let _ = leases.acquire(&only, Choice::First, id, 1_000, 0).unwrap();
    }
    let mut turns = Vec::new();
    for turn in 0..4 {
        let id = format!("turn {turn}");
        let granted = leases.acquire(&candidates, Choice::Fewest, &id, 1_000, 0);
        let Ok(Acquired::Leased { upstream, .. }) = granted else {
            panic!("there is room: {granted:?}");
        };
        let _ = leases.release(&id, 0).unwrap();
        turns.push(upstream);
    }
    assert_eq!(turns, ["b", "c", "b", "c"]);
}

#[test]
fn a_turn_is_that_of_a_name_and_not_of_a_place() {
    let mut leases = Leases::new(0).unwrap();
    let mut turn = |id: &str, listed: [&str; 3]| {
        let candidates = listed.map(|upstream| candidate(upstream, 9));
        let granted = leases.acquire(&candidates, Choice::Fewest, id, 1_000, 0);
        let _ = leases.release(id, 0).unwrap();
        in_words(granted.unwrap())
    };
    assert_eq!(turn("1", ["a", "b", "c"]), "a 1 1000 false");
    assert_eq!(turn("2", ["c", "a", "b"]), "b 2 1000 false");
    assert_eq!(turn("3", ["b", "c", "a"]), "c 3 1000 false");
    // c is not listed and stood at place 1: from place 2.
    assert_eq!(turn("4", ["x", "y", "z"]), "z 4 1000 false");
}

#[test]
fn the_fence_rises_also_after_all_is_lost_and_while_the_clock_stands() {
    let mut leases = Leases::new(0).unwrap();
    assert_eq!(acquire(&mut leases, 9, "1", 10, 5), leased("a", 5_000, 15));
    assert_eq!(acquire(&mut leases, 9, "2", 10, 5), leased("a", 5_001, 15));
    // The clock steps back: the stored instant holds.
    assert_eq!(acquire(&mut leases, 9, "3", 10, 1), leased("a", 5_002, 15));
    let mut after_a_loss = Leases::new(0).unwrap();
    assert_eq!(
        acquire(&mut after_a_loss, 9, "4", 10, 6),
        leased("a", 6_000, 16)
    );
}

/// A list of leases, read from one end to the other for every question.
#[derive(Default)]
struct Plain {
    clock_ms: u64,
    fence: u64,
    /// The upstream of the last grant, and the place behind it in the list of that call.
    last: Option<(usize, usize)>,
    leases: Vec<(String, usize, u64, u64)>,
}

impl Plain {
    fn in_flight(&self, upstream: usize, now_ms: u64) -> usize {
        let now_ms = now_ms.max(self.clock_ms);
        let live = |&&(_, of, _, expires_ms): &&(String, usize, u64, u64)| {
            of == upstream && expires_ms > now_ms
        };
        self.leases.iter().filter(live).count()
    }

    /// `listed`: an upstream and its most leases, in the caller's order.
    fn acquire(
        &mut self,
        listed: &[(usize, u32)],
        id: &str,
        ttl_ms: u64,
        first: bool,
        now: u64,
    ) -> String {
        let now = now.max(self.clock_ms);
        if let Some((_, upstream, fence, expires)) = self
            .leases
            .iter()
            .find(|lease| lease.0 == id && lease.3 > now)
        {
            return format!("u{upstream} {fence} {expires} true");
        }
        if listed.is_empty() {
            return "Empty".into();
        }
        let load = |&at: &usize| self.in_flight(listed[at].0, now);
        let room: Vec<usize> = (0..listed.len())
            .filter(|at| load(at) < listed[*at].1 as usize)
            .collect();
        let fewest = room.iter().map(load).min();
        let start = self.last.map_or(0, |(last, behind)| {
            let stands = listed.iter().position(|&(upstream, _)| upstream == last);
            stands.map_or(behind, |at| at + 1)
        });
        let turns = (0..listed.len()).map(|step| (start + step) % listed.len());
        let chosen = match first {
            true => room.first().copied(),
            false => turns
                .filter(|at| room.contains(at))
                .find(|at| Some(load(at)) == fewest),
        };
        let Some(chosen) = chosen else {
            let live = (self.leases.iter())
                .filter(|lease| listed.iter().any(|&(upstream, _)| upstream == lease.1))
                .map(|lease| lease.3)
                .filter(|&at| at > now);
            return format!("wait {}", live.min().unwrap() - now);
        };
        self.clock_ms = now;
        let upstream = listed[chosen].0;
        self.last = Some((upstream, chosen + 1));
        self.fence = (self.fence + 1).max(now * 1_000);
        let expires = now + ttl_ms;
        self.leases.retain(|lease| lease.0 != id);
        self.leases.push((id.into(), upstream, self.fence, expires));
        format!("u{upstream} {} {expires} false", self.fence)
    }

    fn renew(&mut self, id: &str, ttl_ms: u64, now: u64) -> Option<u64> {
        let now = now.max(self.clock_ms);
        let lease = (self.leases.iter_mut()).find(|lease| lease.0 == id && lease.3 > now)?;
        self.clock_ms = now;
        lease.3 = lease.3.max(now + ttl_ms);
        Some(lease.3)
    }

    fn release(&mut self, id: &str, now: u64) -> Option<usize> {
        let now = now.max(self.clock_ms);
        let at = (self.leases.iter()).position(|lease| lease.0 == id && lease.3 > now)?;
        self.clock_ms = now;
        Some(self.leases.swap_remove(at).1)
    }
}

fn in_words(acquired: Acquired) -> String {
    match acquired {
        Acquired::Leased {
            upstream,
            fence,
            expires_ms,
            repeated,
        } => format!("{upstream} {fence} {expires_ms} {repeated}"),
        Acquired::Wait { retry_after_ms } => format!("wait {retry_after_ms}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn random_operations_answer_as_a_plain_list_of_leases_does() {
    const OPERATIONS: u64 = 300_000;
    let mut draws = Draws::fresh("leases");
    let names: Vec<String> = (0..3).map(|at| format!("u{at}")).collect();
    let (mut leases, mut plain) = (Leases::new(0).unwrap(), Plain::default());
    let (mut now, mut grants, mut waits) = (1_000u64, 0, 0);
    for _ in 0..OPERATIONS {
        now = (now + draws.below(6)).saturating_sub(if draws.below(50) == 0 { 20 } else { 0 });
        let id = format!("lease {}", draws.below(40));
        let ttl_ms = 1 + draws.below(120);
        match draws.below(10) {
            0..=5 => {
                let listed: Vec<(usize, u32)> = (0..1 + draws.below(4))
                    .map(|_| (draws.below(3) as usize, 1 + draws.below(3) as u32))
                    .collect();
                let candidates: Vec<_> = (listed.iter())
                    .map(|&(at, most)| candidate(&names[at], most))
                    .collect();
                let first = draws.below(2) == 0;
                let choice = if first { Choice::First } else { Choice::Fewest };
                let acquired = leases
                    .acquire(&candidates, choice, &id, ttl_ms, now)
                    .unwrap();
                grants += u64::from(matches!(acquired, Acquired::Leased { .. }));
                waits += u64::from(matches!(acquired, Acquired::Wait { .. }));
                let expected = plain.acquire(&listed, &id, ttl_ms, first, now);
                assert_eq!(in_words(acquired), expected, "{draws}");
            }
            6..=7 => {
                let renewed = match leases.renew(&id, ttl_ms, now).unwrap() {
                    Renewed::Until { expires_ms, .. } => Some(expires_ms),
                    _ => None,
                };
                assert_eq!(renewed, plain.renew(&id, ttl_ms, now), "{draws}");
            }
            _ => {
                let released = match leases.release(&id, now).unwrap() {
                    Released::Released { upstream } => Some(upstream),
                    _ => None,
                };
                let expected = plain.release(&id, now).map(|at| names[at].clone());
                assert_eq!(released, expected, "{draws}");
            }
        }
        let at = draws.below(3) as usize;
        let in_flight = leases.in_flight(&names[at], now);
        assert_eq!(in_flight, Ok(plain.in_flight(at, now)), "{draws}");
    }
    println!("{OPERATIONS} operations: {grants} grants, {waits} waits, {draws}");
    assert!(grants * 10 >= OPERATIONS * 3 && waits * 20 >= OPERATIONS);
}
