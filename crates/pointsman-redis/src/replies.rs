//! Every outcome from its literal reply, and no outcome from any other.

use crate::scripted::{Scripted, answer};
use crate::*;
use pointsman::{Candidate, Link, OnlyOne, RepeatBy};
use redis::Value;
use std::fmt::Debug;

mod limits;

const NOW_MS: i64 = 1_700_000_000_000;

/// What a request answers to one reply.
fn read<O: Operation>(request: &Request<O>, reply: &[Value]) -> Result<O::Outcome, Error> {
    request.query(&mut Scripted::new([reply.to_vec()]))
}

/// The reply gives this outcome; and none that differs from it in its shape gives any.
fn check<O>(request: &Request<O>, reply: Vec<Value>, outcome: O::Outcome)
where
    O: Operation<Outcome: Debug + PartialEq>,
{
    assert_eq!(read(request, &reply), Ok(outcome), "{reply:?}");
    let mut wrong = Vec::new();
    for length in 0..reply.len() {
        wrong.push(reply[..length].to_vec());
    }
    for more in [Value::Nil, Value::BulkString("more".into()), Value::Int(-1)] {
        wrong.push([&reply[..], &[more]].concat());
    }
    for at in 0..reply.len() {
        let mut with = |value: Value| {
            let mut fields = reply.clone();
            fields[at] = value;
            wrong.push(fields);
        };
        with(Value::Nil);
        with(Value::Boolean(true));
        with(Value::Double(1.0));
        with(Value::Array(Vec::new()));
        with(Value::Okay);
        match &reply[at] {
            Value::Int(number) => {
                with(Value::Int(-7));
                with(Value::Int(1 << 53));
                with(Value::BulkString(number.to_string().into()));
                with(Value::BulkString("9007199254740992".into()));
                with(Value::BulkString("1000000000000000".into()));
                with(Value::BulkString("04503599627370496".into()));
                with(Value::BulkString("word".into()));
            }
            Value::BulkString(text) => {
                with(Value::Int(1));
                with(Value::BulkString(Vec::new()));
                with(Value::BulkString(":".into()));
                with(Value::BulkString(b":\xff".into()));
                with(Value::SimpleString(String::from_utf8_lossy(text).into()));
                let other = if text[0] == b':' {
                    &text[1..]
                } else {
                    b"unheard_of"
                };
                with(Value::BulkString(other.into()));
            }
            other => panic!("{other:?} in a reply"),
        }
    }
    for fields in wrong {
        let answer = read(request, &fields);
        assert!(
            answer.is_err_and(|error| error.is_unreadable()),
            "{fields:?}"
        );
    }
}

#[test]
fn least_used() {
    let accounts = RedisLeastUsed::new("k", &[("a", 2), ("b", 1)], 3);
    let configure = accounts.configure();
    check(
        &configure,
        answer!("configured", 1, NOW_MS, 3, 2),
        Configured::Configured,
    );
    check(
        &configure,
        answer!("same", 1, NOW_MS, 3, 2),
        Configured::Same,
    );
    check(
        &configure,
        answer!("older", 1, NOW_MS, 9),
        Configured::Older { version: 9 },
    );
    let other = Configured::Other {
        upstreams: vec![("a".into(), 65_535), ("c".into(), 0)],
    };
    let reply = answer!("other", 1, NOW_MS, 3, ":a", 65_535, ":c", 0);
    assert_eq!(read(&configure, &reply), Ok(other));
    for half in [&reply[..7], &answer!("other", 1, NOW_MS, 3, ":a", 65_536)] {
        assert!(read(&configure, half).is_err_and(|error| error.is_unreadable()));
    }
    let pick = accounts.pick();
    check(
        &pick,
        answer!("picked", 1, NOW_MS, 3, ":a", 17, 1),
        Picked::Upstream {
            upstream: "a".into(),
            count: 17,
            repeated: true,
            version: 3,
        },
    );
    let all_excluded = Picked::AllExcluded { version: 3 };
    check(&pick, answer!("all_excluded", 1, NOW_MS, 3), all_excluded);
    check(
        &pick,
        answer!("empty", 1, NOW_MS, 4),
        Picked::Empty { version: 4 },
    );
    let record = accounts.record("a", 5);
    check(
        &record,
        answer!("recorded", 1, NOW_MS, 3, 22, 0),
        Recorded::Recorded {
            count: 22,
            repeated: false,
            version: 3,
        },
    );
    let unknown = Recorded::UnknownUpstream { version: 3 };
    check(&record, answer!("unknown_upstream", 1, NOW_MS, 3), unknown);
}

#[test]
fn leases() {
    let leases = RedisLeases::new("k");
    let lease = leases.lease(&[("a", 4)]).id("l");
    let leased = |fence| Leased::Leased {
        lease_id: "l".into(),
        upstream: "a".into(),
        fence,
        expires_ms: 1_700_000_060_000,
        expires_in_ms: 60_000,
        repeated: false,
    };
    let reply = answer!("leased", 1, NOW_MS, 0, ":a", 5, 1_700_000_060_000, 0);
    check(&lease, reply, leased(5));
    // Whole numbers from 2^52 on come as text.
    let reply = answer!(
        "leased",
        1,
        NOW_MS,
        0,
        ":a",
        "4503599627370496",
        1_700_000_060_000,
        0
    );
    assert_eq!(read(&lease, &reply), Ok(leased(1 << 52)));
    let wait = Leased::Wait {
        retry_after_ms: 250,
    };
    check(&lease, answer!("wait", 1, NOW_MS, 0, 250), wait);
    check(&lease, answer!("empty", 1, NOW_MS, 0), Leased::Empty);
    let renew = leases.lease_renew("l");
    let renewed = Renewed::Renewed {
        fence: 5,
        expires_ms: 1_700_000_060_000,
        expires_in_ms: 60_000,
    };
    check(
        &renew,
        answer!("renewed", 1, NOW_MS, 0, 5, 1_700_000_060_000),
        renewed,
    );
    check(&renew, answer!("gone", 1, NOW_MS, 0), Renewed::Gone);
    let release = leases.lease_release("l");
    let released = Released::Released {
        upstream: "a".into(),
    };
    check(&release, answer!("released", 1, NOW_MS, 0, ":a"), released);
    check(&release, answer!("gone", 1, NOW_MS, 0), Released::Gone);
    for other_protocol in [0, 2] {
        let reply = answer!("gone", other_protocol, NOW_MS, 0);
        assert!(read(&release, &reply).is_err());
    }
    // Leases have no version.
    assert!(read(&release, &answer!("gone", 1, NOW_MS, 1)).is_err());
}

#[test]
fn rotations() {
    let shuffle = RedisShuffle::new("k");
    let next = shuffle.next(&["a", "b"]);
    let shuffled = |index| Shuffled::Upstream {
        upstream: "b".into(),
        index,
        repeated: false,
    };
    check(
        &next,
        answer!("picked", 1, NOW_MS, 0, 1, ":b", 0),
        shuffled(Some(1)),
    );
    let not_listed = answer!("picked", 1, NOW_MS, 0, -1, ":b", 0);
    assert_eq!(read(&next, &not_listed), Ok(shuffled(None)));
    let beyond = answer!("picked", 1, NOW_MS, 0, 2, ":b", 0);
    assert!(read(&next, &beyond).is_err_and(|error| error.is_unreadable()));
    check(&next, answer!("empty", 1, NOW_MS, 0), Shuffled::Empty);

    let proxies = RedisNoRepeat::new("k", RepeatBy::Exit, OnlyOne::Wait { gap_ms: 10 });
    let candidate = Candidate {
        upstream: "p",
        exit: None,
        weight: 1,
    };
    let pick = proxies.pick(&[candidate]);
    let different = Different::Upstream {
        upstream: "p".into(),
        index: Some(0),
        repeats: true,
        repeated: false,
    };
    check(
        &pick,
        answer!("picked", 1, NOW_MS, 0, 0, ":p", 1, 0),
        different,
    );
    check(
        &pick,
        answer!("no_different", 1, NOW_MS, 0),
        Different::NoDifferent,
    );
    let wait = Different::Wait { retry_after_ms: 9 };
    check(&pick, answer!("wait", 1, NOW_MS, 0, 9), wait);
    check(&pick, answer!("empty", 1, NOW_MS, 0), Different::Empty);
    let observe = proxies.observe_exit("p", "X");
    check(
        &observe,
        answer!("observed", 1, NOW_MS, 0),
        Observed::Observed,
    );
}

#[test]
fn affinity() {
    let warm = RedisAffinity::new("k", 16_000, 600_000);
    let chain = [Link::from(1), Link::from(2)];
    let recall = warm.recall(&chain);
    let recalled = Recalled::Upstream {
        upstream: "a".into(),
        links: 2,
    };
    check(
        &recall,
        answer!("recalled", 1, NOW_MS, 0, ":a", 2),
        recalled,
    );
    for links in [0, 3] {
        let reply = answer!("recalled", 1, NOW_MS, 0, ":a", links);
        assert!(read(&recall, &reply).is_err_and(|error| error.is_unreadable()));
    }
    check(&recall, answer!("nothing", 1, NOW_MS, 0), Recalled::Nothing);
    let remember = warm.remember(&chain, "a");
    let remembered = Remembered::Remembered { held: 5 };
    check(
        &remember,
        answer!("remembered", 1, NOW_MS, 0, 5),
        remembered,
    );
    check(
        &remember,
        answer!("ignored", 1, NOW_MS, 0),
        Remembered::Ignored,
    );
}

#[test]
fn inspected_facts_are_words_with_numbers_or_texts() {
    let found = read(
        &inspect("k"),
        &answer!(
            "lease",
            1,
            NOW_MS,
            0,
            "fence",
            "4503599627370496",
            "upstream",
            ":a",
            "in_flight",
            3
        ),
    );
    let fact = |word: &str, fact| (word.to_string(), fact);
    let facts = vec![
        fact("fence", Fact::Number(1 << 52)),
        fact("upstream", Fact::Text("a".into())),
        fact("in_flight", Fact::Number(3)),
    ];
    let lease = Inspected::Found {
        family: "lease".into(),
        version: 0,
        now_ms: NOW_MS as u64,
        facts,
    };
    assert_eq!(found, Ok(lease));
    let unknown = read(&inspect("k"), &answer!("unknown", 1, NOW_MS, 0));
    assert_eq!(unknown, Ok(Inspected::Unknown));
    for wrong in [
        answer!("pool", 1, NOW_MS, 0),
        answer!("lease", 1, NOW_MS, 0, "fence"),
        answer!("lease", 1, NOW_MS, 0, "fence", "5"),
        answer!("lease", 1, NOW_MS, 0, "fence", -5),
        answer!("lease", 1, NOW_MS, 0, 5, 5),
        answer!("unknown", 1, NOW_MS, 0, 5),
    ] {
        let answer = read(&inspect("k"), &wrong);
        assert!(
            answer.is_err_and(|error| error.is_unreadable()),
            "{wrong:?}"
        );
    }
}
