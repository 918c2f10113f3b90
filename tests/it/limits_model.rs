//! A million random operations on token buckets, windows and several limits together, beside slow
//! models of what the documentation promises; and what the models find out from outside: no more
//! than the upstream's own bucket holds, never more than the capacity in any trailing window.
//! With `POINTSMAN_LONG` set, twenty times as many.

mod bucket;
mod subject;
mod window;

use bucket::ExactBucket;
use pointsman::bounds::{MAX_MS, MAX_WHOLE};
use pointsman::{Limit, Limits, Start, Taken, TokenBucket, WindowLimit};
use std::collections::VecDeque;
use subject::{Held, Subject};
use tests::seed::Draws;
use window::ExactWindow;

/// What the random operations go by: the capacity, and how long it lasts.
#[derive(Clone, Copy)]
struct Sizes {
    capacity: u64,
    scale_ms: u64,
}

/// One limit, exact and slow. Instants are not before its clock.
trait Exact {
    fn sizes(&self) -> Sizes;
    fn clock_ms(&self) -> u64;
    /// Whether it began to fill with this call.
    fn begin(&mut self, now_ms: u64) -> bool;
    fn start_ms(&self, cost: u64, now_ms: u64) -> u64;
    /// Whether numbers below 2^53 hold it.
    fn holds(&self, charged: u64, actual: u64, now_ms: u64) -> bool;
    /// Whether a correction still counts.
    fn counts(&self, id: u64, starts_at_ms: u64, now_ms: u64) -> bool;
    fn charge(&mut self, id: u64, cost: u64, starts_at_ms: u64, now_ms: u64);
    fn correct(&mut self, id: u64, charged: u64, actual: u64, starts_at_ms: u64, now_ms: u64);
    fn cancel(&mut self, id: u64, now_ms: u64);
    fn remaining(&self, now_ms: u64) -> u64;
    fn check_from_outside(&mut self);
}

/// The start; or how long to wait, and for which; or which it never fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Granted(u64),
    Wait(u64, usize),
    Never(usize),
}

#[derive(Default)]
struct Counts {
    operations: u64,
    grants: u64,
    waits: u64,
    nevers: u64,
    cancelled: u64,
    settled: u64,
}

/// The library and its models side by side, and the grants that are out.
struct Pair {
    subject: Subject,
    models: Vec<Box<dyn Exact>>,
    held: Vec<(u64, Held)>,
    next_id: u64,
}

impl Pair {
    fn new(subject: Subject, models: Vec<Box<dyn Exact>>) -> Self {
        Self {
            subject,
            models,
            held: Vec::new(),
            next_id: 0,
        }
    }

    fn instant(&self, now_ms: u64) -> u64 {
        let clocks = self.models.iter().map(|model| model.clock_ms());
        clocks.fold(now_ms, u64::max)
    }

    /// What must be answered, and whether nothing may have changed if it is a refusal.
    fn expected(&mut self, costs: &[u64], wait_ms: u64, now_ms: u64) -> (Answer, bool) {
        let asked: Vec<usize> = (0..costs.len()).filter(|&at| costs[at] > 0).collect();
        let mut above = asked
            .iter()
            .filter(|&&at| costs[at] > self.models[at].sizes().capacity);
        if let Some(&at) = above.next() {
            return (Answer::Never(at), true);
        }
        let now_ms = self.instant(now_ms);
        let begun = (self.models.iter_mut()).fold(false, |any, model| model.begin(now_ms) | any);
        let start_of = |&at: &usize| self.models[at].start_ms(costs[at], now_ms);
        let start_ms = asked.iter().map(start_of).max().unwrap();
        let slowest = *asked.iter().find(|at| start_of(at) == start_ms).unwrap();
        let exact = asked
            .iter()
            .all(|&at| self.models[at].holds(0, costs[at], now_ms));
        let answer = match start_ms - now_ms {
            wait if wait > wait_ms || start_ms > MAX_MS || !exact => {
                Answer::Wait(wait.min(MAX_MS), slowest)
            }
            _ => Answer::Granted(start_ms),
        };
        (answer, !begun)
    }

    fn reserve(&mut self, costs: &[u64], wait_ms: u64, now_ms: u64) -> Answer {
        let before = self.subject.clone();
        let (expected, unchanged) = self.expected(costs, wait_ms, now_ms);
        let (answer, held) = self.subject.reserve(costs, wait_ms, now_ms);
        assert_eq!(answer, expected);
        match held {
            None if unchanged => assert_eq!(self.subject, before, "a refusal changes nothing"),
            None => {}
            Some(held) => {
                let now_ms = self.instant(now_ms);
                let asked = (self.models.iter_mut().zip(costs)).filter(|(_, cost)| **cost > 0);
                for (model, &cost) in asked {
                    model.charge(self.next_id, cost, held.starts_at_ms(), now_ms);
                }
                self.held.push((self.next_id, held));
                self.next_id += 1;
            }
        }
        answer
    }

    /// Whether it was given back, if there is a grant at all.
    fn cancel(&mut self, at: usize, now_ms: u64) -> bool {
        let (id, mut held) = self.held.swap_remove(at);
        let before = self.subject.clone();
        let (costs, unstarted) = (held.costs(), self.instant(now_ms) < held.starts_at_ms());
        assert_eq!(self.subject.cancel(&mut held, now_ms), unstarted);
        if !unstarted {
            assert_eq!(self.subject, before, "a cancel too late changes nothing");
            return false;
        }
        let now_ms = self.instant(now_ms);
        for (model, _) in (self.models.iter_mut().zip(costs)).filter(|(_, cost)| *cost > 0) {
            model.cancel(id, now_ms);
        }
        true
    }

    fn settle(&mut self, at: usize, actual: &[u64], now_ms: u64) -> bool {
        let before = self.subject.clone();
        let (id, held) = &mut self.held[at];
        let (costs, starts_at_ms) = (held.costs(), held.starts_at_ms());
        let settled = self.subject.settle(held, actual, now_ms);
        let id = *id;
        let now_ms = self.instant(now_ms);
        let charges = || costs.iter().copied().zip(actual.iter().copied());
        let exact = (self.models.iter().zip(charges())).all(|(model, (charged, actual))| {
            !model.counts(id, starts_at_ms, now_ms) || model.holds(charged, actual, now_ms)
        });
        assert_eq!(settled, exact);
        if !exact || costs == actual {
            assert_eq!(self.subject, before, "a call that changes nothing");
            return false;
        }
        for (model, (charged, actual)) in self.models.iter_mut().zip(charges()) {
            if charged != actual {
                model.correct(id, charged, actual, starts_at_ms, now_ms);
            }
        }
        assert_eq!(self.held[at].1.costs(), actual);
        true
    }

    /// One of the last few, or of those that have not started.
    fn some_grant(&self, now_ms: u64, draws: &mut Draws) -> Option<usize> {
        let mut grants = self.held.iter();
        let unstarted = grants.rposition(|(_, held)| held.starts_at_ms() > now_ms);
        let recent = self.held.len().checked_sub(1 + draws.below(4) as usize);
        unstarted.filter(|_| draws.below(3) > 0).or(recent)
    }

    fn check_remaining(&self, now_ms: u64) {
        let instant = self.instant(now_ms);
        let models = self.models.iter().map(|model| model.remaining(instant));
        assert_eq!(self.subject.remaining(now_ms), models.collect::<Vec<_>>());
    }
}

fn cost_for(sizes: Sizes, draws: &mut Draws) -> u64 {
    match draws.below(16) {
        0 => sizes.capacity,
        1 => sizes.capacity + 1 + draws.below(3),
        2..=8 => 1 + draws.below(sizes.capacity),
        _ => 1 + draws.below(sizes.capacity.div_ceil(3)),
    }
    .min(MAX_WHOLE)
}

fn actual_for(charged: u64, draws: &mut Draws) -> u64 {
    match draws.below(40) {
        0 => draws.below(1 << 53),
        1..=6 => 0,
        7..=10 => charged,
        _ => draws.below((2 * charged + 2).min(MAX_WHOLE)),
    }
}

/// A few hundred operations on one subject. Every other sequence settles nothing, and is then
/// looked at from outside.
fn play(pair: &mut Pair, draws: &mut Draws, counts: &mut Counts) {
    let settles = draws.below(2) == 0;
    let scale_ms = pair.models.iter().map(|model| model.sizes().scale_ms);
    let scale_ms = scale_ms.max().unwrap();
    let mut now_ms = draws.below(MAX_MS / 2);
    for _ in 0..200 {
        now_ms = match draws.below(100) {
            0 => now_ms + 31_536_000_000,
            1..=6 => now_ms.saturating_sub(draws.below(scale_ms / 4 + 2)),
            7..=30 => now_ms,
            _ => now_ms + draws.below(scale_ms / 2 + 3),
        };
        counts.operations += 1;
        match (draws.below(20), pair.some_grant(now_ms, draws)) {
            (0..=1, Some(at)) => counts.cancelled += u64::from(pair.cancel(at, now_ms)),
            (2..=4, Some(at)) if settles => {
                let charged = pair.held[at].1.costs().into_iter();
                let actual: Vec<u64> = charged.map(|cost| actual_for(cost, draws)).collect();
                counts.settled += u64::from(pair.settle(at, &actual, now_ms));
            }
            (5..=6, _) => pair.check_remaining(now_ms),
            _ => {
                let mut costs: Vec<u64> = (pair.models.iter())
                    .map(|model| cost_for(model.sizes(), draws) * (draws.below(4).min(1)))
                    .collect();
                if costs.iter().all(|&cost| cost == 0) {
                    costs[0] = cost_for(pair.models[0].sizes(), draws);
                }
                let wait_ms = draws.below(2) * draws.below(2 * scale_ms + 2).min(MAX_MS);
                match pair.reserve(&costs, wait_ms, now_ms) {
                    Answer::Granted(_) => counts.grants += 1,
                    Answer::Wait(..) => counts.waits += 1,
                    Answer::Never(_) => counts.nevers += 1,
                }
            }
        }
    }
    if !settles {
        pair.models
            .iter_mut()
            .for_each(|model| model.check_from_outside());
    }
}

fn random_bucket(draws: &mut Draws) -> (ExactBucket, TokenBucket) {
    let start = [Start::Full, Start::Empty][draws.below(2) as usize];
    let (mut refill, period_ms) = (1 + draws.below(9), 1 + draws.below(60));
    let mut capacity = 1 + draws.below(12);
    if draws.below(8) == 0 {
        // To the edge of exact arithmetic: the reduced period may be the whole of it.
        capacity = MAX_WHOLE / period_ms - draws.below(3);
        refill = (1 + capacity / (1 + draws.below(200))).min(MAX_WHOLE);
    }
    let scale_ms = 1 + (u128::from(capacity) * u128::from(period_ms) / u128::from(refill)) as u64;
    let sizes = Sizes { capacity, scale_ms };
    ExactBucket::new(sizes, refill, period_ms, start)
}

fn random_window(draws: &mut Draws) -> (ExactWindow, WindowLimit) {
    let longest_ms = [10, 100, 5_000][draws.below(3) as usize];
    let window_ms = 1 + draws.below(longest_ms);
    let capacity = match draws.below(8) {
        0 => MAX_WHOLE - draws.below(3),
        _ => 1 + draws.below(30),
    };
    let scale_ms = window_ms;
    ExactWindow::new(Sizes { capacity, scale_ms }, window_ms)
}

fn bucket_pair(draws: &mut Draws) -> Pair {
    let (exact, bucket) = random_bucket(draws);
    Pair::new(Subject::Bucket(bucket), vec![Box::new(exact)])
}

fn window_pair(draws: &mut Draws) -> Pair {
    let (exact, window) = random_window(draws);
    Pair::new(Subject::Window(window), vec![Box::new(exact)])
}

fn limits_pair(draws: &mut Draws) -> Pair {
    let (mut limits, mut models) = (Vec::new(), Vec::<Box<dyn Exact>>::new());
    for _ in 0..1 + draws.below(3) {
        if draws.below(2) == 0 {
            let (exact, bucket) = random_bucket(draws);
            limits.push(Limit::Bucket(bucket));
            models.push(Box::new(exact));
        } else {
            let (exact, window) = random_window(draws);
            limits.push(Limit::Window(window));
            models.push(Box::new(exact));
        }
    }
    Pair::new(Subject::Limits(Limits::new(limits).unwrap()), models)
}

fn compare(name: &'static str, operations: u64, make: fn(&mut Draws) -> Pair) {
    let mut draws = Draws::fresh(name);
    let long = std::env::var_os("POINTSMAN_LONG").is_some();
    let operations = if long { 20 * operations } else { operations };
    let mut counts = Counts::default();
    while counts.operations < operations {
        let mut pair = make(&mut draws);
        play(&mut pair, &mut draws, &mut counts);
    }
    let Counts {
        grants,
        waits,
        nevers,
        ..
    } = counts;
    println!(
        "{} operations: {grants} grants, {waits} waits, {nevers} nevers, {} cancelled, {} settled; {draws}",
        counts.operations, counts.cancelled, counts.settled
    );
    let asked = grants + waits + nevers;
    assert!(grants * 10 >= asked * 3 && waits * 20 >= asked && nevers * 20 >= asked);
    assert!(counts.cancelled * 100 >= asked && counts.settled * 100 >= asked);
}

#[test]
fn a_bucket_answers_as_the_upstreams_own_bucket_with_a_list_of_bookings() {
    compare("bucket", 400_000, bucket_pair);
}

#[test]
fn a_window_answers_as_lists_of_grants_and_never_passes_its_capacity() {
    compare("window", 300_000, window_pair);
}

#[test]
fn several_limits_answer_as_each_of_their_models_or_not_at_all() {
    compare("limits", 300_000, limits_pair);
}

/// Tokens that an exact log of every grant admits, and tokens that a window limit does.
fn admitted(traffic: &[(u64, u64)], capacity: u64, window_ms: u64) -> (u64, u64) {
    let mut log: VecDeque<(u64, u64)> = VecDeque::new();
    let mut limit = WindowLimit::new(capacity, window_ms).unwrap();
    let (mut in_log, mut by_log, mut by_limit) = (0, 0, 0);
    for &(now_ms, cost) in traffic {
        while log
            .front()
            .is_some_and(|(at_ms, _)| at_ms + window_ms <= now_ms)
        {
            in_log -= log.pop_front().unwrap().1;
        }
        if in_log + cost <= capacity {
            log.push_back((now_ms, cost));
            (in_log, by_log) = (in_log + cost, by_log + cost);
        }
        if let Taken::Granted(_) = limit.take(cost, now_ms).unwrap() {
            by_limit += cost;
        }
    }
    (by_log, by_limit)
}

#[test]
fn a_window_admits_98_percent_of_what_an_exact_log_admits_of_bursts() {
    let mut draws = Draws::fresh("bursts");
    let (mut now_ms, mut traffic, mut total) = (0, Vec::new(), 0);
    while traffic.len() < 100_000 {
        // A burst of requests, some a hundred times as long as others, and a lull.
        let gap_ms = 1 + draws.below(400);
        for _ in 0..draws.below(60) {
            now_ms += draws.below(2 * gap_ms);
            let longest = 64 << draws.below(7);
            let cost = 20 + draws.below(longest);
            traffic.push((now_ms, cost));
            total += cost;
        }
        now_ms += draws.below(10_000);
    }
    let a_minute = (u128::from(total) * 60_000 / u128::from(now_ms)) as u64;
    for (share, of) in [(12, 10), (8, 10), (4, 10)] {
        let (by_log, by_limit) = admitted(&traffic, a_minute * share / of, 60_000);
        println!("{by_limit} of {by_log} tokens at {share}/{of} of the load");
        assert!(by_limit * 100 >= by_log * 98, "{draws}");
    }
}
