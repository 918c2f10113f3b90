use super::{Row, refuses, writes};

pub const TAKEN: &str = "take 1000000 0 id-1 0 3 keep full 1 rpm bucket 10 1 6000 4";
pub const BOOKED: &str = "take 1000000 0 id-2 60000 3 keep full 1 rpm bucket 10 1 6000 10";

/// The family `take`: a bucket of 10, one every 6 s, of which 4 are taken: 10 are there 24 s later.
pub const ROWS: &[Row] = &[
    writes(&[], TAKEN, "granted 1 1000000 3 0 0 6"),
    refuses(
        &[TAKEN],
        "take 1000001 0 id-1 0 3 keep full 1 rpm bucket 10 1 6000 9",
        "granted 1 1000001 3 0 1 6",
    ),
    writes(&[TAKEN], BOOKED, "granted 1 1000000 3 24000 0 0"),
    // Whole numbers from 2^52 on are text, on each way through the script.
    writes(
        &[],
        "take 1000000 0 _ 0 3 keep full 1 rpm bucket 9007199254740991 1 1 1",
        "granted 1 1000000 3 0 0 \"9007199254740990\"",
    ),
    writes(
        &["take 1000000 0 _ 0 3 keep full 1 rpm bucket 9007199254740991 1 1 1"],
        "take 1000000 0 _ 0 3 keep full 1 rpm bucket 9007199254740991 1 1 1",
        "granted 1 1000000 3 0 0 \"9007199254740989\"",
    ),
    // A year later it is full, and no fuller.
    writes(
        &[TAKEN],
        "take 31537000000 0 _ 0 3 keep full 1 rpm bucket 10 1 6000 10",
        "granted 1 31537000000 3 0 0 0",
    ),
    // What was used beyond the charge is owed: 20 are missing where 9 may be.
    refuses(
        &[TAKEN, "take_settle 1000000 0 id-1 rpm 20"],
        "take 1000000 0 _ 0 3 keep full 1 rpm bucket 10 1 6000 1",
        "wait 1 1000000 3 66000 :rpm",
    ),
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
pub const SEVERAL: &[Row] = &[
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
