//! What scripts answer, wherever they run: the same everywhere, and a refusal writes nothing.

use super::calls::{Call, call};
use super::outcomes::rows;
use super::table::{self, VALID};
use std::collections::BTreeSet;
use tests::differential::Reply;
use tests::harness::cluster::Cluster;
use tests::harness::resp::{Answer, Client};
use tests::harness::scripts;
use tests::harness::server::{Kind, Server, locales};

/// A reply as a row has it.
pub fn written(answer: Answer) -> String {
    let reply = answer.flat().unwrap_or_else(|error| panic!("{error}"));
    let element = |element: Reply| match element {
        Reply::Int(n) => n.to_string(),
        Reply::Bytes(bytes) => {
            let text = String::from_utf8(bytes).unwrap();
            match text.parse::<i64>() {
                Ok(n) => format!("\"{n}\""),
                Err(_) => text,
            }
        }
    };
    reply.into_iter().map(element).collect::<Vec<_>>().join(" ")
}

/// Runs every row on a key of its own.
pub fn play(place: &str, mut run: impl FnMut(&Call, &str) -> Answer) {
    let mut played = 0;
    for (number, row) in rows().enumerate() {
        let key = format!("pool:{number}");
        for line in row.before {
            let answer = run(&call(line), &key);
            assert_eq!(answer.error(), None, "{place}: {line}");
        }
        let answer = run(&call(row.call), &key);
        assert_eq!(answer.error(), None, "{place}: {}", row.call);
        let what = format!("{place}: {:?} {}", row.before, row.call);
        assert_eq!(written(answer), row.reply, "{what}");
        played += 1;
    }
    println!("{place}: {played} rows");
}

fn play_on(place: &str, client: &mut Client) {
    play(place, |call, key| call.run_on(client, key.as_bytes()));
}

#[test]
fn every_server_answers_the_same_in_both_protocols() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let mut client = server.client();
        play_on(&format!("{kind:?}"), &mut client);
        client.ok(&["FLUSHDB"]);
        client.hello3();
        play_on(&format!("{kind:?}, RESP3"), &mut client);
    }
}

#[test]
fn a_locale_that_compares_text_by_other_rules_changes_nothing() {
    let folder = locales();
    let variables = [
        ("LC_ALL", "en_US.UTF-8"),
        ("LOCPATH", folder.to_str().unwrap()),
    ];
    for kind in Kind::ALL {
        let server = Server::start_with(kind, &[], &variables);
        let mut client = server.client();
        // By bytes, a capital letter comes first.
        let other_rules = client.command(&["EVAL", "return 'a' < 'B'", "0"]);
        assert_eq!(
            other_rules,
            Answer::Int(1),
            "{kind:?} is not in that locale"
        );
        play_on(&format!("{kind:?}, en_US"), &mut client);
    }
}

#[test]
fn a_cluster_answers_the_same_wherever_the_key_lies() {
    for kind in [Kind::Redis7, Kind::Valkey8] {
        let cluster = Cluster::start(kind, 0);
        let mut client = cluster.client();
        let mut owners = BTreeSet::new();
        play(&format!("{kind:?}, a cluster"), |call, key| {
            owners.insert(client.owner(key.as_bytes()));
            let args: Vec<&[u8]> = call.args.iter().map(Vec::as_slice).collect();
            let answer = client.try_evaluate(call.script, key.as_bytes(), &args);
            answer.unwrap_or_else(|error| panic!("{error}"))
        });
        assert_eq!(owners.len(), 3);
    }
}

/// With that line, a server of a cluster refuses to let a script touch a slot that it did not declare.
#[test]
fn with_a_line_that_makes_the_cluster_strict_all_scripts_still_run() {
    for kind in [Kind::Redis7, Kind::Redis8, Kind::Valkey8] {
        let server = Server::start_with(kind, &["--cluster-enabled", "yes"], &[]);
        let mut client = server.client();
        let slots: Vec<String> = (0..16_384).map(|slot: u32| slot.to_string()).collect();
        let head = ["CLUSTER".to_string(), "ADDSLOTS".to_string()];
        client.ok(&[&head[..], &slots].concat());
        tests::harness::server::until("the slots are served", || {
            let info = client.command(&["CLUSTER", "INFO"]).text();
            info.contains("cluster_state:ok").then_some(())
        });
        let strict = |source: &str| format!("#!lua\n{source}");
        let foreign = strict("return redis.call('SET', 'another', 1)");
        let answer = client.command(&["EVAL", &foreign, "1", "pool"]);
        assert!(
            answer.error().is_some(),
            "{kind:?} is not strict: {answer:?}"
        );
        play(&format!("{kind:?}, strict"), |call, key| {
            let mut command = call.eval(&[key.as_bytes()]);
            command[1] = strict(&call.script.source).into_bytes();
            client.command(&command)
        });
    }
}

#[test]
fn a_refusal_writes_nothing_and_what_is_written_expires() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let mut client = server.client();
        for row in rows() {
            super::calls::prepare(&mut client, row.before);
            let before = super::calls::traces(&mut client);
            super::calls::run(&mut client, row.call);
            let after = super::calls::traces(&mut client);
            let what = format!("{kind:?}: {:?} {}", row.before, row.call);
            assert_eq!(before == after, !row.writes, "{what}");
            if row.writes {
                let ttl = client.ok(&["PTTL", "pool"]).int();
                assert!(ttl > 0, "{what}: lives {ttl} ms");
            }
        }
    }
}

#[test]
fn every_outcome_that_a_header_names_is_played() {
    for script in scripts::all() {
        let played: BTreeSet<&str> = rows()
            .filter(|row| row.call.split(' ').next() == Some(&script.name))
            .map(|row| row.reply.split(' ').next().unwrap())
            .collect();
        let mut named: BTreeSet<&str> = script.outcomes.iter().map(String::as_str).collect();
        if script.name == "inspect" {
            // The word is a family.
            named.extend(
                VALID
                    .iter()
                    .map(|row| row.family)
                    .filter(|family| !family.is_empty()),
            );
        }
        assert_eq!(played, named, "{}", script.name);
    }
}

#[test]
fn a_reply_begins_with_its_word_the_protocol_and_the_servers_instant() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let mut client = server.client();
        for hello in [false, true] {
            if hello {
                client.hello3();
            }
            for row in table::rows() {
                super::calls::prepare(&mut client, row.before);
                let from = time_ms(&mut client);
                let reply = row.call().run(&mut client).flat().unwrap();
                let to = time_ms(&mut client);
                let word = Reply::Bytes(row.outcome.into());
                assert_eq!(reply[..2], [word, Reply::Int(1)], "{}", row.script);
                let [Reply::Int(now_ms), Reply::Int(version)] = reply[2..4] else {
                    panic!("{reply:?}");
                };
                assert!((from..=to).contains(&now_ms), "{from} {now_ms} {to}");
                assert!(version >= 0, "{reply:?}");
                for text in &reply[1..] {
                    if let Reply::Bytes(text) = text {
                        let is_plain = |c: &u8| c.is_ascii_lowercase() || *c == b'_';
                        assert!(
                            text[0] == b':' || text.iter().all(is_plain),
                            "{}: {reply:?}",
                            row.script
                        );
                    }
                }
            }
        }
    }
}

fn time_ms(client: &mut Client) -> i64 {
    let time = client.ok(&["TIME"]).array();
    let [seconds, micros] = [0, 1].map(|at: usize| time[at].text().parse::<i64>().unwrap());
    seconds * 1_000 + micros / 1_000
}
