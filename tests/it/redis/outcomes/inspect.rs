use super::{Row, refuses};

const AT_ONCE: &str =
    "take 1000000 0 _ 0 3 keep full 2 rpm bucket 10 1 6000 tpm window 10 0 50000 1 9";

const LEASED_TWICE: &[&str] = &[
    "lease 1000000 0 id-1 60000 first 5 a 2",
    "lease 1010000 0 id-2 60000 first 5 a 2",
];

/// Every family; what has been booked, has left or has expired is told as it is at the instant.
pub const ROWS: &[Row] = &[
    refuses(&[], "inspect 1000000 0", "unknown 1 1000000 0"),
    refuses(
        &[super::limits::TAKEN, super::limits::BOOKED],
        "inspect 1000000 0",
        "take 1 1000000 3 key_expires_in_ms 120000 ids 2 limit :rpm kind bucket capacity 10 \
         refill 1 period_ms 6000 remaining 0 booked 10 unused_in_ms 84000",
    ),
    refuses(
        &[super::limits::TAKEN, super::limits::BOOKED],
        "inspect 1030000 0",
        "take 1 1030000 3 key_expires_in_ms 90000 ids 2 limit :rpm kind bucket capacity 10 \
         refill 1 period_ms 6000 remaining 1 booked 0 unused_in_ms 54000",
    ),
    // At its start it is booked no more.
    refuses(
        &[super::limits::TAKEN, super::limits::BOOKED],
        "inspect 1024000 0",
        "take 1 1024000 3 key_expires_in_ms 96000 ids 2 limit :rpm kind bucket capacity 10 \
         refill 1 period_ms 6000 remaining 0 booked 0 unused_in_ms 60000",
    ),
    // All but half a token are back after 1 ms: a part of a millisecond counts whole.
    refuses(
        &["take 1000000 0 _ 0 3 keep full 1 rpm bucket 10 2 3 1"],
        "inspect 1000000 0",
        "take 1 1000000 3 key_expires_in_ms 120000 ids 0 limit :rpm kind bucket capacity 10 \
         refill 2 period_ms 3 remaining 9 booked 0 unused_in_ms 2",
    ),
    refuses(
        &[AT_ONCE],
        "inspect 1006000 0",
        "take 1 1006000 3 key_expires_in_ms 114000 ids 0 limit :rpm kind bucket capacity 10 \
         refill 1 period_ms 6000 remaining 10 booked 0 unused_in_ms 0 limit :tpm kind window \
         capacity 10 refill 0 period_ms 50000 remaining 1 booked 0 unused_in_ms 44000",
    ),
    refuses(
        &[
            super::used::LISTED,
            super::used::PICKED,
            "configure_least_used 1000000 0 4 floor 60000 5 a 2",
        ],
        "inspect 1000000 0",
        "used 1 1000000 4 key_expires_in_ms 120000 ids 1 keep_ms 60000 last :b \
         upstream :a count 0 weight 2 left 0 upstream :b count 1 weight 1 left 1",
    ),
    // A pick lets the table live on where its end is nearer than keep_ms.
    refuses(
        &[
            super::used::LISTED,
            "pick_least_used 1000000 0 _",
            "pick_least_used 1060000 0 _",
        ],
        "inspect 1060000 0",
        "used 1 1060000 3 key_expires_in_ms 60000 ids 0 keep_ms 60000 last :a \
         upstream :a count 1 weight 1 left 0 upstream :b count 1 weight 1 left 0",
    ),
    refuses(
        &[
            super::used::LISTED,
            "pick_least_used 1000000 0 _",
            "pick_least_used 1060001 0 _",
        ],
        "inspect 1060001 0",
        "used 1 1060001 3 key_expires_in_ms 120000 ids 0 keep_ms 60000 last :a \
         upstream :a count 1 weight 1 left 0 upstream :b count 1 weight 1 left 0",
    ),
    refuses(
        LEASED_TWICE,
        "inspect 1059999 0",
        "lease 1 1059999 0 key_expires_in_ms 60001 fence 1010000000 last :a \
         upstream :a in_flight 2 first_expires_in_ms 1",
    ),
    refuses(
        LEASED_TWICE,
        "inspect 1060000 0",
        "lease 1 1060000 0 key_expires_in_ms 60000 fence 1010000000 last :a \
         upstream :a in_flight 1 first_expires_in_ms 10000",
    ),
    refuses(
        &[super::rotation::SHUFFLED],
        "inspect 1000001 0",
        "shuffle 1 1000001 0 key_expires_in_ms 119999 ids 1 last :b returned :b",
    ),
    refuses(
        &[
            super::rotation::NOT_AGAIN,
            "observe_exit 1000000 0 60000 b z",
        ],
        "inspect 1001000 0",
        "repeat 1 1001000 0 key_expires_in_ms 119000 ids 1 last :b last_ms_ago 1000 \
         exit :y observed :z upstream :b observed :z",
    ),
    refuses(
        &[
            super::links::NOTED,
            "remember 1000001 0 2 60000 b 1123456789abcdef",
            "remember 1000002 0 2 60000 c 2123456789abcdef",
        ],
        "inspect 1000002 0",
        "links 1 1000002 0 key_expires_in_ms 119998 links 2 evicted_live 1",
    ),
    // What has expired is no loss.
    refuses(
        &[
            super::links::NOTED,
            "remember 1060000 0 2 60000 b 1123456789abcdef",
        ],
        "inspect 1060000 0",
        "links 1 1060000 0 key_expires_in_ms 60000 links 1 evicted_live 0",
    ),
    // What there is not is left out.
    refuses(
        &[super::used::LISTED],
        "inspect 1000000 0",
        "used 1 1000000 3 key_expires_in_ms 120000 ids 0 keep_ms 60000 \
         upstream :a count 0 weight 1 left 0 upstream :b count 0 weight 1 left 0",
    ),
    refuses(
        &["observe_exit 1000000 0 60000 b z"],
        "inspect 1001000 0",
        "repeat 1 1001000 0 key_expires_in_ms 119000 ids 0 upstream :b observed :z",
    ),
    refuses(
        &[
            "lease 1000000 0 id-1 60000 first 5 a 2",
            "lease_release 1010000 0 id-1",
        ],
        "inspect 1010000 0",
        "lease 1 1010000 0 key_expires_in_ms 110000 fence 1000000000 last :a",
    ),
    // From 2^52 on a number is text.
    refuses(
        &["take 1000000 0 _ 0 3 keep full 1 rpm bucket 9007199254740991 1 1 1"],
        "inspect 1000000 0",
        "take 1 1000000 3 key_expires_in_ms 120000 ids 0 limit :rpm kind bucket \
         capacity \"9007199254740991\" refill 1 period_ms 1 remaining \"9007199254740990\" \
         booked 0 unused_in_ms 1",
    ),
    // What is taken at once is not booked; for a key that a server has kept too long, no time is left.
    refuses(
        &[AT_ONCE],
        "inspect 1000000 0",
        "take 1 1000000 3 key_expires_in_ms 120000 ids 0 limit :rpm kind bucket capacity 10 \
         refill 1 period_ms 6000 remaining 9 booked 0 unused_in_ms 6000 limit :tpm kind window \
         capacity 10 refill 0 period_ms 50000 remaining 1 booked 0 unused_in_ms 50000",
    ),
    refuses(
        &[super::links::NOTED],
        "inspect 1120001 0",
        "links 1 1120001 0 key_expires_in_ms 0 links 1 evicted_live 0",
    ),
];
