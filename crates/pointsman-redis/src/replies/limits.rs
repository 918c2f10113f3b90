//! Replies to takes.

use super::{NOW_MS, check, read};
use crate::scripted::answer;
use crate::*;

#[test]
fn takes() {
    let rules = [
        ("requests", Rule::window(60, 60_000)),
        ("tokens", Rule::bucket(9, 3, 1_000)),
    ];
    let limits = RedisLimits::new("k", &rules, 7);
    let take = limits.take(&[("requests", 1)]).id("t");
    let remaining = |requests, tokens| {
        let named = [("requests", requests), ("tokens", tokens)];
        named.map(|(name, left)| (name.to_string(), left)).to_vec()
    };
    check(
        &take,
        answer!("granted", 1, NOW_MS, 7, 250, 0, 59, 8),
        Taken::Granted {
            take_id: Some("t".into()),
            starts_in_ms: 250,
            starts_at_ms: NOW_MS as u64 + 250,
            remaining: remaining(59, 8),
            repeated: false,
            version: 7,
        },
    );
    check(
        &take,
        answer!("wait", 1, NOW_MS, 7, 143, ":requests"),
        Taken::Wait {
            retry_after_ms: 143,
            limit: "requests".into(),
            version: 7,
        },
    );
    let never = Taken::Never {
        limit: "tokens".into(),
        version: 7,
    };
    check(&take, answer!("never", 1, NOW_MS, 7, ":tokens"), never);
    check(&take, answer!("gone", 1, NOW_MS, 7), Taken::Gone);
    let cancel = limits.take_cancel("t");
    check(
        &cancel,
        answer!("returned", 1, NOW_MS, 7),
        TakeCancelled::Returned,
    );
    check(
        &cancel,
        answer!("started", 1, NOW_MS, 7),
        TakeCancelled::Started,
    );
    check(&cancel, answer!("gone", 1, NOW_MS, 0), TakeCancelled::Gone);
    let settle = limits.take_settle("t", &[("tokens", 3)]);
    check(&settle, answer!("gone", 1, NOW_MS, 7), TakeSettled::Gone);
}

#[test]
fn rules_in_force_and_settled_takes() {
    let limits = RedisLimits::new("k", &[("requests", Rule::window(60, 60_000))], 7);
    let reply = answer!(
        "reconfigure",
        1,
        NOW_MS,
        8,
        2,
        ":tokens",
        "bucket",
        9,
        3,
        1_000,
        ":requests",
        "window",
        50,
        0,
        60_000,
    );
    let rules = Rules {
        version: 8,
        limits: vec![
            ("tokens".into(), Rule::bucket(9, 3, 1_000)),
            ("requests".into(), Rule::window(50, 60_000)),
        ],
    };
    check(
        &limits.take(&[("requests", 1)]),
        reply,
        Taken::Reconfigure(rules),
    );
    let settle = limits.take_settle("t", &[("requests", 3)]);
    let settled = |version, remaining| Ok(TakeSettled::Settled { remaining, version });
    let reply = answer!("settled", 1, NOW_MS, 7, 41);
    assert_eq!(
        read(&settle, &reply),
        settled(7, vec![("requests".into(), 41)])
    );
    // Under rules that are not known here, nobody can say what the numbers belong to.
    for (version, reply) in [
        (8, answer!("settled", 1, NOW_MS, 8, 41)),
        (7, answer!("settled", 1, NOW_MS, 7, 41, 9)),
    ] {
        assert_eq!(read(&settle, &reply), settled(version, Vec::new()));
    }
    assert!(read(&settle, &answer!("settled", 1, NOW_MS, 7, -1)).is_err());
}

#[test]
fn a_grant_under_rules_that_were_not_sent_is_no_grant() {
    let limits = RedisLimits::new("k", &[("requests", Rule::window(60, 60_000))], 7);
    let take = limits.take(&[("requests", 1)]).id("t");
    for reply in [
        answer!("granted", 1, NOW_MS, 8, 0, 0, 59),
        answer!("granted", 1, NOW_MS, 7, 0, 0, 59, 8),
        answer!("granted", 1, NOW_MS, 7, 0, 0),
    ] {
        assert!(read(&take, &reply).is_err_and(|error| error.is_unreadable()));
    }
    // A repeat was granted under rules of its own time.
    let repeated = read(&take, &answer!("granted", 1, NOW_MS, 8, 0, 1, 59));
    let granted = Taken::Granted {
        take_id: Some("t".into()),
        starts_in_ms: 0,
        starts_at_ms: NOW_MS as u64,
        remaining: Vec::new(),
        repeated: true,
        version: 8,
    };
    assert_eq!(repeated, Ok(granted));
}
