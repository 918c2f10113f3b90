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
fn ids_are_forgotten_also_behind_one_that_is_lost() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let hour = |id: u64| 3_600_000 * (id + 1);
    run_all(&mut client, (0..1_000).map(|id| shuffle(id, hour(id))));
    assert_eq!(client.ok(&["HDEL", "pool", "q:0"]).int(), 1);
    run_all(&mut client, (1_000..1_002).map(|id| shuffle(id, hour(id))));
    assert!(is_known(&mut client, 2, hour(1_001)));
    assert!(!is_known(&mut client, 1, hour(1_001)));
}

#[test]
fn inspect_counts_the_ids_that_are_kept() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let families = [
        ("take NOW 0 ID 0 1 keep full 1 a bucket 9000 1 1 1", 1),
        ("pick_least_used NOW 0 ID", 1),
        ("next_shuffle NOW 0 ID 34560000000 free 0 a", 0),
        (
            "pick_no_repeat NOW 0 ID 34560000000 upstream reuse 0 0 a _ 1",
            0,
        ),
    ];
    for (line, version) in families {
        client.ok(&["FLUSHDB"]);
        if line.starts_with("pick_least_used") {
            run(
                &mut client,
                "configure_least_used 1 0 1 floor 34560000000 0 a 1",
            );
        }
        let at = |id: u64| {
            (line.replace("ID", &format!("id-{id}")))
                .replace("NOW", &(100_000 * (id + 1)).to_string())
        };
        run_all(&mut client, (0..1_003).map(at));
        let told = written(run(&mut client, "inspect 100300000 0"));
        let words: Vec<&str> = told.split(' ').collect();
        let ids = words.iter().position(|word| *word == "ids").unwrap();
        assert_eq!(words[3], version.to_string(), "{told}");
        assert_eq!(words[ids + 1], "1000", "{told}");
    }
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

#[test]
fn what_need_not_wait_is_taken_beside_ten_thousand_starts() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let take = |costs| {
        format!(
            "take 1000000 0 _ 9000000 1 keep full 2 a bucket 1 1 1 b bucket 10002 1 1000000 {costs}"
        )
    };
    run_all(&mut client, (0..10_001).map(|_| take("1 1")));
    let more = "wait 1 1000000 1 10001 :a";
    assert_eq!(written(run(&mut client, &take("1 1"))), more);
    let at_once = "granted 1 1000000 1 0 0 0 0";
    assert_eq!(written(run(&mut client, &take("0 1"))), at_once);
}

/// A window of 100, of which 50 and 20 were taken, becomes one of 10: of the 50 are left 5, and 7 of all.
#[test]
fn a_charge_that_a_change_made_less_is_settled_to_as_much_less() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let mut client = server.client();
        let calls = [
            "take 1000000 0 id-1 0 1 keep full 1 a window 100 0 48000 50",
            "take 1001000 0 _ 0 1 keep full 1 a window 100 0 48000 20",
            "take 1001000 0 _ 0 2 proportional full 1 a window 10 0 48000 3",
        ];
        for line in calls {
            run(&mut client, line);
        }
        // 5 of the first, and 5 of the others.
        let above = call("take_settle 1001000 0 id-1 a 9007199254740987").run(&mut client);
        let error = above.error().unwrap_or_default();
        assert!(error.ends_with("from 0 to 9007199254740986"), "{above:?}");
        let most = run(&mut client, "take_settle 1001000 0 id-1 a 9007199254740986");
        assert_eq!(written(most), "settled 1 1001000 2 0");
    }
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

/// More than the 64 whose turns a key names at most.
#[test]
fn each_of_a_hundred_upstreams_is_picked_once_before_one_is_picked_again() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let list = many(
        "configure_least_used 1000000 0 1 floor 60000 5",
        100,
        |at| format!("upstream-{at} 1"),
    );
    assert_eq!(list.run(&mut client).error(), None);
    for round in 1..4 {
        for pick in 0..100 {
            let picked = run(&mut client, "pick_least_used 1000000 0 _").array();
            assert_eq!(picked[5].int(), round, "pick {pick}: {picked:?}");
        }
    }
}

/// Upstreams that leave are known until there are too many: their counts, and whose turn is next.
#[test]
fn of_more_than_2048_upstreams_those_that_left_first_are_forgotten() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let names =
        |letter: &str, count: usize| (0..count).map(|at| format!("{letter}{at} 1")).collect();
    let configure = |client: &mut Client, version: u64, lists: &[Vec<String>]| {
        let list = lists.concat();
        assert!(list.len() <= 1_024, "{}", list.len());
        let fixed = format!("configure_least_used 1000000 0 {version} keep 60000 2");
        run(client, &format!("{fixed} {}", list.join(" ")));
        let known = client.ok(&["HGET", "pool", "k"]).text().lines().count();
        // `s`, `k`, and a count for each.
        assert_eq!(client.ok(&["HLEN", "pool"]).int() as usize, 2 + known);
        known
    };
    let pick = |client: &mut Client| run(client, "pick_least_used 1000000 0 _").array()[4].text();
    let count = |client: &mut Client, upstream: &str| {
        written(run(
            client,
            &format!("record_least_used 1000000 0 _ {upstream} 0"),
        ))
    };
    let all: Vec<String> = names("u", 1_024);
    let stay: Vec<String> = ["u2 1", "u4 1", "u5 1", "u6 1"].map(String::from).into();
    assert_eq!(configure(&mut client, 1, &[all]), 1_024);
    run(&mut client, "record_least_used 1000000 0 _ u7 5");
    run(&mut client, "record_least_used 1000000 0 _ u9 6");
    // From place 2 on.
    assert_eq!([(); 2].map(|()| pick(&mut client)), [":u2", ":u3"]);
    let lists = [stay.clone(), names("a", 1_020)];
    assert_eq!(configure(&mut client, 2, &lists), 2_044);
    let lists = [stay.clone(), names("a", 1_016), names("b", 4)];
    assert_eq!(configure(&mut client, 3, &lists), 2_048);
    // Three more, and those that left first go: u0, u1 and u3. It is the turn of the one behind u3.
    let lists = [
        stay.clone(),
        names("a", 1_013),
        names("b", 4),
        names("c", 3),
    ];
    assert_eq!(configure(&mut client, 4, &lists), 2_048);
    assert_eq!(pick(&mut client), ":u4");
    // For d0 goes u7, which comes back as a new one, and for that goes u8. u9 was known all the time.
    let back = ["d0 1", "u7 1", "u9 1"].map(String::from).into();
    assert_eq!(configure(&mut client, 5, &[stay, back]), 2_048);
    assert_eq!(count(&mut client, "u7"), "recorded 1 1000000 5 0 0");
    assert_eq!(count(&mut client, "u9"), "recorded 1 1000000 5 6 0");
    assert_eq!(count(&mut client, "u8"), "unknown_upstream 1 1000000 5");
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
