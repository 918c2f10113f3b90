use super::{Row, refuses, writes};

pub const TAKEN: &str = "take 1000000 0 id-1 0 3 keep full 1 rpm bucket 10 1 6000 4";
pub const BOOKED: &str = "take 1000000 0 id-2 60000 3 keep full 1 rpm bucket 10 1 6000 10";

/// With version 2^52 - 1: one more, and it would be text.
const OF_MANY: &str =
    "take 1000000 0 _ 0 4503599627370495 keep full 1 rpm bucket 4503599627370498 1 1 1";
/// All of a bucket that is full again in 285,000 years, and half of it.
const SLOWEST: &str = "take 1000000 0 _ 0 3 keep full 1 rpm bucket 1000 1 9007199254740 1000";
const SLOW_HALF: &str = "take 1000000 0 _ 0 3 keep full 1 rpm bucket 1000 1 9007199254740 500";

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
    // Both sides of 2^52, on the shorter way.
    writes(
        &[OF_MANY, OF_MANY],
        OF_MANY,
        "granted 1 1000000 4503599627370495 0 0 4503599627370495",
    ),
    writes(
        &[OF_MANY],
        OF_MANY,
        "granted 1 1000000 4503599627370495 0 0 \"4503599627370496\"",
    ),
    writes(
        &["take 1000000 0 _ 0 4503599627370496 keep full 1 rpm bucket 10 1 1 1"],
        "take 1000000 0 _ 0 4503599627370496 keep full 1 rpm bucket 10 1 1 1",
        "granted 1 1000000 \"4503599627370496\" 0 0 8",
    ),
    // No wait and no life of a key is longer than 9,007,199,254,740 ms, whichever way.
    refuses(&[SLOWEST], SLOWEST, "wait 1 1000000 3 9007199254740 :rpm"),
    refuses(
        &[SLOW_HALF, SLOW_HALF],
        "take 1000000 0 _ 1 3 keep full 1 rpm bucket 1000 1 9007199254740 1000",
        "wait 1 1000000 3 9007199254740 :rpm",
    ),
    refuses(
        &[
            "take 1000000 0 id-1 0 3 keep full 1 rpm bucket 1000 1 9007199254740 1000",
            "take_settle 1000000 0 id-1 rpm 999",
        ],
        "take_settle 1000000 0 id-1 rpm 999",
        "settled 1 1000000 3 1",
    ),
    // As long as it may wait, and no longer.
    writes(
        &[TAKEN],
        "take 1000000 0 _ 24000 3 keep full 1 rpm bucket 10 1 6000 10",
        "granted 1 1000000 3 24000 0 0",
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
    // At its start it is booked no more, and all of it can come back.
    writes(
        &[TAKEN, BOOKED],
        "take_settle 1024000 0 id-2 rpm 1",
        "settled 1 1024000 3 9",
    ),
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
    // The two that are booked start 1 ms apart and are one group of 10. Then the window is so short
    // that such two would not be, and one more starts with the second: it is found all the same.
    writes(
        &[
            "take 1000000 0 _ 0 3 keep full 1 tpm window 10 0 48000 5",
            "take 1000999 0 _ 0 3 keep full 1 tpm window 10 0 48000 1",
            "take 1001000 0 _ 0 3 keep full 1 tpm window 10 0 48000 4",
            "take 1001000 0 _ 60000 3 keep full 1 tpm window 10 0 48000 5",
            "take 1001000 0 _ 60000 3 keep full 1 tpm window 10 0 48000 5",
            "take 1001000 0 id-1 60000 4 keep full 1 tpm window 100 0 48 15",
        ],
        "take_cancel 1001000 0 id-1",
        "returned 1 1001000 4",
    ),
    // 1,000,001 of a million, scaled, is above 2^53 - 1 by less than one: no more is counted.
    refuses(
        &[
            "take 1000000 0 id-1 0 3 keep full 1 tpm window 1000000 0 50000 1000000",
            "take_settle 1000000 0 id-1 tpm 1000001",
            "take 1000000 0 _ 0 4 proportional full 1 tpm window 9007190247550744 0 50000 1",
        ],
        "take 1000000 0 id-1 0 4 proportional full 1 tpm window 9007190247550744 0 50000 1",
        "granted 1 1000000 4 0 1 0",
    ),
    // What is booked leaves so much less for what was taken, as both must be below 2^53.
    writes(
        &[
            "take 1000000 0 _ 0 3 keep full 1 tpm window 10 0 50000 10",
            "take 1000000 0 id-1 50000 3 keep full 1 tpm window 10 0 50000 10",
            "take 1000000 0 _ 0 4 proportional full 1 tpm window 9007199254740991 0 50000 1",
        ],
        "take_cancel 1000000 0 id-1",
        "returned 1 1000000 4",
    ),
    // Its own 50 s are over, but not those of the group in which it counts.
    writes(
        &[
            "take 1000000 0 id-1 0 3 keep full 1 tpm window 10 0 50000 3",
            "take 1000900 0 _ 0 3 keep full 1 tpm window 10 0 50000 2",
        ],
        "take_settle 1050500 0 id-1 tpm 1",
        "settled 1 1050500 3 7",
    ),
];
