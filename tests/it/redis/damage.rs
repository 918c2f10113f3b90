//! Fields that are well formed, but say what no script has ever written: named, and left alone.

use super::calls::{call, prepare, traces};
use super::outcomes::{limits, links, rotation, used};
use tests::harness::server::{Kind, Server};

/// What a field is damaged to: a text of it becomes another.
struct Row {
    before: &'static [&'static str],
    call: &'static str,
    field: &'static str,
    from: &'static str,
    to: &'static str,
}

const fn row(
    before: &'static [&'static str],
    call: &'static str,
    field: &'static str,
    from: &'static str,
    to: &'static str,
) -> Row {
    Row {
        before,
        call,
        field,
        from,
        to,
    }
}

/// A bucket of 10, one every 6,000 ms, and a take of 4 in it.
const BUCKET: &[&str] = &[limits::TAKEN];
/// Also one of 10 that starts later: 60,000 units.
const BOOKED: &[&str] = &[limits::TAKEN, limits::BOOKED];
const WINDOW: &[&str] = &["take 1000000 0 id-1 0 3 keep full 1 tpm window 10 0 50000 4"];
const SETTLE: &str = "take_settle 1000000 0 id-1 rpm 1";
const SETTLE_WINDOW: &str = "take_settle 1000000 0 id-1 tpm 1";

/// One bucket and two, by the shorter way of `take`.
const ONE: &str = "take 1000000 0 _ 0 1 keep full 1 a bucket 10 1 1000 1";
const TWO: &str = "take 1000000 0 _ 0 1 keep full 2 a bucket 10 1 1000 b bucket 10 1 1000 1 1";

const LISTED: &[&str] = &[used::LISTED];
const RECORD: &str = "record_least_used 1000000 0 _ a 1";

const LINKS: &[&str] = &[
    links::NOTED,
    "remember 1000000 0 2 60000 b 1123456789abcdef",
];

const ROWS: &[Row] = &[
    // Rules that `take` would have refused.
    row(BUCKET, SETTLE, "c", "\n10\n1\n6000", "\n0\n1\n6000"),
    row(BUCKET, SETTLE, "c", "\n10\n1\n6000", "\n10\n0\n6000"),
    row(BUCKET, SETTLE, "c", "\n10\n1\n6000", "\n10\n1\n0"),
    row(BUCKET, SETTLE, "c", "\n10\n", "\n9007199254740991\n"),
    row(BUCKET, SETTLE, "c", "3\n1\n", "3\n2\n"),
    row(WINDOW, SETTLE_WINDOW, "c", "\n10\n0\n", "\n0\n0\n"),
    row(WINDOW, SETTLE_WINDOW, "c", "\n50000", "\n0"),
    // An instant behind the last; more numbers than limits, more details, and none of those.
    row(BUCKET, SETTLE, "s", " 1000000 ", " 9007199254741 "),
    row(&[ONE], ONE, "s", " ; 0 0 2 1", " ; 0 0 2 1 7"),
    row(&[ONE], ONE, "s", " ; 0 0 2 1", " ; 0 0 2"),
    row(&[TWO], TWO, "s", " ; ", " 7 ; "),
    row(&[TWO], TWO, "s", " ; 0 0 3 1 2", " ; 0 0 3 1 2 7"),
    row(&[TWO], TWO, "s", " ; 0 0 3 1 2", " ; 0 0 3 1"),
    row(BUCKET, SETTLE, "s", " ; 0 1 2 1", " ; 0 1 2 1 1"),
    row(BUCKET, SETTLE, "s", " ; 0 1 2 1", " ; 0 1 2"),
    row(BUCKET, SETTLE, "s", " ; 0 1 2 1", " ; 0 1 2 1,"),
    row(BOOKED, SETTLE, "s", "1024000:60000 ", "1024000:60000 ;"),
    row(WINDOW, SETTLE_WINDOW, "s", ";1 0 1000000 1000000 4 ", ""),
    // More is booked than is missing; a group counts more than all.
    row(BOOKED, SETTLE, "s", ";1 60000 ", ";1 84001 "),
    row(BOOKED, SETTLE, "s", ";1 60000 ", ";0 60000 "),
    row(WINDOW, SETTLE_WINDOW, "s", " 4 ; ", " 3 ; "),
    row(WINDOW, SETTLE_WINDOW, "s", ";1 0 1000000", ";0 0 1000000"),
    // A take that is neither taken nor cancelled, and one of more than there can be.
    row(BUCKET, SETTLE, "i:id-1", " taken ", " token "),
    row(BUCKET, SETTLE, "i:id-1", " 1:4", " 1:9007199254740992"),
    row(LISTED, RECORD, "u:a", "0 1", "0 65536"),
    row(LISTED, RECORD, "u:a", "0 1", "9007199254740992 1"),
    row(LISTED, RECORD, "u:a", "0 1", "0 1 right"),
    row(LISTED, RECORD, "u:a", "0 1", "0"),
    // None is held, but there is a first.
    row(
        LINKS,
        "recall 1000000 0 60000 0123456789abcdef",
        "m:0123456789abcdef",
        "1060000 ",
        "000001060000000 ",
    ),
    row(
        LINKS,
        "remember 1000000 0 2 60000 c 2123456789abcdef",
        "s",
        " 2 0 0",
        " 0 0 0",
    ),
    // One is held, but there are two in a row that expire.
    row(
        LINKS,
        "remember 1060000 0 2 60000 c 2123456789abcdef",
        "s",
        " 2 0 0",
        " 1 0 0",
    ),
    row(
        &[rotation::SHUFFLED],
        "next_shuffle 1000000 0 _ 60000 free 5 a b",
        "t",
        "b\n",
        "b",
    ),
];

#[test]
fn what_no_script_writes_is_named_and_left_alone() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let mut client = server.client();
        for row in ROWS {
            prepare(&mut client, row.before);
            let sound = client.ok(&["HGET", "pool", row.field]).text();
            assert_eq!(
                sound.matches(row.from).count(),
                1,
                "{sound:?}: {:?}",
                row.from
            );
            let damaged = sound.replace(row.from, row.to);
            client.ok(&["HSET", "pool", row.field, &damaged]);
            let before = traces(&mut client);
            let answer = call(row.call).run(&mut client);
            let named = format!("POINTSMAN_DATA field {} is damaged: ", row.field);
            let what = format!("{kind:?}: {} at {damaged:?}: {answer:?}", row.call);
            assert!(
                answer.error().is_some_and(|text| text.starts_with(&named)),
                "{what}"
            );
            assert_eq!(traces(&mut client), before, "{what}");
        }
    }
}
