//! Waiting for a start that Redis has booked.

use super::*;
use pointsman_redis::*;
use std::sync::Arc;
use std::thread;
use std::time::Instant;
use tests::harness::server::{Kind, Server};
use tokio::task::JoinSet;

/// One request each ten seconds.
fn slow(key: &str) -> RedisLimits {
    RedisLimits::new(key, &[("requests", Rule::bucket(1, 1, 10_000))], 1)
}

fn starts_in_ms(taken: Taken) -> u64 {
    match taken {
        Taken::Granted { starts_in_ms, .. } => starts_in_ms,
        other => panic!("{other:?}"),
    }
}

#[test]
fn three_thousand_waiters_are_all_granted_in_their_order_and_none_too_early() {
    const WAITERS: usize = 3_000;
    const CAPACITY: usize = 5;
    let server = Server::start(Kind::Redis7);
    let rules = [("requests", Rule::bucket(CAPACITY as u64, 1, 1))];
    let limits = Arc::new(RedisLimits::new("k", &rules, 1));
    let (starts, mut ended) = run(async {
        let con = connection_async(server.address()).await.unwrap();
        let begin = Instant::now();
        let wait = |number: usize| {
            let (limits, mut con) = (limits.clone(), con.clone());
            async move {
                let take = limits.take_when_free(&[("requests", 1)], 60_000);
                let taken = take.query_async(&mut con, std::future::pending()).await;
                let Ok(Taken::Granted { starts_at_ms, .. }) = taken else {
                    panic!("{taken:?}");
                };
                (number, starts_at_ms, begin.elapsed())
            }
        };
        // One after another they are polled first, so in this order they ask.
        let mut tasks: JoinSet<_> = (0..WAITERS).map(wait).collect();
        let mut starts = vec![0; WAITERS];
        let mut ended = Vec::new();
        while let Some(end) = tasks.join_next().await {
            let (number, starts_at_ms, since_begin) = end.unwrap();
            starts[number] = starts_at_ms;
            ended.push(since_begin);
        }
        (starts, ended)
    });
    assert!(starts.is_sorted(), "{starts:?}");
    // Of those that come at once there are so many as fit, and one more each millisecond since.
    for (place, start) in starts.iter().enumerate() {
        let at_most = CAPACITY as u64 + start - starts[0];
        assert!((place as u64) < at_most, "{place} {start} {}", starts[0]);
    }
    ended.sort();
    for (place, since_begin) in ended.iter().enumerate() {
        let ms = since_begin.as_millis() as usize;
        assert!(place <= ms + CAPACITY, "{place} after {since_begin:?}");
    }
}

#[test]
fn a_wait_that_is_given_up_returns_its_place_to_those_behind() {
    let server = Server::start(Kind::Redis7);
    let mut con = connection(server.address());
    for (key, is_async) in [("blocking", false), ("async", true)] {
        let limits = slow(key);
        let take = limits.take(&[("requests", 1)]);
        assert_eq!(starts_in_ms(take.query(&mut con).unwrap()), 0);
        let when_free = limits.take_when_free(&[("requests", 1)], 60_000).id("w");
        let given_up = if is_async {
            run(async {
                let mut con = connection_async(server.address()).await.unwrap();
                when_free
                    .query_async(&mut con, std::future::ready(()))
                    .await
            })
        } else {
            let give_up = GiveUp::new();
            let other = give_up.clone();
            thread::scope(|scope| {
                scope.spawn(move || other.give_up());
                when_free.query(&mut con, &give_up)
            })
        };
        let expected = Taken::GivenUp {
            take_id: "w".into(),
            cancelled: TakeCancelled::Returned,
        };
        assert_eq!(given_up, Ok(expected));
        // The next one has the first place again: ten seconds after the first take, not twenty.
        let next = limits.take(&[("requests", 1)]).max_wait_ms(60_000);
        let starts_in_ms = starts_in_ms(next.query(&mut con).unwrap());
        assert!((1..=10_000).contains(&starts_in_ms), "{starts_in_ms}");
    }
}

/// How many starts of the one limit are booked ahead.
async fn booked(limits: &RedisLimits, con: &mut MultiplexedConnection) -> u64 {
    let Inspected::Found { facts, .. } = limits.inspect().query_async(con).await.unwrap() else {
        return 0;
    };
    let booked = facts.iter().find(|(word, _)| word == "booked");
    match booked.unwrap().1 {
        Fact::Number(booked) => booked,
        _ => panic!("{booked:?}"),
    }
}

#[test]
fn a_wait_whose_future_is_dropped_returns_its_place() {
    let server = Server::start(Kind::Redis7);
    let limits = slow("k");
    run(async {
        let mut con = connection_async(server.address()).await.unwrap();
        let take = limits.take(&[("requests", 1)]);
        assert_eq!(starts_in_ms(take.query_async(&mut con).await.unwrap()), 0);
        let when_free = limits.take_when_free(&[("requests", 1)], 60_000);
        let mut other = con.clone();
        let waiting = when_free.query_async(&mut other, std::future::pending());
        tokio::select! {
            _ = waiting => panic!("it starts in ten seconds"),
            () = async { while booked(&limits, &mut con).await == 0 {} } => {}
        }
        let soon = tokio::time::timeout(Duration::from_secs(5), async {
            while booked(&limits, &mut con).await > 0 {}
        });
        soon.await.expect("the place went back");
    });
}

#[test]
fn a_take_whose_future_is_dropped_on_its_way_is_not_charged() {
    let server = Server::start(Kind::Redis7);
    let limits = slow("k");
    run(async {
        let mut con = connection_async(server.address()).await.unwrap();
        // So that the take is one command.
        server.client().ok(&["SCRIPT", "LOAD", bundle::TAKE.source]);
        server.pause();
        let when_free = limits.take_when_free(&[("requests", 1)], 60_000);
        let mut other = con.clone();
        let taking = when_free.query_async(&mut other, std::future::pending());
        let soon = Duration::from_millis(100);
        assert!(tokio::time::timeout(soon, taking).await.is_err());
        server.go_on();
        let take = limits.take(&[("requests", 1)]);
        let begin = Instant::now();
        while let Taken::Wait { .. } = take.query_async(&mut con).await.unwrap() {
            assert!(begin.elapsed() < Duration::from_secs(5));
        }
        // It ran: its id is known.
        let cancelled = limits.take_cancel(when_free.take_id());
        assert_eq!(
            cancelled.query_async(&mut con).await,
            Ok(TakeCancelled::Started)
        );
    });
}

#[test]
fn a_wait_with_an_id_of_ones_own_whose_future_is_dropped_keeps_its_place_and_its_id_finds_it() {
    let server = Server::start(Kind::Redis7);
    let limits = slow("k");
    run(async {
        let mut con = connection_async(server.address()).await.unwrap();
        let take = limits.take(&[("requests", 1)]);
        assert_eq!(starts_in_ms(take.query_async(&mut con).await.unwrap()), 0);
        let when_free = limits.take_when_free(&[("requests", 1)], 60_000).id("w");
        let soon = Duration::from_millis(500);
        let waiting = when_free.query_async(&mut con, std::future::pending());
        assert!(tokio::time::timeout(soon, waiting).await.is_err());
        // The place is still taken.
        let next = limits.take(&[("requests", 1)]).max_wait_ms(60_000);
        let behind_ms = starts_in_ms(next.query_async(&mut con).await.unwrap());
        assert!((10_000..=20_000).contains(&behind_ms), "{behind_ms}");
        // The same take finds its booking.
        let again = limits.take(&[("requests", 1)]).id("w");
        let again = again.query_async(&mut con).await.unwrap();
        assert!(
            matches!(again, Taken::Granted { repeated: true, .. }),
            "{again:?}"
        );
        assert!((1..=10_000).contains(&starts_in_ms(again)));
        let cancelled = limits.take_cancel("w").query_async(&mut con).await;
        assert_eq!(cancelled, Ok(TakeCancelled::Returned));
    });
}

#[test]
fn blocking_waiters_go_one_by_one() {
    const WAITERS: u32 = 10;
    const GAP: Duration = Duration::from_millis(20);
    let server = Server::start(Kind::Valkey8);
    let rules = [("requests", Rule::bucket(1, 1, GAP.as_millis() as u64))];
    let limits = RedisLimits::new("k", &rules, 1);
    let begin = Instant::now();
    let mut ended: Vec<Duration> = thread::scope(|scope| {
        let wait = || {
            let when_free = limits.take_when_free(&[("requests", 1)], 60_000);
            let taken = when_free.query(&mut connection(server.address()), &GiveUp::new());
            assert!(matches!(taken, Ok(Taken::Granted { .. })), "{taken:?}");
            begin.elapsed()
        };
        let threads: Vec<_> = (0..WAITERS).map(|_| scope.spawn(wait)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    ended.sort();
    for (place, at) in (0..).zip(ended) {
        assert!(at >= GAP * place, "{place} after {at:?}");
    }
}

#[test]
fn who_cannot_wait_that_long_is_told_at_once() {
    let server = Server::start(Kind::Redis7);
    let mut con = connection(server.address());
    let limits = slow("k");
    let _ = limits.take(&[("requests", 1)]).query(&mut con).unwrap();
    let when_free = limits.take_when_free(&[("requests", 1)], 100);
    let taken = when_free.query(&mut con, &GiveUp::new());
    let Ok(Taken::Wait { retry_after_ms, .. }) = taken else {
        panic!("{taken:?}");
    };
    assert!((101..=10_000).contains(&retry_after_ms), "{retry_after_ms}");
}
