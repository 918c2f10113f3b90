use super::{Row, refuses, writes};

pub const NOTED: &str = "remember 1000000 0 2 60000 a 0123456789abcdef";

/// The family `links`.
pub const ROWS: &[Row] = &[
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
