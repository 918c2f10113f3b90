//! What a request sends, trip after trip.

mod least_used;

use crate::scripted::{Scripted, answer};
use crate::*;
use pointsman::{Boundary, Candidate, Choice, Inherit, Join, Link, OnlyOne, RepeatBy, Start};

const NOW_MS: i64 = 1_700_000_000_000;

/// The arguments that a request sends first, behind `now_ms` and `deadline_ms`.
fn sent<O: Operation>(request: &Request<O>) -> Vec<String> {
    let mut con = Scripted::default().then_error("ERR enough");
    assert!(request.query(&mut con).is_err());
    con.arguments(0).to_vec()
}

fn requests() -> RedisLimits {
    RedisLimits::new("k", &[("requests", Rule::window(60, 60_000))], 7)
}

#[test]
fn arguments_stand_as_the_headers_of_the_scripts_say() {
    let rules = [
        ("requests", Rule::window(60, 60_000)),
        ("tokens", Rule::bucket(9, 3, 1_000)),
    ];
    let limits = RedisLimits::new("k", &rules, 7)
        .start(Start::Empty)
        .inherit(Inherit::Proportional);
    assert_eq!(
        sent(&limits.take(&[("tokens", 4)]).id("t").max_wait_ms(500)),
        [
            "t",
            "500",
            "7",
            "proportional",
            "empty",
            "2",
            "requests",
            "window",
            "60",
            "0",
            "60000",
            "tokens",
            "bucket",
            "9",
            "3",
            "1000",
            "0",
            "4"
        ]
    );
    let plain = requests();
    assert_eq!(
        sent(&plain.take(&[("requests", 1)]))[..5],
        ["", "0", "7", "keep", "full"]
    );
    assert_eq!(sent(&limits.take_cancel("t")), ["t"]);
    assert_eq!(
        sent(&limits.take_settle("t", &[("tokens", 5)])),
        ["t", "tokens", "5"]
    );

    let accounts = RedisLeastUsed::new("k", &[("a", 2), ("b", 0)], 3)
        .join(Join::Zero)
        .keep_ms(5_000);
    let configure = accounts.configure().draw(8);
    assert_eq!(
        sent(&configure),
        ["3", "zero", "5000", "8", "a", "2", "b", "0"]
    );
    assert_eq!(sent(&accounts.pick().id("r").exclude(&["b"])), ["r", "b"]);
    assert_eq!(sent(&accounts.record("a", 5)), ["", "a", "5"]);

    let leases = RedisLeases::new("k").choice(Choice::First);
    let lease = leases.lease(&[("a", 4)]).id("l").ttl_ms(9).draw(8);
    assert_eq!(sent(&lease), ["l", "9", "first", "8", "a", "4"]);
    assert_eq!(sent(&leases.lease_renew("l")), ["l", "60000"]);
    assert_eq!(sent(&leases.lease_release("l")), ["l"]);

    let shuffle = RedisShuffle::new("k")
        .boundary(Boundary::NoRepeat)
        .keep_ms(5_000);
    assert_eq!(
        sent(&shuffle.next(&["a"]).id("r").draw(8)),
        ["r", "5000", "no_repeat", "8", "a"]
    );

    let proxies =
        RedisNoRepeat::new("k", RepeatBy::Exit, OnlyOne::Wait { gap_ms: 10 }).keep_ms(5_000);
    let proxy = |upstream, exit| Candidate {
        upstream,
        exit,
        weight: 1,
    };
    let pick = proxies
        .pick(&[proxy("p", Some("X")), proxy("q", None)])
        .draw(8);
    assert_eq!(
        sent(&pick),
        [
            "", "5000", "exit", "wait", "10", "8", "p", "X", "1", "q", "", "1"
        ]
    );
    assert_eq!(sent(&proxies.observe_exit("p", "X")), ["5000", "p", "X"]);

    let warm = RedisAffinity::new("k", 16, 600);
    let chain = [Link::from(1), Link::from(0xff)];
    let [first, last] = ["0000000000000001", "00000000000000ff"];
    assert_eq!(sent(&warm.recall(&chain)), ["600", first, last]);
    assert_eq!(sent(&warm.remember(&chain, "a")), ["16", "600", "a", last]);
    assert_eq!(sent(&warm.remember(&[], "a")), ["16", "600", "a", ""]);
    assert_eq!(sent(&inspect("k")), [""; 0]);
}

#[test]
fn an_unknown_script_is_sent_once_in_whole_and_no_other_error_is_retried() {
    let limits = requests();
    let mut con = Scripted::default()
        .then_error("NOSCRIPT No matching script. Please use EVAL.")
        .then(answer!("granted", 1, NOW_MS, 7, 0, 0, 59));
    assert!(matches!(
        limits.take(&[("requests", 1)]).query(&mut con),
        Ok(Taken::Granted { .. })
    ));
    let [evalsha, eval] = &con.sent[..] else {
        panic!("{} commands", con.sent.len());
    };
    assert_eq!(evalsha[..4], ["EVALSHA", bundle::TAKE.sha1, "1", "k"]);
    assert_eq!(eval[..4], ["EVAL", bundle::TAKE.source, "1", "k"]);
    assert_eq!(evalsha[4..], eval[4..]);
    for line in [
        "POINTSMAN_ARG no",
        "BUSY Redis is busy",
        "ERR NOSCRIPT",
        "TRYAGAIN later",
    ] {
        let mut con = Scripted::default().then_error(line);
        assert!(limits.take(&[("requests", 1)]).query(&mut con).is_err());
        assert_eq!(con.sent.len(), 1, "{line}");
    }
}

#[test]
fn where_known_limits_are_under_other_rules_the_take_is_made_once_more_under_them() {
    let rules = [
        ("requests", Rule::window(60, 60_000)),
        ("tokens", Rule::bucket(9, 3, 1_000)),
    ];
    let limits = RedisLimits::new("k", &rules, 7);
    let take = limits.take(&[("requests", 1), ("tokens", 4)]);
    let told = |version| {
        answer!(
            "reconfigure",
            1,
            NOW_MS,
            version,
            1,
            ":tokens",
            "bucket",
            99,
            9,
            500
        )
    };
    let mut con = Scripted::new([told(8), answer!("granted", 1, NOW_MS, 8, 0, 0, 95)]);
    let granted = Taken::Granted {
        take_id: None,
        starts_in_ms: 0,
        starts_at_ms: NOW_MS as u64,
        remaining: vec![("tokens".into(), 95)],
        repeated: false,
        version: 8,
    };
    assert_eq!(take.query(&mut con), Ok(granted));
    let again = [
        "", "0", "8", "keep", "full", "1", "tokens", "bucket", "99", "9", "500", "4",
    ];
    assert_eq!(con.arguments(1), again);
    // They change once more in between: then it is told.
    let mut con = Scripted::new([told(8), told(9)]);
    let Ok(Taken::Reconfigure(rules)) = take.query(&mut con) else {
        panic!("they have changed");
    };
    assert_eq!(rules.version, 9);
    // Nothing of this take is left under them.
    let mut con = Scripted::new([told(8)]);
    let other = limits.take(&[("requests", 1)]).query(&mut con);
    assert!(matches!(other, Ok(Taken::Reconfigure(_))));
}

#[test]
fn an_empty_id_is_none_and_so_is_never_sent() {
    let used = RedisLeastUsed::new("k", &[("a", 1)], 3);
    let shuffle = RedisShuffle::new("k");
    let rotation = RedisNoRepeat::new("k", RepeatBy::Upstream, OnlyOne::Fail);
    let limits = requests();
    let con = &mut Scripted::default();
    let waiting = limits.take_when_free(&[("requests", 1)], 5_000).id("");
    let errors = [
        limits.take(&[("requests", 1)]).id("").query(con).err(),
        waiting.query(con, &GiveUp::new()).err(),
        used.pick().id("").query(con).err(),
        used.record("a", 1).id("").query(con).err(),
        shuffle.next(&["a"]).id("").query(con).err(),
        rotation.pick(&[]).id("").query(con).err(),
    ];
    for (error, argument) in errors.into_iter().zip(
        ["take_id", "take_id", "request_id"]
            .iter()
            .chain(&["request_id"; 3]),
    ) {
        let error = error.unwrap();
        let text = format!("{argument} is empty, but must be 1 to 128 bytes long");
        assert_eq!(error.to_string(), text);
        assert!(error.is_argument());
    }
}

#[test]
fn a_cost_of_a_limit_that_is_not_declared_is_never_sent() {
    let limits = requests();
    for (costs, text) in [
        (
            &[("token", 1)][..],
            "costs name the limit \"token\", which is not declared",
        ),
        (
            &[("requests", 1), ("requests", 1)],
            "costs name the limit \"requests\" twice",
        ),
    ] {
        let error = limits
            .take(costs)
            .query(&mut Scripted::default())
            .unwrap_err();
        assert_eq!(error.to_string(), text);
        assert!(error.is_argument() && !error.is_unreachable());
        // A limit in force that a settlement does not name keeps its charge: a slip would go unseen.
        let settle = limits.take_settle("t", costs);
        let error = settle.query(&mut Scripted::default()).unwrap_err();
        assert_eq!(error.to_string(), format!("actual {text}"));
    }
}

#[test]
fn a_request_keeps_its_id_and_draws_anew() {
    let limits = requests();
    let take = limits.take(&[("requests", 1)]).max_wait_ms(1);
    let id = take.take_id().unwrap();
    assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!([&sent(&take)[0], &sent(&take)[0]], [id, id]);
    assert_ne!(
        limits.take(&[("requests", 1)]).max_wait_ms(1).take_id(),
        Some(id)
    );
    assert_eq!(limits.take(&[("requests", 1)]).take_id(), None);
    assert_eq!(take.id("own").take_id(), Some("own"));
    let leases = RedisLeases::new("k");
    let lease = leases.lease(&[("a", 1)]);
    assert_eq!([&sent(&lease)[0], &sent(&lease)[0]], [lease.lease_id(); 2]);
    let shuffle = RedisShuffle::new("k");
    let next = shuffle.next(&["a"]);
    assert_ne!(sent(&next)[3], sent(&next)[3]);
}

#[test]
fn a_timeout_becomes_a_deadline_once_the_servers_clock_is_known() {
    let limits = requests();
    let take = limits.take(&[("requests", 1)]).timeout_ms(250);
    let granted = || answer!("granted", 1, NOW_MS, 7, 0, 0, 59);
    let mut con = Scripted::new([granted(), granted()]);
    let at = take.clone().now_ms(NOW_MS as u64);
    let _ = (at.query(&mut con), take.query(&mut con));
    // An instant that was given tells nothing about the server's clock.
    assert_eq!(con.sent[0][4..6], [NOW_MS.to_string(), "0".into()]);
    assert_eq!(con.sent[1][4..6], ["0", "0"]);
    let mut con = Scripted::new([granted()]);
    let _ = take.query(&mut con);
    let deadline_ms: i64 = con.sent[0][5].parse().unwrap();
    // As much later as this test takes between the two calls.
    assert!(
        (NOW_MS + 250..NOW_MS + 60_000).contains(&deadline_ms),
        "{deadline_ms}"
    );
    let mut con = Scripted::new([granted()]);
    let _ = take.clone().now_ms(5).query(&mut con);
    assert_eq!(con.sent[0][4..6], ["5", "0"]);
    let mut con = Scripted::new([granted()]);
    let _ = take.deadline_ms(5).query(&mut con);
    assert_eq!(con.sent[0][5], "5");
}

#[test]
fn a_clock_that_was_set_forward_refuses_one_call_and_not_all_that_follow() {
    let limits = requests();
    let take = limits.take(&[("requests", 1)]).timeout_ms(250);
    let granted = answer!("granted", 1, NOW_MS, 7, 0, 0, 59);
    let mut con = Scripted::new([granted.clone()])
        .then_error("POINTSMAN_DEADLINE the call runs 3599750 ms after its deadline")
        .then(granted);
    let _ = take.query(&mut con);
    assert!(take.query(&mut con).is_err_and(|error| error.is_deadline()));
    assert!(matches!(take.query(&mut con), Ok(Taken::Granted { .. })));
    assert_ne!(con.sent[1][5], "0");
    assert_eq!(con.sent[2][5], "0");
}

#[test]
fn what_cannot_be_reached_is_let_through_only_where_that_was_asked_for() {
    let closed = requests();
    let open = requests().on_unreachable(OnUnreachable::Open);
    let take = |limits: &RedisLimits, line: &str| {
        let mut con = Scripted::default().then_error(line);
        limits.take(&[("requests", 1)]).query(&mut con)
    };
    for line in [
        "LOADING Redis is loading the dataset in memory",
        "BUSY Redis is busy running a script.",
        "READONLY You can't write against a read only replica.",
        "MASTERDOWN Link with MASTER is down",
        "CLUSTERDOWN The cluster is down",
        "TRYAGAIN Multiple keys request during rehashing of slot",
        "NOREPLICAS Not enough good replicas to write.",
        "ERR max number of clients reached",
        "ERR Error running script (call to f_0a): @user_script:9: @user_script: 9: -READONLY You can't write",
    ] {
        assert!(
            take(&closed, line).is_err_and(|error| error.is_unreachable()),
            "{line}"
        );
        let Ok(Taken::Open { error }) = take(&open, line) else {
            panic!("{line}");
        };
        assert!(error.is_unreachable());
    }
    for line in [
        "POINTSMAN_ARG now_ms (ARGV[1]) is missing",
        "POINTSMAN_DEADLINE the call runs 5 ms after its deadline",
        "OOM command not allowed when used memory > 'maxmemory'.",
        "ERR Error running script (call to f_0a): @user_script:9: @user_script: 9: -OOM command not allowed",
        "WRONGTYPE Operation against a key holding the wrong kind of value",
        "NOPERM this user has no permissions",
        "NOAUTH Authentication required.",
        "MOVED 5 127.0.0.1:1",
        "ERR unknown",
    ] {
        for limits in [&closed, &open] {
            assert!(
                take(limits, line).is_err_and(|error| !error.is_unreachable()),
                "{line}"
            );
        }
    }
    let mut refused = Scripted::new([answer!("wait", 1, NOW_MS, 7, 5, ":requests")]);
    let wait = open.take(&[("requests", 1)]).query(&mut refused);
    assert!(matches!(
        wait,
        Ok(Taken::Wait {
            retry_after_ms: 5,
            ..
        })
    ));
    let mut unreadable = Scripted::new([answer!("granted", 1, NOW_MS)]);
    let unread = open.take(&[("requests", 1)]).query(&mut unreadable);
    assert!(unread.is_err_and(|error| error.is_unreadable()));
}

#[test]
fn an_error_says_its_word_and_whose_it_is() {
    let mut con = Scripted::default().then_error("POINTSMAN_ARG take_id (ARGV[3]) is empty");
    let error = requests().take_cancel("").query(&mut con).unwrap_err();
    assert_eq!(error.code(), Some("POINTSMAN_ARG"));
    assert_eq!(
        error.to_string(),
        "take_cancel: POINTSMAN_ARG take_id (ARGV[3]) is empty"
    );
    assert!(
        std::error::Error::source(&error).is_some_and(|source| source.is::<redis::RedisError>())
    );
    let mut con = Scripted::default().then_error("POINTSMAN_DEADLINE the call runs late");
    let error = requests().take_cancel("t").query(&mut con).unwrap_err();
    assert!(error.is_deadline() && !error.is_argument());
    let mut con = Scripted::new([answer!("returned", 1, NOW_MS, 7, 5)]);
    let error = requests().take_cancel("t").query(&mut con).unwrap_err();
    assert_eq!(error.code(), None);
    let text = "the reply of take_cancel cannot be read: it has 1 fields too many";
    assert_eq!(error.to_string(), text);
}
