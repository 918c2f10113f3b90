use super::{Row, refuses, writes};

const LEASED: &str = "lease 1000000 0 id-1 60000 fewest 5 a 1 b 1";
const BOTH_LEASED: &str = "lease 1010000 0 id-2 60000 fewest 5 a 1 b 1";

/// The family `lease`. A fence is the instant times 1,000, or one more than the last.
pub const ROWS: &[Row] = &[
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
    refuses(
        &[LEASED, "lease_release 1010000 0 id-1"],
        "lease_release 1010000 0 id-1",
        "gone 1 1010000 0",
    ),
    refuses(&[], "lease_release 1000000 0 id-1", "gone 1 1000000 0"),
];
