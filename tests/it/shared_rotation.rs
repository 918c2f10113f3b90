//! Shuffles and rotations without repeats that workers share in Redis: what is kept, for how long, and
//! what happens to data that was damaged.

use tests::differential::{Reply, Scripts};
use tests::harness::resp::{Answer, Client};
use tests::harness::server::{Kind, Server};
use tests::reply;

const KEY: &str = "rotation";

/// Runs a call, given as its words; `_` is an empty argument.
fn ask(client: &mut Client, line: &str) -> Result<Vec<Reply>, String> {
    let mut words = line.split(' ');
    let script = words.next().unwrap();
    let args: Vec<&[u8]> = words
        .map(|word| if word == "_" { b"" } else { word.as_bytes() })
        .collect();
    client.run(script, KEY, &args)
}

fn field(client: &mut Client, field: &str) -> Answer {
    client.ok(&["HGET", KEY, field])
}

fn shuffle(
    client: &mut Client,
    now_ms: u64,
    request_id: &str,
    draw: u64,
    list: &str,
) -> Vec<Reply> {
    let line = format!("next_shuffle {now_ms} 0 {request_id} 1000 free {draw} {list}");
    ask(client, &line).unwrap()
}

#[test]
fn two_workers_that_share_a_rotation_of_two_never_get_the_same_twice_in_a_row() {
    let server = Server::start(Kind::Redis7);
    let mut workers = [server.client(), server.client()];
    let mut previous = None;
    for turn in 0..20 {
        let line = format!("pick_no_repeat 0 0 _ 1000 upstream fail 0 {turn} A _ 1 B _ 1");
        let reply = ask(&mut workers[turn % 2], &line).unwrap();
        assert_eq!(reply[0], "picked".into());
        assert_ne!(Some(&reply[5]), previous.as_ref());
        previous = Some(reply[5].clone());
    }
}

#[test]
fn an_id_is_known_while_it_is_new_and_for_a_minute() {
    let server = Server::start(Kind::Redis7);
    let client = &mut server.client();
    for id in 0..1_500 {
        shuffle(client, 10_000, &format!("id{id}"), id, "a b c");
    }
    // The first pick of all was "a": 0 modulo 3.
    let first = reply!["picked", 1, 10_000, 0, 0, ":a", 1];
    assert_eq!(shuffle(client, 10_000, "id0", 2, "a b c"), first);
    assert_eq!(client.ok(&["HLEN", KEY]).int(), 2 + 2 * 1_500);
    // A minute later two go with each that comes, the oldest first, down to a thousand.
    for id in 1_500..2_100 {
        shuffle(client, 70_000, &format!("id{id}"), id, "a b c");
    }
    assert_eq!(client.ok(&["HLEN", KEY]).int(), 2 + 2 * 1_000);
    assert_eq!(field(client, "i:id1099"), Answer::Nil);
    assert_ne!(field(client, "i:id1100"), Answer::Nil);
}

#[test]
fn no_more_than_ten_thousand_ids_are_known_however_fast_they_come() {
    let server = Server::start(Kind::Redis7);
    let client = &mut server.client();
    for id in 0..10_003 {
        shuffle(client, 10_000, &format!("id{id}"), id, "a b c");
    }
    assert_eq!(client.ok(&["HLEN", KEY]).int(), 2 + 2 * 10_000);
    assert_eq!(field(client, "i:id2"), Answer::Nil);
    assert_ne!(field(client, "i:id3"), Answer::Nil);
}

#[test]
fn a_pass_that_never_ends_forgets_what_is_not_listed() {
    let server = Server::start(Kind::Redis7);
    let client = &mut server.client();
    // "old" is never picked: of the two that are left the draw takes the second, the new one.
    for new in 0..2_048 {
        let picked = reply!["picked", 1, 10_000, 0, 1, &*format!(":u{new}"), 0];
        assert_eq!(
            shuffle(client, 10_000, "_", 1, &format!("old u{new}")),
            picked
        );
    }
    assert_eq!(field(client, "t").text().lines().count(), 2_048);
    shuffle(client, 10_000, "_", 1, "old u2047 last");
    assert_eq!(field(client, "t").text(), "u2047\nlast\n");
}

#[test]
fn of_too_many_exits_the_one_noted_first_goes() {
    let server = Server::start(Kind::Redis7);
    let client = &mut server.client();
    for upstream in 0..2_049 {
        ask(client, &format!("observe_exit 5 0 1000 u{upstream} X")).unwrap();
    }
    let noted = field(client, "o").text();
    assert_eq!(noted.lines().count(), 2_048);
    assert!(noted.starts_with("u1\tX\nu2\tX\n"));
    // A pick keeps the exits of those that it lists.
    let pick = "pick_no_repeat 5 0 _ 1000 exit fail 0 0 u7 _ 1 u9 Y 0";
    let picked = reply!["picked", 1, 5, 0, 0, ":u7", 0, 0];
    assert_eq!(ask(client, pick).unwrap(), picked);
    assert_eq!(field(client, "o").text(), "u7\tX\nu9\tX\n");
}

#[test]
fn a_key_lives_as_long_as_was_asked_for_and_a_minute_at_least() {
    let server = Server::start(Kind::Redis7);
    let client = &mut server.client();
    for (call, key_ms) in [
        ("next_shuffle 0 0 _ 1000 free 0 a", 60_000),
        ("next_shuffle 0 0 _ 90000 free 0 a", 90_000),
        ("pick_no_repeat 0 0 _ 1000 exit fail 0 0 a _ 1", 60_000),
        (
            "pick_no_repeat 0 0 _ 34560000000 exit fail 0 0 a _ 1",
            34_560_000_000,
        ),
        ("observe_exit 0 0 90000 a X", 90_000),
    ] {
        client.ok(&["DEL", KEY]);
        ask(client, call).unwrap();
        let left = client.ok(&["PTTL", KEY]).int();
        assert!((key_ms..=2 * key_ms).contains(&left), "{call}: {left}");
    }
}

/// Calls that make the key, and then, damage by damage: the call, the field, what it is made to hold
/// (nothing: it is removed).
type Damage = (&'static str, &'static str, Option<&'static str>);

const SHUFFLES: [&str; 2] = [
    "next_shuffle 9 0 id 1000 free 0 a b c",
    "next_shuffle 9 0 _ 1000 free 0 a b c",
];
const ROTATIONS: [&str; 3] = [
    "observe_exit 9 0 1000 a X",
    "pick_no_repeat 9 0 id 1000 exit fail 0 0 a Y 1 b Y 1",
    "pick_no_repeat 9 0 _ 1000 exit reuse 0 0 a Y 1 b Y 1",
];

const DAMAGE: &[Damage] = &[
    (SHUFFLES[1], "s", Some("shuffle 1 ")),
    (SHUFFLES[1], "s", Some("shuffle 1 9 9 0 0 ")),
    (SHUFFLES[1], "s", Some("shuffle 1 9 9 0 a")),
    (SHUFFLES[1], "s", Some("shuffle 1 -9 9 0 0 a")),
    (SHUFFLES[1], "s", Some("shuffle 1 1e3 9 0 0 a")),
    (SHUFFLES[1], "s", Some("shuffle 1 nan 9 0 0 a")),
    (
        SHUFFLES[1],
        "s",
        Some("shuffle 1 99999999999999999999 9 0 0 a"),
    ),
    (SHUFFLES[1], "t", None),
    (SHUFFLES[1], "t", Some("")),
    (SHUFFLES[1], "t", Some("a\nb")),
    (SHUFFLES[0], "i:id", Some("a")),
    (SHUFFLES[0], "i:id", Some("x a")),
    (SHUFFLES[0], "i:id", Some("")),
    (ROTATIONS[2], "s", Some("repeat 1 9 9 0 1 9 a")),
    (ROTATIONS[2], "s", Some("repeat 1 9 9 0 1 inf a\nY\nX")),
    (
        ROTATIONS[2],
        "s",
        Some("repeat 1 9 9 0 1 99999999999999999999 a\nY\nX"),
    ),
    (ROTATIONS[0], "s", Some("repeat 1 9 9 0 1 a\nY\nX")),
    (ROTATIONS[2], "o", Some("a X")),
    (ROTATIONS[2], "o", Some("a\tX\nb")),
    (ROTATIONS[0], "o", Some("a\t\n")),
    (ROTATIONS[1], "i:id", Some("0 a")),
    (ROTATIONS[1], "i:id", Some("0 2 a")),
];

#[test]
fn a_damaged_field_is_named_and_nothing_is_written() {
    let server = Server::start(Kind::Redis7);
    let client = &mut server.client();
    for &(call, name, damage) in DAMAGE {
        client.ok(&["DEL", KEY]);
        let before: &[&str] = if call.starts_with("next") {
            &SHUFFLES
        } else {
            &ROTATIONS
        };
        for call in before {
            ask(client, call).unwrap();
        }
        match damage {
            Some(damage) => client.ok(&["HSET", KEY, name, damage]),
            None => client.ok(&["HDEL", KEY, name]),
        };
        let dump = client.ok(&["DUMP", KEY]);
        let error = ask(client, call).expect_err(call);
        let expected = format!("POINTSMAN_DATA field {name} is damaged: ");
        assert!(
            error.starts_with(&expected),
            "{call} with {damage:?}: {error}"
        );
        assert_eq!(client.ok(&["DUMP", KEY]), dump, "{call} with {damage:?}");
    }
}
