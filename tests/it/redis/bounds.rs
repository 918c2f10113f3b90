//! What a key remembers at most, on both sides of each bound.

use super::calls::{Call, call, outcome, run};
use super::replies::written;
use std::time::Instant;
use tests::harness::resp::{Answer, Client};
use tests::harness::server::{Kind, Server};

/// Runs calls that come one after the other.
fn run_all(client: &mut Client, lines: impl Iterator<Item = String>) {
    let calls: Vec<_> = lines.map(|line| call(&line)).collect();
    client.ok(&["SCRIPT", "LOAD", &calls[0].script.source]);
    for batch in calls.chunks(1_000) {
        let commands: Vec<_> = batch.iter().map(|call| call.evalsha(&[b"pool"])).collect();
        for answer in client.pipeline(&commands) {
            assert_eq!(answer.error(), None);
        }
    }
}

/// A shuffle with this id at this instant.
fn shuffle(id: u64, now_ms: u64) -> String {
    format!("next_shuffle {now_ms} 0 id-{id} 34560000000 free 0 a")
}

/// Whether the id had an answer before. If not, it has now.
fn is_known(client: &mut Client, id: u64, now_ms: u64) -> bool {
    run(client, &shuffle(id, now_ms)).array()[6].int() == 1
}

#[test]
fn an_id_is_known_while_it_is_among_the_newest_thousand() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let hour = |id: u64| 3_600_000 * (id + 1);
    run_all(&mut client, (0..1_000).map(|id| shuffle(id, hour(id))));
    assert!(is_known(&mut client, 0, hour(1_000)));
    run(&mut client, &shuffle(1_000, hour(1_000)));
    assert!(is_known(&mut client, 1, hour(1_000)));
    assert!(!is_known(&mut client, 0, hour(1_000)));
}

#[test]
fn an_id_behind_a_thousand_newer_ones_is_known_for_a_minute() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let begin_ms = 1_000_000;
    run_all(&mut client, (0..3_000).map(|id| shuffle(id, begin_ms)));
    run(&mut client, &shuffle(3_000, begin_ms + 59_999));
    assert!(is_known(&mut client, 0, begin_ms + 59_999));
    // A call forgets two at most.
    run(&mut client, &shuffle(3_001, begin_ms + 60_000));
    assert!(is_known(&mut client, 2, begin_ms + 60_000));
    assert!(!is_known(&mut client, 1, begin_ms + 60_000));
}

#[test]
fn an_id_behind_ten_thousand_newer_ones_is_forgotten_within_a_minute() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let begin_ms = 1_000_000;
    run_all(&mut client, (0..10_000).map(|id| shuffle(id, begin_ms)));
    assert!(is_known(&mut client, 0, begin_ms));
    run(&mut client, &shuffle(10_000, begin_ms));
    assert!(is_known(&mut client, 1, begin_ms));
    assert!(!is_known(&mut client, 0, begin_ms));
}

#[test]
fn takes_are_booked_at_ten_thousand_starts_and_no_more() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let take = |now_ms| format!("take {now_ms} 0 _ 9000000 1 keep full 1 a bucket 1 1 1 1");
    run_all(&mut client, (0..10_000).map(|_| take(1_000_000)));
    // The first had not to wait, so the 10,000th is the 9,999th that is booked.
    let last = "granted 1 1000000 1 10000 0 0";
    assert_eq!(written(run(&mut client, &take(1_000_000))), last);
    let more = "wait 1 1000000 1 10001 :a";
    assert_eq!(written(run(&mut client, &take(1_000_000))), more);
    let later = "granted 1 1000001 1 10000 0 0";
    assert_eq!(written(run(&mut client, &take(1_000_001))), later);
}

/// So many arguments, of which each names another: behind `fixed`.
fn many(fixed: &str, count: usize, each: impl Fn(usize) -> String) -> Call {
    let each: Vec<String> = (0..count).map(each).collect();
    call(&format!("{fixed} {}", each.join(" ")))
}

#[test]
fn a_list_has_1024_upstreams_at_most() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    run(
        &mut client,
        "configure_least_used 1000000 0 1 floor 60000 5 a 1",
    );
    let lists: [(&[u8], &str, &str); 5] = [
        (
            b"used",
            "configure_least_used 1000000 0 1 floor 60000 5",
            " 1",
        ),
        (b"used-2", "pick_least_used 1000000 0 id-1", ""),
        (b"lease", "lease 1000000 0 id-1 60000 fewest 1023", " 1"),
        (b"shuffle", "next_shuffle 1000000 0 _ 60000 free 1023", ""),
        (
            b"repeat",
            "pick_no_repeat 1000000 0 _ 60000 exit fail 0 1023",
            " _ 1",
        ),
    ];
    for (key, fixed, behind) in lists {
        let list = |count| many(fixed, count, |at| format!("upstream-{at}{behind}"));
        let most = list(1_024).run_on(&mut client, key);
        assert_eq!(most.error(), None, "{fixed}");
        if ["leased", "picked"].contains(&outcome(&most).as_str()) {
            let names = most.array();
            assert!(
                names.contains(&Answer::Bytes(b":upstream-1023".into())),
                "{names:?}"
            );
        }
        let more = list(1_025).run_on(&mut client, key);
        let error = more.error().unwrap_or_default();
        assert!(error.starts_with("POINTSMAN_ARG "), "{fixed}: {more:?}");
    }
}

#[test]
fn a_take_asks_sixteen_limits_at_most() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let limits = |count: usize| {
        let fixed = format!("take 1000000 0 id-1 0 1 keep full {count}");
        let mut take = many(&fixed, count, |at| {
            let kinds = ["bucket 10 1 6000", "window 10 0 6000"];
            format!("limit-{at} {}", kinds[at % 2])
        });
        take.args.extend(vec![b"4".to_vec(); count]);
        take.run_on(&mut client, b"pool")
    };
    let [most, more] = [16, 17].map(limits);
    let left = " 6".repeat(16);
    assert_eq!(written(most), format!("granted 1 1000000 1 0 0{left}"));
    assert!(
        more.error()
            .unwrap_or_default()
            .starts_with("POINTSMAN_ARG "),
        "{more:?}"
    );
}

#[test]
fn a_chain_has_65535_links_at_most() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    run(
        &mut client,
        "remember 1000000 0 10 60000 a 0000000000000000",
    );
    let chain = |count| {
        many("recall 1000000 0 60000", count, |link| {
            format!("{link:016x}")
        })
    };
    let longest = chain(65_535).run(&mut client);
    assert_eq!(written(longest), "recalled 1 1000000 0 :a 1");
    let longer = chain(65_536).run(&mut client);
    assert!(
        longer
            .error()
            .unwrap_or_default()
            .starts_with("POINTSMAN_ARG "),
        "{longer:?}"
    );
}

/// As many as there may be: none of what a call does to them at once stands in one command.
#[test]
fn twenty_thousand_leases_that_expired_together_go_with_the_next_grant() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let lease = |id: usize, now_ms: u64| {
        let upstream = id % 20;
        format!("lease {now_ms} 0 id-{id} 60000 first 0 upstream-{upstream} 1000")
    };
    run_all(&mut client, (0..20_000).map(|id| lease(id, 1_000_000)));
    let full = run(&mut client, &lease(20_000, 1_059_999));
    assert_eq!(written(full), "wait 1 1059999 0 1");
    // `s`, and a field for each lease and for each upstream.
    assert_eq!(client.ok(&["HLEN", "pool"]).int(), 1 + 20_000 + 20);
    let begin = Instant::now();
    let again = run(&mut client, &lease(20_000, 1_060_000));
    println!(
        "the call that left out 20,000 leases took {:?}",
        begin.elapsed()
    );
    assert_eq!(
        written(again),
        "leased 1 1060000 0 :upstream-0 1060000000 1120000 0"
    );
    assert_eq!(client.ok(&["HLEN", "pool"]).int(), 3);
}
