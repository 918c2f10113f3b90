use super::{Row, refuses, writes};

pub const SHUFFLED: &str = "next_shuffle 1000000 0 id-1 60000 free 5 a b";
pub const NOT_AGAIN: &str = "pick_no_repeat 1000000 0 id-1 60000 upstream fail 0 5 a x 1 b y 2";

/// The families `shuffle` and `repeat`. Draw 5 is 1 of two, and 2 of a weight of three: both are b.
pub const ROWS: &[Row] = &[
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
