//! The memory of links that workers share in Redis: its size, the trips to it, damaged data.

use tests::differential::{Reply, Scripts};
use tests::harness::resp::Client;
use tests::harness::server::{Kind, Server};
use tests::reply;

const KEY: &str = "links";

fn run(
    client: &mut Client,
    script: &str,
    args: &[&str],
    links: &[u64],
) -> Result<Vec<Reply>, String> {
    let links: Vec<String> = links.iter().map(|link| format!("{link:016x}")).collect();
    let args = args.iter().copied().chain(links.iter().map(String::as_str));
    let args: Vec<&[u8]> = args.map(str::as_bytes).collect();
    client.run(script, KEY, &args)
}

/// Remembers a link at an instant, in a memory of `max_links` that live 100 ms.
fn remember(client: &mut Client, now_ms: u64, max_links: u64, link: u64) -> Vec<Reply> {
    let [now_ms, max_links] = [now_ms, max_links].map(|n| n.to_string());
    run(
        client,
        "remember",
        &[&now_ms, "0", &max_links, "100", "A"],
        &[link],
    )
    .unwrap()
}

fn held(now_ms: u64, links: u64) -> Vec<Reply> {
    reply!["remembered", 1, now_ms, 0, links].into()
}

fn recall(client: &mut Client, now_ms: u64, links: &[u64]) -> Vec<Reply> {
    run(client, "recall", &[&now_ms.to_string(), "0", "100"], links).unwrap()
}

fn recalled(now_ms: u64, links: u64) -> Vec<Reply> {
    reply!["recalled", 1, now_ms, 0, ":A", links].into()
}

/// How often the server has run a command.
fn count(client: &mut Client, command: &str) -> u64 {
    let stats = client.ok(&["INFO", "commandstats"]).text();
    let begin = format!("cmdstat_{command}:calls=");
    let line = stats.lines().find_map(|line| line.strip_prefix(&begin));
    line.map_or(0, |rest| rest.split(',').next().unwrap().parse().unwrap())
}

#[test]
fn what_one_worker_remembers_another_recalls() {
    let server = Server::start(Kind::Redis7);
    let [mut writer, mut reader] = [server.client(), server.client()];
    assert_eq!(remember(&mut writer, 1_000, 10, 3), held(1_000, 1));
    assert_eq!(
        recall(&mut reader, 1_050, &[1, 2, 3, 4, 5]),
        recalled(1_050, 3)
    );
    let nothing = reply!["nothing", 1, 1_150, 0];
    assert_eq!(recall(&mut reader, 1_149, &[3]), recalled(1_149, 1));
    assert_eq!(recall(&mut reader, 1_150, &[4, 5]), nothing);
    // Renewed at 1,149, gone at 1,249.
    assert_eq!(
        recall(&mut reader, 1_249, &[3]),
        reply!["nothing", 1, 1_249, 0]
    );
}

#[test]
fn a_thousand_links_are_read_at_once_and_the_scan_stops_at_the_first_that_is_alive() {
    let server = Server::start(Kind::Redis7);
    let client = &mut server.client();
    let long: Vec<u64> = (0..65_535).collect();
    remember(client, 1_000, 10, 500);
    for (chain, place, reads) in [
        (&long[..1_000], 501, 1),
        (&long[..1_500], 501, 1),
        (&long[..1_501], 501, 2),
        (&long[..], 501, 66),
        (&long[500..], 1, 66),
    ] {
        let before = count(client, "hmget");
        assert_eq!(recall(client, 1_000, chain), recalled(1_000, place));
        assert_eq!(
            count(client, "hmget") - before,
            reads,
            "{} links",
            chain.len()
        );
    }
    remember(client, 1_000, 10, 65_000);
    let before = count(client, "hmget");
    assert_eq!(recall(client, 1_000, &long), recalled(1_000, 65_001));
    assert_eq!(count(client, "hmget") - before, 1);
}

#[test]
fn memory_is_flat_however_many_links_come() {
    let server = Server::start(Kind::Redis7);
    let client = &mut server.client();
    for link in 0..3_000u64 {
        let reply = remember(client, 1_000, 50, link.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        assert_eq!(reply, held(1_000, (link + 1).min(50)));
    }
    assert_eq!(client.ok(&["HLEN", KEY]).int(), 51);
}

#[test]
fn a_hundred_links_go_in_a_call_and_no_more() {
    let server = Server::start(Kind::Redis7);
    let client = &mut server.client();
    for link in 0..250 {
        remember(client, 1_000, 1_000, link);
    }
    // All have expired: 100 go and one comes, twice; then the last 50 go.
    for (link, links) in [(1_000, 151), (1_001, 52), (1_002, 3)] {
        assert_eq!(remember(client, 1_100, 1_000, link), held(1_100, links));
    }
    for link in 0..250 {
        remember(client, 1_150, 1_000, link);
    }
    // All are alive, but only two may be.
    for (link, links) in [(2_000, 154), (2_001, 55), (2_002, 2), (2_003, 2)] {
        assert_eq!(remember(client, 1_150, 2, link), held(1_150, links));
    }
    assert_eq!(client.ok(&["HLEN", KEY]).int(), 3);
    assert_eq!(recall(client, 1_150, &[2_001, 2_002]), recalled(1_150, 2));
}

#[test]
fn a_key_lives_beyond_its_links_but_no_longer_than_400_days() {
    const MOST: i64 = 34_560_000_000;
    let server = Server::start(Kind::Redis7);
    let client = &mut server.client();
    for (ttl_ms, at_least, at_most) in [
        ("1", 60_000, 120_000),
        ("600000", 600_000, 1_200_000),
        ("9007199254740", MOST - 60_000, MOST),
    ] {
        client.ok(&["DEL", KEY]);
        run(client, "remember", &["0", "0", "10", ttl_ms, "A"], &[1]).unwrap();
        for script in ["remember", "recall"] {
            let left = client.ok(&["PTTL", KEY]).int();
            assert!(
                (at_least..=at_most).contains(&left),
                "{script} {ttl_ms}: {left}"
            );
            run(client, "recall", &["0", "0", ttl_ms], &[1]).unwrap();
        }
    }
}

/// What one field is made to hold (nothing: it is removed), and the field that the error names.
const DAMAGE: &[(&str, Option<&str>, &str)] = &[
    ("s", Some("links 1 "), "s"),
    ("s", Some("links 1 1000 9000 3 0 0000000000000001"), "s"),
    (
        "s",
        Some("links 1 1000 9000 three 0 0000000000000001 0000000000000003"),
        "s",
    ),
    (
        "s",
        Some("links 1 1000 9000 0 0 0000000000000001 0000000000000003"),
        "s",
    ),
    (
        "s",
        Some("links 1 1000 9000 1 0 0000000000000001 0000000000000003"),
        "s",
    ),
    ("s", Some("links 1 1000 9000 3 0 - -"), "s"),
    (
        "s",
        Some("links 1 99999999999999999999 9000 3 0 0000000000000001 0000000000000003"),
        "s",
    ),
    ("m:0000000000000001", None, "m:0000000000000001"),
    (
        "m:0000000000000001",
        Some("soon - 0000000000000002 A"),
        "m:0000000000000001",
    ),
    (
        "m:0000000000000001",
        Some("999999999999999 - 0000000000000002 A"),
        "m:0000000000000001",
    ),
    (
        "m:0000000000000002",
        Some("1100 0000000000000001 0000000000000003 "),
        "m:0000000000000002",
    ),
    (
        "m:0000000000000002",
        Some("1100 - 0000000000000003 A"),
        "m:-",
    ),
    ("m:0000000000000003", Some(""), "m:0000000000000003"),
];

#[test]
fn a_damaged_field_is_named_and_nothing_is_written() {
    let server = Server::start(Kind::Redis7);
    let client = &mut server.client();
    for &(name, damage, named) in DAMAGE {
        client.ok(&["DEL", KEY]);
        for link in 1..=3 {
            remember(client, 1_000, 3, link);
        }
        match damage {
            Some(damage) => client.ok(&["HSET", KEY, name, damage]),
            None => client.ok(&["HDEL", KEY, name]),
        };
        let dump = client.ok(&["DUMP", KEY]);
        // Link 2 leaves its place in the middle, and the oldest must go.
        let error = run(client, "remember", &["1000", "0", "1", "100", "A"], &[2]).unwrap_err();
        let expected = format!("POINTSMAN_DATA field {named} is damaged: ");
        assert!(error.starts_with(&expected), "{name} {damage:?}: {error}");
        assert_eq!(client.ok(&["DUMP", KEY]), dump, "{name} {damage:?}");
    }
}

#[test]
fn a_recall_names_a_damaged_link_and_never_chooses_it() {
    let server = Server::start(Kind::Redis7);
    let client = &mut server.client();
    remember(client, 1_000, 3, 1);
    client.ok(&["HSET", KEY, "m:0000000000000002", "9e9 - - B"]);
    let dump = client.ok(&["DUMP", KEY]);
    let error = run(client, "recall", &["1000", "0", "100"], &[1, 2, 3]).unwrap_err();
    assert_eq!(
        error,
        "POINTSMAN_DATA field m:0000000000000002 is damaged: \"9e9 - - B\""
    );
    assert_eq!(client.ok(&["DUMP", KEY]), dump);
    assert_eq!(recall(client, 1_000, &[1]), recalled(1_000, 1));
}
