//! One valid call of every script, its arguments by name and kind.

use super::calls::{Call, call};
use Kind::{Draw, Id, Instant, Link, Name, OptionalId, OptionalName, Whole, Within, Word};
use tests::harness::scripts;

/// What an argument may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number between bounds.
    Whole(u64, u64),
    /// The same, though the rest of the call or the key may allow less.
    Within(u64, u64),
    /// An instant or a length of time.
    Instant,
    /// A random number.
    Draw,
    /// One of some words.
    Word,
    /// 1 to 128 bytes, any.
    Id,
    /// 0 to 128 bytes, any.
    OptionalId,
    /// 1 to 255 bytes of UTF-8 without control characters.
    Name,
    /// The same, or empty.
    OptionalName,
    /// 16 lower-case hex digits.
    Link,
}

impl Kind {
    /// The bounds of a whole number.
    pub fn bounds(self) -> Option<(u64, u64)> {
        match self {
            Whole(min, max) | Within(min, max) => Some((min, max)),
            Instant => Some((0, 9_007_199_254_740)),
            Draw => Some((0, (1 << 53) - 1)),
            _ => None,
        }
    }
}

/// A script's valid call.
pub struct Valid {
    pub script: &'static str,
    /// What its key holds.
    pub family: &'static str,
    /// The calls that go before it on the same key.
    pub before: &'static [&'static str],
    /// Each argument: its name, what it may be, its value.
    pub args: &'static [(&'static str, Kind, &'static str)],
    /// The word of the answer.
    pub outcome: &'static str,
}

impl Valid {
    /// The call.
    pub fn call(&self) -> Call {
        let args = self.args.iter().map(|(_, _, value)| match *value {
            "" => "_",
            value => value,
        });
        call(
            &[self.script]
                .into_iter()
                .chain(args)
                .collect::<Vec<_>>()
                .join(" "),
        )
    }
}

/// The two arguments that every script begins with.
macro_rules! args {
    ($(($name:literal, $kind:expr, $value:literal)),* $(,)?) => {
        &[("now_ms", Instant, "0"), ("deadline_ms", Instant, "0"), $(($name, $kind, $value)),*]
    };
}

const KEEP: Kind = Whole(1_000, 34_560_000_000);
const TTL: Kind = Whole(1, 86_400_000);
const MAX: u64 = (1 << 53) - 1;

const CONFIGURE: &str = "configure_least_used 0 0 3 floor 60000 5 a 1 b 2";
const CONFIGURE_ALIKE: &str = "configure_least_used 0 0 3 floor 60000 5 a 1 b 1 c 1";
const LEASE: &str = "lease 0 0 lease-1 60000 fewest 5 a 2 b 2";
const TAKE: &str =
    "take 0 0 take-1 0 3 keep full 2 rpm bucket 10 1 60000 tpm window 100 0 60000 2 20";
const BOOK: &str =
    "take 0 0 take-2 60000 3 keep full 2 rpm bucket 10 1 60000 tpm window 100 0 60000 9 20";
const TAKE_OF_BUCKETS: &str =
    "take 0 0 take-1 0 3 keep full 2 rpm bucket 10 1 60000 tpm bucket 100 1 1000 2 20";
const PICK: &str = "pick_no_repeat 0 0 request-1 60000 exit reuse 0 5 a x 1 b y 2";
const REMEMBER: &str = "remember 0 0 100 60000 a 0123456789abcdef";

/// Every script of the bundle.
pub const VALID: &[Valid] = &[
    Valid {
        script: "configure_least_used",
        family: "used",
        before: &[CONFIGURE, "pick_least_used 0 0 request-1"],
        args: args![
            ("version", Whole(0, MAX), "4"),
            ("join", Word, "floor"),
            ("keep_ms", KEEP, "60000"),
            ("draw", Draw, "7"),
            ("upstream", Name, "a"),
            ("weight", Whole(0, 65_535), "1"),
            ("upstream", Name, "c"),
            ("weight", Whole(0, 65_535), "65535"),
        ],
        outcome: "configured",
    },
    Valid {
        script: "inspect",
        family: "",
        before: &[CONFIGURE, "pick_least_used 0 0 request-1"],
        args: args![],
        outcome: "used",
    },
    Valid {
        script: "lease",
        family: "lease",
        before: &[LEASE],
        args: args![
            ("lease_id", Id, "lease-2"),
            ("ttl_ms", TTL, "60000"),
            ("choice", Word, "fewest"),
            ("draw", Draw, "9007199254740991"),
            ("upstream", Name, "a"),
            ("max_in_flight", Whole(1, 1_000), "2"),
            ("upstream", Name, "b"),
            ("max_in_flight", Whole(1, 1_000), "1000"),
        ],
        outcome: "leased",
    },
    Valid {
        script: "lease_release",
        family: "lease",
        before: &[LEASE],
        args: args![("lease_id", Id, "lease-1")],
        outcome: "released",
    },
    Valid {
        script: "lease_renew",
        family: "lease",
        before: &[LEASE],
        args: args![("lease_id", Id, "lease-1"), ("ttl_ms", TTL, "30000")],
        outcome: "renewed",
    },
    Valid {
        script: "next_shuffle",
        family: "shuffle",
        before: &["next_shuffle 0 0 request-1 60000 free 5 a b"],
        args: args![
            ("request_id", OptionalId, "request-2"),
            ("keep_ms", KEEP, "60000"),
            ("boundary", Word, "no_repeat"),
            ("draw", Draw, "5"),
            ("upstream", Name, "a"),
            ("upstream", Name, "b"),
        ],
        outcome: "picked",
    },
    Valid {
        script: "observe_exit",
        family: "repeat",
        before: &[PICK],
        args: args![
            ("keep_ms", KEEP, "60000"),
            ("upstream", Name, "a"),
            ("exit", Name, "z"),
        ],
        outcome: "observed",
    },
    Valid {
        script: "pick_least_used",
        family: "used",
        before: &[CONFIGURE, "pick_least_used 0 0 request-1"],
        args: args![
            ("request_id", OptionalId, "request-2"),
            ("excluded", Name, "b"),
            ("excluded", Name, "c"),
        ],
        outcome: "picked",
    },
    Valid {
        script: "pick_no_repeat",
        family: "repeat",
        before: &[PICK, "observe_exit 0 0 60000 a z"],
        args: args![
            ("request_id", OptionalId, "request-2"),
            ("keep_ms", KEEP, "60000"),
            ("by", Word, "upstream"),
            ("only_one", Word, "wait"),
            ("gap_ms", Instant, "5"),
            ("draw", Draw, "5"),
            ("upstream", Name, "a"),
            ("exit", OptionalName, ""),
            ("weight", Whole(0, 65_535), "1"),
            ("upstream", Name, "b"),
            ("exit", OptionalName, "x"),
            ("weight", Whole(0, 65_535), "1"),
        ],
        outcome: "picked",
    },
    Valid {
        script: "recall",
        family: "links",
        before: &[REMEMBER],
        args: args![
            ("ttl_ms", Whole(1, 9_007_199_254_740), "60000"),
            ("link", Link, "0123456789abcdef"),
            ("link", Link, "fedcba9876543210"),
        ],
        outcome: "recalled",
    },
    Valid {
        script: "record_least_used",
        family: "used",
        before: &[CONFIGURE, "pick_least_used 0 0 request-1"],
        args: args![
            ("request_id", OptionalId, "request-2"),
            ("upstream", Name, "a"),
            ("times", Whole(0, MAX), "7"),
        ],
        outcome: "recorded",
    },
    Valid {
        script: "remember",
        family: "links",
        before: &[REMEMBER],
        args: args![
            ("max_links", Whole(0, 16_777_216), "100"),
            ("ttl_ms", Whole(1, 9_007_199_254_740), "60000"),
            ("upstream", OptionalName, "b"),
            ("link", Link, "fedcba9876543210"),
        ],
        outcome: "remembered",
    },
    Valid {
        script: "take",
        family: "take",
        before: &[TAKE, BOOK],
        args: args![
            ("take_id", OptionalId, "take-3"),
            ("max_wait_ms", Instant, "600000"),
            ("version", Whole(0, MAX), "3"),
            ("inherit", Word, "keep"),
            ("start", Word, "full"),
            ("count", Within(1, 16), "2"),
            ("name", Name, "rpm"),
            ("kind", Word, "bucket"),
            // As long as it is 60,000 milliseconds to a token, exact arithmetic ends there.
            ("capacity", Whole(1, MAX / 60_000), "10"),
            ("refill", Whole(1, MAX), "1"),
            ("period_ms", Whole(1, 9_007_199_254_740), "60000"),
            ("name", Name, "tpm"),
            ("kind", Word, "window"),
            ("capacity", Whole(1, MAX), "100"),
            ("refill", Whole(0, 0), "0"),
            ("period_ms", Whole(1, 9_007_199_254_740), "60000"),
            ("cost", Whole(0, MAX), "1"),
            ("cost", Whole(0, MAX), "20"),
        ],
        outcome: "granted",
    },
    Valid {
        script: "take_cancel",
        family: "take",
        before: &[TAKE, BOOK],
        args: args![("take_id", Id, "take-2")],
        outcome: "returned",
    },
    Valid {
        script: "take_settle",
        family: "take",
        before: &[TAKE, BOOK],
        args: args![
            ("take_id", Id, "take-1"),
            ("name", Name, "rpm"),
            ("actual", Within(0, MAX), "1"),
            ("name", Name, "gone"),
            ("actual", Whole(0, MAX), "50"),
        ],
        outcome: "settled",
    },
];

/// Calls of those scripts that have a shorter way for most calls: these go that way, as long as no
/// argument and no field is other than here.
pub const SHORT: &[Valid] = &[
    Valid {
        script: "pick_least_used",
        family: "used",
        before: &[CONFIGURE_ALIKE, "pick_least_used 0 0 request-1"],
        args: args![("request_id", OptionalId, "")],
        outcome: "picked",
    },
    Valid {
        script: "take",
        family: "take",
        before: &[TAKE_OF_BUCKETS],
        args: args![
            ("take_id", OptionalId, "take-2"),
            ("max_wait_ms", Instant, "0"),
            ("version", Whole(0, MAX), "3"),
            ("inherit", Word, "keep"),
            ("start", Word, "full"),
            ("count", Within(1, 16), "2"),
            ("name", Name, "rpm"),
            ("kind", Word, "bucket"),
            ("capacity", Whole(1, MAX / 60_000), "10"),
            ("refill", Whole(1, MAX), "1"),
            ("period_ms", Whole(1, 9_007_199_254_740), "60000"),
            ("name", Name, "tpm"),
            ("kind", Word, "bucket"),
            ("capacity", Whole(1, MAX / 1_000), "100"),
            ("refill", Whole(1, MAX), "1"),
            ("period_ms", Whole(1, 9_007_199_254_740), "1000"),
            ("cost", Whole(0, MAX), "1"),
            ("cost", Whole(0, MAX), "20"),
        ],
        outcome: "granted",
    },
];

/// Every row, those of the shorter ways behind the others.
pub fn rows() -> impl Iterator<Item = &'static Valid> {
    VALID.iter().chain(SHORT)
}

#[test]
fn every_script_has_its_row() {
    let rows: Vec<&str> = VALID.iter().map(|row| row.script).collect();
    let scripts: Vec<&str> = scripts::all().iter().map(|one| one.name.as_str()).collect();
    assert_eq!(rows, scripts);
}

#[test]
fn a_header_names_what_a_valid_call_sends() {
    for row in VALID {
        let script = scripts::named(row.script);
        let sent: Vec<&str> = row.args.iter().map(|(name, ..)| *name).collect();
        let (fixed, rest) = script.args.split_at(script.args.len() - script.repeating);
        assert_eq!(sent[..fixed.len()], *fixed, "{}", row.script);
        let mut group: Vec<&str> = Vec::new();
        for name in &sent[fixed.len()..] {
            if !group.contains(name) {
                group.push(name);
            }
        }
        assert_eq!(group, rest, "{}", row.script);
    }
}
