//! Every outcome that a script has, each with the whole reply. The values are worked out by hand.

/// A call, after some others on the same key, and what it answers.
pub struct Row {
    pub before: &'static [&'static str],
    pub call: &'static str,
    /// The elements of the reply: integers as they are, texts as they are, or in quotes where they
    /// would look like integers.
    pub reply: &'static str,
    pub writes: bool,
}

const fn writes(before: &'static [&'static str], call: &'static str, reply: &'static str) -> Row {
    Row {
        before,
        call,
        reply,
        writes: true,
    }
}

const fn refuses(before: &'static [&'static str], call: &'static str, reply: &'static str) -> Row {
    Row {
        before,
        call,
        reply,
        writes: false,
    }
}

const LISTED: &str = "configure_least_used 1000000 0 3 floor 60000 5 a 1 b 1";
const PICKED: &str = "pick_least_used 1000000 0 id-1";

/// The family `used`. Round from place 5 % 2 on, so that b is first among equals.
pub const USED: &[Row] = &[
    writes(&[], LISTED, "configured 1 1000000 3 2"),
    refuses(&[LISTED], LISTED, "same 1 1000000 3 2"),
    refuses(
        &[LISTED],
        "configure_least_used 1000000 0 2 floor 60000 5 a 1",
        "older 1 1000000 3",
    ),
    refuses(
        &[LISTED],
        "configure_least_used 1000000 0 3 floor 60000 5 a 1 b 2",
        "other 1 1000000 3 :a 1 :b 1",
    ),
    writes(
        &[LISTED],
        "configure_least_used 1000000 0 9007199254740991 floor 60000 5",
        "configured 1 1000000 \"9007199254740991\" 0",
    ),
    writes(&[LISTED], PICKED, "picked 1 1000000 3 :b 1 0"),
    refuses(&[LISTED, PICKED], PICKED, "picked 1 1000000 3 :b 1 1"),
    writes(
        &[LISTED, PICKED],
        "pick_least_used 1000000 0 _",
        "picked 1 1000000 3 :a 1 0",
    ),
    // The clock does not go back.
    writes(
        &[LISTED, PICKED],
        "pick_least_used 999999 0 _ a",
        "picked 1 1000000 3 :b 2 0",
    ),
    refuses(
        &[LISTED],
        "pick_least_used 1000000 0 _ a b",
        "all_excluded 1 1000000 3",
    ),
    refuses(
        &["configure_least_used 1000000 0 3 floor 60000 5"],
        PICKED,
        "empty 1 1000000 3",
    ),
    refuses(&[], PICKED, "unknown 1 1000000 0"),
    writes(
        &[LISTED],
        "record_least_used 1000000 0 id-1 a 7",
        "recorded 1 1000000 3 7 0",
    ),
    refuses(
        &[LISTED, "record_least_used 1000000 0 id-1 a 7"],
        "record_least_used 1000000 0 id-1 a 7",
        "recorded 1 1000000 3 7 1",
    ),
    refuses(
        &[LISTED],
        "record_least_used 1000000 0 id-1 c 7",
        "unknown_upstream 1 1000000 3",
    ),
    refuses(
        &[],
        "record_least_used 1000000 0 id-1 a 7",
        "unknown 1 1000000 0",
    ),
];

const LEASED: &str = "lease 1000000 0 id-1 60000 fewest 5 a 1 b 1";
const BOTH_LEASED: &str = "lease 1010000 0 id-2 60000 fewest 5 a 1 b 1";

/// The family `lease`. A fence is the instant times 1,000, or one more than the last.
pub const LEASE: &[Row] = &[
    writes(&[], LEASED, "leased 1 1000000 0 :b 1000000000 1060000 0"),
    refuses(
        &[LEASED],
        "lease 1010000 0 id-1 60000 fewest 5 a 1",
        "leased 1 1010000 0 :b 1000000000 1060000 1",
    ),
    writes(
        &[LEASED],
        BOTH_LEASED,
        "leased 1 1010000 0 :a 1010000000 1070000 0",
    ),
    writes(
        &[LEASED],
        "lease 999999 0 id-2 60000 first 5 a 1 b 1",
        "leased 1 1000000 0 :a 1000000001 1060000 0",
    ),
    refuses(
        &[LEASED, BOTH_LEASED],
        "lease 1010000 0 id-3 60000 fewest 5 a 1 b 1",
        "wait 1 1010000 0 50000",
    ),
    refuses(
        &[LEASED, BOTH_LEASED],
        "lease 1059999 0 id-3 60000 fewest 5 a 1 b 1",
        "wait 1 1059999 0 1",
    ),
    writes(
        &[LEASED, BOTH_LEASED],
        "lease 1060000 0 id-3 60000 fewest 5 a 1 b 1",
        "leased 1 1060000 0 :b 1060000000 1120000 0",
    ),
    refuses(
        &[LEASED],
        "lease 1000000 0 id-2 60000 fewest 5",
        "empty 1 1000000 0",
    ),
    writes(
        &[LEASED],
        "lease_renew 1010000 0 id-1 60000",
        "renewed 1 1010000 0 1000000000 1070000",
    ),
    refuses(
        &[LEASED],
        "lease_renew 1060000 0 id-1 60000",
        "gone 1 1060000 0",
    ),
    refuses(&[], "lease_renew 1000000 0 id-1 60000", "gone 1 1000000 0"),
    writes(
        &[LEASED],
        "lease_release 1059999 0 id-1",
        "released 1 1059999 0 :b",
    ),
    refuses(
        &[LEASED],
        "lease_release 1060000 0 id-1",
        "gone 1 1060000 0",
    ),
    refuses(
        &[LEASED],
        "lease_release 1010000 0 id-2",
        "gone 1 1010000 0",
    ),
    refuses(&[], "lease_release 1000000 0 id-1", "gone 1 1000000 0"),
];

const SHUFFLED: &str = "next_shuffle 1000000 0 id-1 60000 free 5 a b";
const NOT_AGAIN: &str = "pick_no_repeat 1000000 0 id-1 60000 upstream fail 0 5 a x 1 b y 2";

/// The families `shuffle` and `repeat`. Draw 5 is 1 of two, and 2 of a weight of three: both are b.
pub const ROTATION: &[Row] = &[
    writes(&[], SHUFFLED, "picked 1 1000000 0 1 :b 0"),
    refuses(&[SHUFFLED], SHUFFLED, "picked 1 1000000 0 1 :b 1"),
    refuses(
        &[SHUFFLED],
        "next_shuffle 1000000 0 id-1 60000 free 5 c",
        "picked 1 1000000 0 -1 :b 1",
    ),
    writes(
        &[SHUFFLED],
        "next_shuffle 1000001 0 id-2 60000 free 5 a b",
        "picked 1 1000001 0 0 :a 0",
    ),
    refuses(
        &[SHUFFLED],
        "next_shuffle 999999 0 _ 60000 free 5",
        "empty 1 1000000 0",
    ),
    refuses(
        &[],
        "next_shuffle 1000000 0 _ 60000 free 5",
        "empty 1 1000000 0",
    ),
    writes(&[], NOT_AGAIN, "picked 1 1000000 0 1 :b 0 0"),
    refuses(&[NOT_AGAIN], NOT_AGAIN, "picked 1 1000000 0 1 :b 0 1"),
    writes(
        &[NOT_AGAIN],
        "pick_no_repeat 1000000 0 _ 60000 upstream fail 0 5 a x 1 b y 2",
        "picked 1 1000000 0 0 :a 0 0",
    ),
    refuses(
        &[NOT_AGAIN],
        "pick_no_repeat 1000000 0 _ 60000 exit fail 0 5 c y 1",
        "no_different 1 1000000 0",
    ),
    refuses(
        &[NOT_AGAIN],
        "pick_no_repeat 1001000 0 _ 60000 upstream wait 5000 5 b y 1",
        "wait 1 1001000 0 4000",
    ),
    writes(
        &[NOT_AGAIN],
        "pick_no_repeat 1005000 0 _ 60000 upstream wait 5000 5 b y 1",
        "picked 1 1005000 0 0 :b 1 0",
    ),
    refuses(
        &[NOT_AGAIN],
        "pick_no_repeat 1000000 0 _ 60000 upstream fail 0 5",
        "empty 1 1000000 0",
    ),
    refuses(
        &[NOT_AGAIN],
        "pick_no_repeat 1000000 0 _ 60000 upstream fail 0 5 a x 0",
        "empty 1 1000000 0",
    ),
    writes(
        &[NOT_AGAIN],
        "observe_exit 1000000 0 60000 b z",
        "observed 1 1000000 0",
    ),
    writes(
        &[],
        "observe_exit 1000000 0 60000 b z",
        "observed 1 1000000 0",
    ),
    refuses(
        &[NOT_AGAIN, "observe_exit 1000000 0 60000 b z"],
        "pick_no_repeat 1000000 0 _ 60000 exit fail 0 5 c z 1",
        "no_different 1 1000000 0",
    ),
];

const NOTED: &str = "remember 1000000 0 2 60000 a 0123456789abcdef";

/// The family `links`.
pub const LINKS: &[Row] = &[
    writes(&[], NOTED, "remembered 1 1000000 0 1"),
    writes(
        &[NOTED],
        "remember 1000001 0 2 60000 b 1123456789abcdef",
        "remembered 1 1000001 0 2",
    ),
    writes(
        &[NOTED, "remember 1000001 0 2 60000 b 1123456789abcdef"],
        "remember 1000002 0 2 60000 c 2123456789abcdef",
        "remembered 1 1000002 0 2",
    ),
    refuses(
        &[NOTED],
        "remember 1000000 0 2 60000 a _",
        "ignored 1 1000000 0",
    ),
    refuses(
        &[NOTED],
        "remember 1000000 0 2 60000 _ 0123456789abcdef",
        "ignored 1 1000000 0",
    ),
    refuses(
        &[NOTED],
        "remember 1000000 0 0 60000 b 0123456789abcdef",
        "ignored 1 1000000 0",
    ),
    writes(
        &[NOTED],
        "recall 1059999 0 60000 0123456789abcdef fedcba9876543210",
        "recalled 1 1059999 0 :a 1",
    ),
    refuses(
        &[NOTED],
        "recall 1060000 0 60000 0123456789abcdef",
        "nothing 1 1060000 0",
    ),
    refuses(
        &[NOTED],
        "recall 1000000 0 60000 fedcba9876543210",
        "nothing 1 1000000 0",
    ),
    refuses(&[NOTED], "recall 1000000 0 60000", "nothing 1 1000000 0"),
    refuses(
        &[],
        "recall 1000000 0 60000 fedcba9876543210",
        "nothing 1 1000000 0",
    ),
];

const TAKEN: &str = "take 1000000 0 id-1 0 3 keep full 1 rpm bucket 10 1 6000 4";
const BOOKED: &str = "take 1000000 0 id-2 60000 3 keep full 1 rpm bucket 10 1 6000 10";

/// The family `take`: a bucket of 10, one every 6 s, of which 4 are taken: 10 are there 24 s later.
pub const TAKE: &[Row] = &[
    writes(&[], TAKEN, "granted 1 1000000 3 0 0 6"),
    refuses(
        &[TAKEN],
        "take 1000001 0 id-1 0 3 keep full 1 rpm bucket 10 1 6000 9",
        "granted 1 1000001 3 0 1 6",
    ),
    writes(&[TAKEN], BOOKED, "granted 1 1000000 3 24000 0 0"),
    refuses(
        &[TAKEN, BOOKED],
        "take 1004000 0 id-2 60000 3 keep full 1 rpm bucket 10 1 6000 10",
        "granted 1 1004000 3 20000 1 0",
    ),
    refuses(
        &[TAKEN],
        "take 1000000 0 _ 23999 3 keep full 1 rpm bucket 10 1 6000 10",
        "wait 1 1000000 3 24000 :rpm",
    ),
    refuses(
        &[TAKEN],
        "take 1000000 0 _ 60000 3 keep full 1 rpm bucket 10 1 6000 11",
        "never 1 1000000 3 :rpm",
    ),
    refuses(
        &[],
        "take 1000000 0 _ 60000 3 keep empty 1 rpm bucket 10 1 6000 11",
        "never 1 1000000 3 :rpm",
    ),
    // The two that are refused and write: a bucket begins to fill, newer rules come into force.
    writes(
        &[],
        "take 1000000 0 _ 0 3 keep empty 1 rpm bucket 10 1 6000 1",
        "wait 1 1000000 3 6000 :rpm",
    ),
    writes(
        &[TAKEN],
        "take 1000000 0 _ 0 4 keep full 1 rpm bucket 5 1 6000 5",
        "wait 1 1000000 4 24000 :rpm",
    ),
    writes(
        &[TAKEN],
        "take 1000000 0 _ 0 4 full full 1 rpm bucket 5 1 6000 5",
        "granted 1 1000000 4 0 0 0",
    ),
    refuses(
        &[TAKEN],
        "take 1000000 0 _ 0 2 keep full 1 rpm bucket 5 1 6000 5",
        "reconfigure 1 1000000 3 1 :rpm bucket 10 1 6000",
    ),
    refuses(
        &[TAKEN],
        "take 1000000 0 _ 0 3 keep full 2 rpm bucket 10 1 6000 tpm window 5 0 1000 5 1",
        "reconfigure 1 1000000 3 1 :rpm bucket 10 1 6000",
    ),
    writes(
        &[TAKEN, BOOKED],
        "take_cancel 1023999 0 id-2",
        "returned 1 1023999 3",
    ),
    refuses(
        &[TAKEN, BOOKED, "take_cancel 1023999 0 id-2"],
        "take_cancel 1024001 0 id-2",
        "returned 1 1024001 3",
    ),
    refuses(
        &[TAKEN, BOOKED, "take_cancel 1023999 0 id-2"],
        "take 1024001 0 id-2 60000 3 keep full 1 rpm bucket 10 1 6000 10",
        "gone 1 1024001 3",
    ),
    refuses(
        &[TAKEN, BOOKED],
        "take_cancel 1024000 0 id-2",
        "started 1 1024000 3",
    ),
    refuses(&[TAKEN], "take_cancel 1000000 0 id-2", "gone 1 1000000 3"),
    refuses(&[], "take_cancel 1000000 0 id-2", "gone 1 1000000 0"),
    writes(
        &[TAKEN],
        "take_settle 1000000 0 id-1 rpm 1",
        "settled 1 1000000 3 9",
    ),
    refuses(
        &[TAKEN, "take_settle 1000000 0 id-1 rpm 1"],
        "take_settle 1000000 0 id-1 rpm 1",
        "settled 1 1000000 3 9",
    ),
    refuses(
        &[TAKEN],
        "take_settle 1000000 0 id-2 rpm 1",
        "gone 1 1000000 3",
    ),
    refuses(&[], "take_settle 1000000 0 id-2 rpm 1", "gone 1 1000000 0"),
];

/// A window of 10 in 50 s, and both kinds together: all or none.
pub const TAKE_SEVERAL: &[Row] = &[
    writes(
        &[],
        "take 1000000 0 _ 0 3 keep full 2 rpm bucket 10 1 6000 tpm window 10 0 50000 1 9",
        "granted 1 1000000 3 0 0 9 1",
    ),
    refuses(
        &["take 1000000 0 _ 0 3 keep full 2 rpm bucket 10 1 6000 tpm window 10 0 50000 1 9"],
        "take 1000000 0 _ 0 3 keep full 2 rpm bucket 10 1 6000 tpm window 10 0 50000 1 11",
        "never 1 1000000 3 :tpm",
    ),
    writes(
        &["take 1000000 0 _ 0 3 keep full 2 rpm bucket 10 1 6000 tpm window 10 0 50000 1 9"],
        "take 1000000 0 _ 0 3 keep full 2 rpm bucket 10 1 6000 tpm window 10 0 50000 9 1",
        "granted 1 1000000 3 0 0 0 0",
    ),
];
