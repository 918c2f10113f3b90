//! Arguments that no script accepts: refused by the word that is meant, before anything is written.

use super::calls::{Call, KEY, call, prepare, traces};
use super::table::{Kind as ArgKind, VALID, Valid, rows};
use tests::harness::resp::{Answer, Client};
use tests::harness::server::{Kind, Server};

/// What is no whole number, though Lua's `tonumber` makes one of most of it.
const NO_NUMBER: [&[u8]; 15] = [
    b"",
    b"-1",
    b"+1",
    b"-0",
    b"nan",
    b"inf",
    b"-inf",
    b"1e3",
    b"0x10",
    b"1.0",
    b" 1",
    b"1 ",
    b"007",
    b"12345678901234567",
    b"\xff\xfe",
];

/// What is no text of UTF-8, or not plain.
const NO_NAME: [&[u8]; 14] = [
    b"\xff\xfe",
    b"a\nb",
    b"a\0",
    b"\x1f",
    b"\x7f",
    b"\xc2\x80",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xe2\x82",
    b"\xe0\x80\x80",
    b"\xf0\x80\x80\x80",
    b"\x80",
    b"\xc3",
];

/// What is odd, but text.
const NAMES: [&[u8]; 10] = [
    b"-1",
    b"nan",
    b"1e3",
    b"0x10",
    b"12345678901234567",
    b" ",
    b"s",
    b":",
    "é".as_bytes(),
    "\u{10ffff}".as_bytes(),
];

/// What an argument of this kind must not be.
fn bad(kind: ArgKind) -> Vec<Vec<u8>> {
    let mut bad: Vec<Vec<u8>> = vec![vec![b'1'; 1 << 20]];
    let mut more = |values: &[&[u8]]| bad.extend(values.iter().map(|value| value.to_vec()));
    match kind {
        ArgKind::Word => {
            more(&NO_NUMBER);
            more(&[b"Free", b"word", b"1", b"keep "]);
        }
        ArgKind::Link => {
            more(&NO_NUMBER[1..]);
            more(&[
                b"0123456789abcdeF",
                b"0123456789abcde",
                b"0123456789abcde0f",
                b"0123456789abcde\0",
            ]);
        }
        ArgKind::Id => more(&[b"", &[b'x'; 129]]),
        ArgKind::OptionalId => more(&[&[b'x'; 129]]),
        ArgKind::Name => {
            more(&NO_NAME);
            more(&[b"", &[b'x'; 256]]);
        }
        ArgKind::OptionalName => {
            more(&NO_NAME);
            more(&[&[b'x'; 256]]);
        }
        _ => {
            more(&NO_NUMBER);
            let (min, max) = kind.bounds().unwrap();
            more(&[(max + 1).to_string().as_bytes()]);
            if min > 0 {
                more(&[(min - 1).to_string().as_bytes()]);
            }
        }
    }
    bad
}

/// What an argument of this kind may be as well, odd as it looks.
fn odd(kind: ArgKind) -> Vec<Vec<u8>> {
    let mut odd: Vec<Vec<u8>> = Vec::new();
    let mut more = |values: &[&[u8]]| odd.extend(values.iter().map(|value| value.to_vec()));
    match kind {
        ArgKind::Id | ArgKind::OptionalId => {
            more(&NAMES);
            more(&NO_NAME);
            more(&[&[b'x'; 128], &[0xff; 128]]);
        }
        ArgKind::Name | ArgKind::OptionalName => {
            more(&NAMES);
            more(&[&[b'x'; 255]]);
        }
        _ => {}
    }
    if matches!(kind, ArgKind::OptionalId | ArgKind::OptionalName) {
        more(&[b""]);
    }
    odd
}

/// Runs a test over every row, on every server, the key as it is before the row's call.
fn for_each_row(mut test: impl FnMut(&mut Client, &Valid)) {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let mut client = server.client();
        for row in rows() {
            prepare(&mut client, row.before);
            // Loaded for the pipelines, which cannot fall back.
            client.ok(&["SCRIPT", "LOAD", &row.call().script.source]);
            test(&mut client, row);
        }
    }
}

/// Runs a call that must be refused with this word, and nothing may have changed.
fn refused(client: &mut Client, call: &Call, word: &str) -> String {
    let before = traces(client);
    let answer = client.command(&call.evalsha(&[KEY]));
    let shown: Vec<_> = call
        .args
        .iter()
        .map(|arg| &arg[..arg.len().min(60)])
        .collect();
    let place = || {
        format!(
            "{} {:?}",
            call.script.name,
            shown
                .iter()
                .map(|arg| arg.escape_ascii().to_string())
                .collect::<Vec<_>>()
        )
    };
    let Answer::Error(text) = answer else {
        panic!("{}: {answer:?}", place());
    };
    assert!(text.starts_with(&format!("{word} ")), "{}: {text}", place());
    assert_eq!(traces(client), before, "{}", place());
    text
}

#[test]
fn an_argument_out_of_its_kind_is_refused_by_its_name() {
    let mut count = 0;
    for_each_row(|client, row| {
        let call = row.call();
        for (at, (name, kind, _)) in row.args.iter().enumerate() {
            for value in bad(*kind) {
                let text = refused(client, &call.with(at, &value), "POINTSMAN_ARG");
                let named = format!("POINTSMAN_ARG {name} (ARGV[{}]) is ", at + 1);
                let shown = value[..value.len().min(40)].escape_ascii();
                assert!(text.starts_with(&named), "{}, {shown}: {text}", row.script);
                assert!(text.len() < 300, "{text}");
                count += 1;
            }
        }
    });
    println!("{count} calls with one bad argument");
}

#[test]
fn an_argument_too_few_or_too_many_is_refused() {
    for_each_row(|client, row| {
        let mut call = row.call();
        call.args.push(b"1".to_vec());
        if call.script.repeating == 0 {
            refused(client, &call, "POINTSMAN_ARG");
        }
        call.args.pop();
        call.args
            .truncate(call.script.args.len() - call.script.repeating);
        while call.args.pop().is_some() {
            let text = refused(client, &call, "POINTSMAN_ARG");
            let count = format!("POINTSMAN_ARG {} arguments are given, ", call.args.len());
            assert!(text.starts_with(&count), "{}: {text}", row.script);
        }
    });
}

#[test]
fn a_group_of_arguments_that_is_not_whole_is_refused() {
    for_each_row(|client, row| {
        let call = row.call();
        for missing in 1..call.script.repeating {
            let mut fewer = call.clone();
            fewer.args.truncate(call.args.len() - missing);
            refused(client, &fewer, "POINTSMAN_ARG");
        }
        for more in 1..call.script.repeating {
            let mut call = call.clone();
            call.args.resize(call.args.len() + more, b"1".to_vec());
            refused(client, &call, "POINTSMAN_ARG");
        }
    });
}

#[test]
fn ids_and_names_may_look_like_anything() {
    for_each_row(|client, row| {
        let call = row.call();
        for (at, (name, kind, _)) in row.args.iter().enumerate() {
            for value in odd(*kind) {
                prepare(client, row.before);
                let answer = client.command(&call.with(at, &value).evalsha(&[KEY]));
                let shown = value.escape_ascii();
                assert_eq!(answer.error(), None, "{}: {name} {shown}", row.script);
            }
        }
    });
}

#[test]
fn every_whole_number_may_be_at_its_bounds() {
    for_each_row(|client, row| {
        let call = row.call();
        for (at, (name, kind, _)) in row.args.iter().enumerate() {
            let (ArgKind::Whole(..) | ArgKind::Instant | ArgKind::Draw) = kind else {
                continue;
            };
            let (min, max) = kind.bounds().unwrap();
            // The instant of a deadline has passed, and so it is refused by another word.
            let from = if *name == "deadline_ms" { max } else { min };
            for value in [from, max] {
                prepare(client, row.before);
                let value = value.to_string();
                let answer = client.command(&call.with(at, value.as_bytes()).evalsha(&[KEY]));
                assert_eq!(answer.error(), None, "{}: {name} {value}", row.script);
            }
        }
    });
}

#[test]
fn a_name_that_comes_twice_is_refused_by_its_place() {
    let calls = [
        (
            "take 0 0 _ 0 4 keep full 2 rpm bucket 10 1 1 rpm bucket 10 1 1 1 1",
            "name (ARGV[14])",
        ),
        (
            "take 0 0 _ 0 4 keep full 2 rpm bucket 10 1 1 rpm window 10 0 1 1 1",
            "name (ARGV[14])",
        ),
        ("take_settle 0 0 take-1 rpm 1 tpm 1 rpm 2", "name (ARGV[8])"),
        (
            "configure_least_used 0 0 4 floor 60000 5 a 1 b 1 a 1",
            "upstream (ARGV[11])",
        ),
    ];
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let mut client = server.client();
        for (line, named) in calls {
            let call = call(line);
            let row = VALID.iter().find(|row| row.script == call.script.name);
            prepare(&mut client, row.unwrap().before);
            client.ok(&["SCRIPT", "LOAD", &call.script.source]);
            let text = refused(&mut client, &call, "POINTSMAN_ARG");
            assert!(text.contains(named), "{line}: {text}");
        }
    }
}

/// Also where the key has come there: then it is there for the shorter ways, too.
#[test]
fn an_instant_behind_the_last_is_refused() {
    for_each_row(|client, row| {
        let at_last = |line: &&str| line.replacen(" 0 0", " 9007199254740 0", 1);
        prepare(client, &row.before.iter().map(at_last).collect::<Vec<_>>());
        let behind = row.call().with(0, b"9007199254741");
        refused(client, &behind, "POINTSMAN_ARG");
        let last = row.call().with(0, b"9007199254740");
        let answer = client.command(&last.evalsha(&[KEY]));
        assert_eq!(answer.error(), None, "{}", row.script);
    });
}

#[test]
fn other_than_one_key_is_refused() {
    for_each_row(|client, row| {
        let call = row.call();
        let cases: [&[&[u8]]; 5] = [&[], &[b""], &[KEY, b"other"], &[KEY, KEY], &[b"", KEY]];
        for keys in cases {
            let before = traces(client);
            let answer = client.command(&call.evalsha(keys));
            let text = answer.error().unwrap_or_default();
            assert!(
                text.starts_with("POINTSMAN_KEYS "),
                "{} {keys:?}: {answer:?}",
                row.script
            );
            assert_eq!(traces(client), before, "{} {keys:?}", row.script);
        }
    });
}
