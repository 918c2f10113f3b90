use super::{Row, refuses, writes};

pub const LISTED: &str = "configure_least_used 1000000 0 3 floor 60000 5 a 1 b 1";
pub const PICKED: &str = "pick_least_used 1000000 0 id-1";

/// Two picks more, and the count is text.
const NEARLY_TEXT_A: &str = "record_least_used 1000000 0 _ a 4503599627370494";
const NEARLY_TEXT_B: &str = "record_least_used 1000000 0 _ b 4503599627370494";

/// The family `used`. Round from place 5 % 2 on, so that b is first among equals.
pub const ROWS: &[Row] = &[
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
    refuses(
        &["configure_least_used 1000000 0 9007199254740991 floor 60000 5 a 1"],
        "configure_least_used 1000000 0 3 floor 60000 5 a 1",
        "older 1 1000000 \"9007199254740991\"",
    ),
    // Both sides of 2^52: a round of two begins with the first pick.
    writes(
        &[
            "configure_least_used 1000000 0 4503599627370495 floor 60000 5 a 1 b 1",
            NEARLY_TEXT_A,
            NEARLY_TEXT_B,
            "pick_least_used 1000000 0 _",
        ],
        "pick_least_used 1000000 0 _",
        "picked 1 1000000 4503599627370495 :a 4503599627370495 0",
    ),
    writes(
        &[
            "configure_least_used 1000000 0 4503599627370496 floor 60000 5 a 1 b 1",
            NEARLY_TEXT_A,
            NEARLY_TEXT_B,
            "record_least_used 1000000 0 _ a 1",
            "record_least_used 1000000 0 _ b 1",
            "pick_least_used 1000000 0 _",
        ],
        "pick_least_used 1000000 0 _",
        "picked 1 1000000 \"4503599627370496\" :a \"4503599627370496\" 0",
    ),
    writes(
        &[
            "configure_least_used 1000000 0 4503599627370496 floor 60000 5 a 1 b 1",
            "pick_least_used 1000000 0 _",
        ],
        "pick_least_used 1000000 0 _",
        "picked 1 1000000 \"4503599627370496\" :a 1 0",
    ),
    writes(
        &[
            LISTED,
            NEARLY_TEXT_A,
            NEARLY_TEXT_B,
            "record_least_used 1000000 0 _ a 1",
            "record_least_used 1000000 0 _ b 1",
            "pick_least_used 1000000 0 _",
        ],
        "pick_least_used 1000000 0 _",
        "picked 1 1000000 3 :a \"4503599627370496\" 0",
    ),
    // No count passes 2^53 - 1: all are lowered by as many rounds, and the next pick is the first.
    writes(
        &[
            LISTED,
            "record_least_used 1000000 0 _ a 9007199254740990",
            "record_least_used 1000000 0 _ b 9007199254740990",
            "pick_least_used 1000000 0 _",
            "pick_least_used 1000000 0 _",
        ],
        "pick_least_used 1000000 0 _",
        "picked 1 1000000 3 :b 1 0",
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
