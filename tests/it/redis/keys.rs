//! Keys that are not what a script takes them for: refused by the word that is meant, and left alone.

use super::calls::{Call, KEY, call, outcome, prepare, traces};
use super::table::{VALID, Valid, rows};
use std::collections::BTreeMap;
use tests::harness::resp::{Answer, Client};
use tests::harness::server::{Kind, Server};

/// Runs a test over every row, on every server.
fn for_each_row(mut test: impl FnMut(&mut Client, &Valid)) {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let mut client = server.client();
        for row in rows() {
            client.ok(&["FLUSHDB"]);
            test(&mut client, row);
        }
    }
}

fn is_refused(client: &mut Client, call: &Call, word: &str) {
    let before = traces(client);
    let answer = call.run(client);
    let text = answer.error().unwrap_or_default();
    assert!(
        text.starts_with(&format!("{word} ")),
        "{}: {answer:?}",
        call.script.name
    );
    assert_eq!(traces(client), before, "{}", call.script.name);
}

#[test]
fn a_key_of_another_type_is_refused() {
    let makes: [&[&str]; 6] = [
        &["SET", "pool", "take 1 1 1"],
        &["SET", "pool", "7"],
        &["RPUSH", "pool", "s"],
        &["SADD", "pool", "s"],
        &["ZADD", "pool", "1", "s"],
        &["XADD", "pool", "*", "s", "take 1 1 1"],
    ];
    for_each_row(|client, row| {
        for make in makes {
            client.ok(&["DEL", "pool"]);
            client.ok(make);
            is_refused(client, &row.call(), "POINTSMAN_TYPE");
        }
    });
}

#[test]
fn a_key_of_another_family_is_refused() {
    for_each_row(|client, row| {
        let others = VALID
            .iter()
            .filter(|other| other.family != row.family && !other.family.is_empty());
        for other in others {
            if row.family.is_empty() {
                // What reads any family.
                continue;
            }
            prepare(client, other.before);
            is_refused(client, &row.call(), "POINTSMAN_KIND");
        }
        // One that is not known, not even to what reads any.
        client.ok(&["FLUSHDB"]);
        client.ok(&["HSET", "pool", "s", "stranger 1 1000000 1060000"]);
        is_refused(client, &row.call(), "POINTSMAN_KIND");
    });
}

#[test]
fn a_key_of_another_format_is_refused() {
    for_each_row(|client, row| {
        for format in ["0", "2", "10", "999999999999999999999"] {
            prepare(client, row.before);
            let state = client.ok(&["HGET", "pool", "s"]).text();
            let other = state.replacen(" 1 ", &format!(" {format} "), 1);
            client.ok(&["HSET", "pool", "s", &other]);
            is_refused(client, &row.call(), "POINTSMAN_FORMAT");
        }
    });
}

#[test]
fn a_hash_that_is_not_of_this_library_is_refused() {
    for_each_row(|client, row| {
        for fields in [
            ["field", "value"],
            ["s", "session"],
            ["s", ""],
            ["s", "\u{ff} 1 2"],
        ] {
            client.ok(&["DEL", "pool"]);
            client.ok(&["HSET", "pool", fields[0], fields[1]]);
            is_refused(client, &row.call(), "POINTSMAN_FORMAT");
        }
        // Ours, but for its state.
        prepare(client, row.before);
        client.ok(&["HDEL", "pool", "s"]);
        if client.ok(&["EXISTS", "pool"]) == Answer::Int(1) {
            is_refused(client, &row.call(), "POINTSMAN_FORMAT");
        }
    });
}

#[test]
fn a_call_behind_its_deadline_is_refused() {
    for_each_row(|client, row| {
        prepare(client, row.before);
        is_refused(client, &row.call().with(1, b"1"), "POINTSMAN_DEADLINE");
        let late = row.call().with(0, b"5000").with(1, b"4999");
        is_refused(client, &late, "POINTSMAN_DEADLINE");
        client.ok(&["DEL", "pool"]);
        let on_time = row.call().with(0, b"5000").with(1, b"5000");
        assert_eq!(on_time.run(client).error(), None, "{}", row.script);
    });
}

/// What a field may be damaged to. First what no number in it ever is.
fn damages(value: &str) -> [Vec<Option<String>>; 2] {
    let no_numbers = [
        "nan",
        "inf",
        "-1",
        "1e3",
        "0x10",
        "1.5",
        "x",
        "99999999999999999999",
    ];
    let words: Vec<&str> = value.split(' ').collect();
    let (mut in_numbers, mut others) = (Vec::new(), vec![None]);
    for at in 0..words.len() {
        let is_number = !words[at].is_empty() && words[at].chars().all(|c| c.is_ascii_digit());
        for number in no_numbers.iter().filter(|_| is_number) {
            let mut words = words.clone();
            words[at] = number;
            in_numbers.push(Some(words.join(" ")));
        }
        let mut fewer = words.clone();
        fewer.remove(at);
        others.push(Some(fewer.join(" ")));
    }
    let half = &value[..value.len() / 2];
    others.extend(["", "x", " ", "1", half].map(|damage| Some(damage.into())));
    others.push(Some(format!("{value} 1")));
    [in_numbers, others]
}

/// A damaged field is never computed with: what reads it says so, what does not answers as ever. One
/// field alone may have gone, too.
#[test]
fn a_damaged_field_is_named_and_left_alone() {
    let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for_each_row(|client, row| {
        // At a given instant all replies are the same.
        let at_instant = |line: &str| line.replacen(" 0 0", " 1000000 0", 1);
        let before: Vec<String> = row.before.iter().map(|line| at_instant(line)).collect();
        prepare(client, &before);
        let Answer::Bytes(sound) = client.ok(&["DUMP", "pool"]) else {
            panic!("{}: nothing is there", row.script)
        };
        let fields = client.ok(&["HGETALL", "pool"]).array();
        let call = row.call().with(0, b"1000000");
        let answer_of_sound = call.run(client);
        for field in fields.chunks(2) {
            let name = field[0].text();
            let [in_numbers, others] = damages(&field[1].text());
            let is_number = in_numbers.len();
            for (at, damage) in in_numbers.into_iter().chain(others).enumerate() {
                client.ok(&[&b"RESTORE"[..], KEY, b"60000", &sound, b"REPLACE"]);
                match &damage {
                    Some(damage) => client.ok(&["HSET", "pool", &name, damage]),
                    None => client.ok(&["HDEL", "pool", &name]),
                };
                let traces_before = traces(client);
                let answer = call.run(client);
                let what = format!("{}, field {name:?} is {damage:?}: {answer:?}", row.script);
                let word = outcome(&answer);
                let word = word.split(' ').next().unwrap().to_string();
                if answer.error().is_some() {
                    let words = ["POINTSMAN_DATA", "POINTSMAN_FORMAT", "POINTSMAN_KIND"];
                    assert!(words.contains(&word.as_str()), "{what}");
                    assert_eq!(traces(client), traces_before, "{what}");
                } else if at < is_number {
                    assert_eq!(answer, answer_of_sound, "{what}");
                } else {
                    answer.flat().unwrap();
                }
                *counts.entry((row.script, word)).or_default() += 1;
            }
        }
    });
    for ((script, word), count) in counts {
        println!("{script}: {count} {word}");
    }
}

/// Field `s` says until when the key lives; the server is told anew only once that is near.
#[test]
fn a_key_without_expiry_gets_one_again() {
    let mut repaired = BTreeMap::new();
    for_each_row(|client, row| {
        prepare(client, row.before);
        client.ok(&["PERSIST", "pool"]);
        assert_eq!(client.ok(&["PTTL", "pool"]), Answer::Int(-1));
        let before = traces(client);
        let state = client.ok(&["HGET", "pool", "s"]).text();
        let expires_ms = state.split([' ', '\n']).nth(3).unwrap();
        row.call().with(0, expires_ms.as_bytes()).run(client);
        if traces(client) != before {
            let ttl = client.ok(&["PTTL", "pool"]).int();
            assert!(ttl > 0, "{}: lives {ttl} ms", row.script);
            *repaired.entry(row.script).or_insert(0) += 1;
        }
    });
    println!("{repaired:?}");
    assert!(repaired.len() >= 7, "{repaired:?}");
}

#[test]
fn a_key_lives_until_all_that_it_holds_is_over() {
    const BUCKET: &str = "1 keep full 1 a bucket 10 1 1000000";
    // Two tokens come back each 3 ms.
    const HALVES: &str = "1 keep full 1 a bucket 1000000 2 3";
    let rows: [(&[&str], i64); 9] = [
        // A token comes back each 1,000,000 ms.
        (&["take 0 0 _ 0 BUCKET 1"], 1_000_000),
        (
            &["take 0 0 _ 0 BUCKET 1", "take 0 0 _ 0 BUCKET 5"],
            6_000_000,
        ),
        (
            &["take 0 0 x 0 BUCKET 1", "take 0 0 y 0 BUCKET 5"],
            6_000_000,
        ),
        (
            &["take 0 0 _ 0 BUCKET 10", "take 0 0 z 9000000 BUCKET 2"],
            12_000_000,
        ),
        // The first gives the key 300,004 ms to live; all is back half a millisecond later, so that
        // it is given twice as long anew.
        (
            &["take 0 0 _ 0 HALVES 100001", "take 0 0 _ 0 HALVES 100002"],
            600_000,
        ),
        (
            &["take 0 0 x 0 BUCKET 1", "take_settle 0 0 x a 30"],
            30_000_000,
        ),
        (
            &["take 0 0 _ 0 1 keep full 1 a window 5 0 7000000 1"],
            7_000_000,
        ),
        (
            &[
                "lease 0 0 x 1000 fewest 5 a 2",
                "lease_renew 0 0 x 86400000",
            ],
            86_400_000,
        ),
        (
            &["remember 0 0 100 50000000 a 0123456789abcdef"],
            50_000_000,
        ),
    ];
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let mut client = server.client();
        for (calls, life_ms) in rows {
            client.ok(&["FLUSHDB"]);
            for line in calls {
                let line = line.replace("BUCKET", BUCKET).replace("HALVES", HALVES);
                let answer = call(&line).run(&mut client);
                assert!(answer.error().is_none(), "{line}: {answer:?}");
            }
            let ttl_ms = client.ok(&["PTTL", "pool"]).int();
            // What has passed since the last call is much less than 5 s.
            assert!(ttl_ms + 5_000 >= life_ms, "{kind:?}, {calls:?}: {ttl_ms}");
        }
    }
}
