//! Many clients at once.

use super::calls::{Call, KEY, call, run};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Barrier;
use std::thread;
use std::time::Instant;
use tests::differential::Reply;
use tests::harness::resp::{Client, encoded};
use tests::harness::server::{Kind, Server};

/// The integer at a place of a reply.
fn int(reply: &[Reply], at: usize) -> i64 {
    match reply[at] {
        Reply::Int(n) => n,
        _ => panic!("{reply:?}"),
    }
}

/// The text at a place of a reply.
fn text(reply: &[Reply], at: usize) -> String {
    match &reply[at] {
        Reply::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Reply::Int(_) => panic!("{reply:?}"),
    }
}

#[test]
fn eight_clients_use_seven_upstreams_equally() {
    const PICKS: usize = 2_000;
    for kind in Kind::ALL {
        let server = Server::start(kind);
        run(
            &mut server.client(),
            "configure_least_used 0 0 1 floor 60000 5 a 1 b 1 c 1 d 1 e 1 f 1 g 1",
        );
        let begin = Instant::now();
        let picked: Vec<String> = thread::scope(|scope| {
            let worker = |worker: usize| {
                let mut client = server.client();
                let pick = move |number: usize| {
                    let pick = call(&format!("pick_least_used 0 0 {worker}-{number}"));
                    text(&pick.run(&mut client).flat().unwrap(), 4)
                };
                (0..PICKS).map(pick).collect::<Vec<_>>()
            };
            let workers: Vec<_> = (0..8)
                .map(|number| scope.spawn(move || worker(number)))
                .collect();
            workers
                .into_iter()
                .flat_map(|worker| worker.join().unwrap())
                .collect()
        });
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for upstream in picked {
            *counts.entry(upstream).or_default() += 1;
        }
        println!("{kind:?}: {counts:?} in {:?}", begin.elapsed());
        assert_eq!(counts.values().sum::<usize>(), 8 * PICKS);
        assert_eq!(counts.len(), 7);
        let (least, most) = (
            counts.values().min().unwrap(),
            counts.values().max().unwrap(),
        );
        assert!(most - least <= 1, "{counts:?}");
    }
}

/// Sends one call on each of many connections before the first reply is read.
fn race(clients: &mut [Client], call: impl Fn(usize) -> Call) -> Vec<Vec<Reply>> {
    for (number, client) in clients.iter_mut().enumerate() {
        client
            .send(&encoded(&call(number).evalsha(&[KEY])))
            .unwrap();
    }
    let receive = |client: &mut Client| client.receive().unwrap().flat().unwrap();
    clients.iter_mut().map(receive).collect()
}

#[test]
fn the_last_place_goes_to_one_of_those_who_race_for_it() {
    let server = Server::start(Kind::Redis7);
    let mut clients: Vec<Client> = (0..64).map(|_| server.client()).collect();
    for round in 0..50 {
        run(&mut clients[0], "lease 0 0 holder 60000 first 0 a 2");
        let answers = race(&mut clients, |number| {
            call(&format!("lease 0 0 {round}-{number} 60000 first 0 a 2"))
        });
        let winners = answers
            .iter()
            .filter(|reply| text(reply, 0) == "leased")
            .count();
        assert_eq!(winners, 1, "round {round}");
        let fences = answers
            .iter()
            .filter(|reply| text(reply, 0) == "leased")
            .map(|reply| int(reply, 5));
        assert_eq!(fences.count(), 1);
        clients[0].ok(&["DEL", "pool"]);
        let take = "keep full 1 rpm bucket 10 1 86400000";
        run(&mut clients[0], &format!("take 0 0 _ 0 1 {take} 9"));
        let answers = race(&mut clients, |number| {
            call(&format!("take 0 0 {number} 0 1 {take} 1"))
        });
        let winners = answers
            .iter()
            .filter(|reply| text(reply, 0) == "granted")
            .count();
        assert_eq!(winners, 1, "round {round}");
        clients[0].ok(&["DEL", "pool"]);
    }
}

/// A bucket of 5 at one a millisecond, and 3,000 who wait for it at once: the start of each.
#[test]
fn three_thousand_waiters_start_one_by_one_in_the_order_of_their_arrival() {
    const WAITERS: usize = 3_000;
    let server = Server::start(Kind::Redis7);
    let mut clients: Vec<Client> = (0..64).map(|_| server.client()).collect();
    let take = |id: usize| {
        call(&format!(
            "take 0 0 id-{id} 600000 1 keep full 1 rpm bucket 5 1 1 1"
        ))
    };
    clients[0].ok(&["SCRIPT", "LOAD", &take(0).script.source]);
    let begin = Instant::now();
    let ids = |connection: usize| (0..WAITERS).filter(move |id| id % 64 == connection);
    for (connection, client) in clients.iter_mut().enumerate() {
        let calls = ids(connection).flat_map(|id| encoded(&take(id).evalsha(&[KEY])));
        client.send(&calls.collect::<Vec<u8>>()).unwrap();
    }
    // Arrived at this instant, on this connection as this one: starts at that instant.
    let mut starts: Vec<(i64, usize, usize, i64)> = Vec::new();
    for (connection, client) in clients.iter_mut().enumerate() {
        for id in ids(connection) {
            let reply = client.receive().unwrap().flat().unwrap();
            assert_eq!(text(&reply, 0), "granted", "{reply:?}");
            assert_eq!(int(&reply, 5), 0, "{reply:?}");
            starts.push((
                int(&reply, 2),
                connection,
                id,
                int(&reply, 2) + int(&reply, 4),
            ));
        }
    }
    println!("{WAITERS} waiters booked in {:?}", begin.elapsed());
    assert_eq!(starts.len(), WAITERS);

    for connection in 0..64 {
        let mine = starts.iter().filter(|(_, on, ..)| *on == connection);
        assert!(
            mine.map(|(.., start)| start).is_sorted(),
            "connection {connection}"
        );
    }
    let mut last_before = 0;
    starts.sort_unstable();
    for same_instant in starts.chunk_by(|one, other| one.0 == other.0) {
        let starts = || same_instant.iter().map(|(.., start)| *start);
        assert!(starts().min().unwrap() >= last_before, "{same_instant:?}");
        last_before = starts().max().unwrap();
    }
    let mut instants: Vec<i64> = starts.iter().map(|(.., start)| *start).collect();
    instants.sort_unstable();
    let booked: Vec<i64> = (starts.iter())
        .filter(|(now, .., start)| start > now)
        .map(|(.., start)| *start)
        .collect();
    let distinct: BTreeSet<&i64> = booked.iter().collect();
    assert_eq!(distinct.len(), booked.len());
    assert!(booked.len() >= WAITERS / 2, "only {} waited", booked.len());
    for (from, first) in instants.iter().enumerate() {
        // Of the five that may come at once and one each millisecond since.
        for (to, last) in instants.iter().enumerate().skip(from) {
            assert!((to - from) as i64 <= 4 + last - first, "{from} to {to}");
        }
    }
    // Asked again, each has the start that it had.
    let (now, _, id, start) = *starts.iter().max_by_key(|(.., start)| start).unwrap();
    let again = take(id).run(&mut clients[0]).flat().unwrap();
    assert_eq!(int(&again, 5), 1, "{again:?}");
    let starts_in = (start - int(&again, 2)).max(0);
    assert_eq!(int(&again, 4), starts_in, "booked at {now}: {again:?}");
}

#[test]
fn the_leases_of_a_killed_worker_are_back_at_their_expiry() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let lease = |id: &str, ttl: u32| call(&format!("lease 0 0 {id} {ttl} first 0 a 1"));
    let keys: Vec<String> = (0..100).map(|number| format!("pool:{number}")).collect();
    let mut expiries = Vec::new();
    {
        let mut killed = server.client();
        for key in &keys {
            let reply = lease("killed", 100)
                .run_on(&mut killed, key.as_bytes())
                .flat()
                .unwrap();
            expiries.push(int(&reply, 6));
        }
    }
    let mut latest = 0;
    for (key, expires_ms) in keys.iter().zip(expiries) {
        // The last refusal and the grant, both by the server's clock, have the expiry between them.
        let (mut refused, mut granted) = (0, 0);
        tests::harness::server::until("the place is back", || {
            let reply = lease("next", 60_000)
                .run_on(&mut client, key.as_bytes())
                .flat()
                .unwrap();
            let is_back = text(&reply, 0) == "leased";
            if is_back {
                granted = int(&reply, 2)
            } else {
                refused = int(&reply, 2)
            };
            is_back.then_some(())
        });
        assert!(
            refused < expires_ms && granted >= expires_ms,
            "{refused} {expires_ms} {granted}"
        );
        latest = latest.max(granted - expires_ms);
    }
    println!("100 leases of a killed worker are back, the last {latest} ms after its expiry");
}

#[test]
fn two_writers_of_one_memory_lose_nothing() {
    const LINKS: u64 = 500;
    let server = Server::start(Kind::Redis7);
    let both_ready = Barrier::new(2);
    thread::scope(|scope| {
        for writer in 0..2 {
            let (server, both_ready) = (&server, &both_ready);
            scope.spawn(move || {
                let mut client = server.client();
                both_ready.wait();
                for link in 0..LINKS {
                    run(
                        &mut client,
                        &format!("remember 0 0 10000 60000 writer-{writer} {writer}{link:015x}"),
                    );
                }
            });
        }
    });
    let mut reader = server.client();
    for (writer, link) in (0..2).flat_map(|writer| (0..LINKS).map(move |link| (writer, link))) {
        let recalled = run(
            &mut reader,
            &format!("recall 0 0 60000 {writer}{link:015x}"),
        );
        assert_eq!(
            text(&recalled.flat().unwrap(), 4),
            format!(":writer-{writer}")
        );
    }
    let again = run(
        &mut reader,
        "remember 0 0 10000 60000 writer-0 0000000000000000",
    );
    assert_eq!(int(&again.flat().unwrap(), 4), 2 * LINKS as i64);
}
