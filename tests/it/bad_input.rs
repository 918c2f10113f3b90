//! Every argument that cannot be used is named, with its value and its bound: `bad-input.json`,
//! which JavaScript's tests read too.

use pointsman::{
    AffinityTable, Boundary, Candidate, Choice, Error, Join, LeaseCandidate, Leases, LeastUsed,
    Limit, Limits, Link, NoRepeat, OnlyOne, RepeatBy, Shuffle, Start, TokenBucket, Upstreams,
    WindowLimit, chain, order, pick, random, weighted_random,
};
use serde_json::Value;

/// The arguments of a call, by name.
struct Args<'a>(&'a Value);

impl Args<'_> {
    fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some()
    }

    fn number(&self, name: &str) -> u64 {
        self.number_or(name, None)
    }

    fn number_or(&self, name: &str, default: Option<u64>) -> u64 {
        (self.0.get(name).and_then(Value::as_u64).or(default))
            .unwrap_or_else(|| panic!("a number {name} in {}", self.0))
    }

    fn text(&self, name: &str) -> String {
        text(&self.0[name])
    }

    fn texts(&self, name: &str) -> Vec<String> {
        let value = &self.0[name];
        if let Some(list) = value.get("list").and_then(Value::as_str) {
            let count = value["count"].as_u64().unwrap();
            return (0..count).map(|at| format!("{list}{at}")).collect();
        }
        value.as_array().unwrap().iter().map(text).collect()
    }

    fn numbers(&self, name: &str) -> Vec<u64> {
        let numbers = self.0[name].as_array().unwrap();
        numbers
            .iter()
            .map(|number| number.as_u64().unwrap())
            .collect()
    }

    fn weights(&self, name: &str) -> Vec<u32> {
        (self.numbers(name).into_iter())
            .map(|weight| u32::try_from(weight).unwrap())
            .collect()
    }

    fn links(&self) -> Result<Vec<Link>, Error> {
        self.texts("links")
            .iter()
            .map(|link| link.parse())
            .collect()
    }

    fn each(&self, name: &str) -> impl Iterator<Item = Args<'_>> {
        self.0[name].as_array().unwrap().iter().map(Args)
    }
}

fn text(value: &Value) -> String {
    if let Some(repeat) = value.get("repeat").and_then(Value::as_str) {
        return repeat.repeat(usize::try_from(value["times"].as_u64().unwrap()).unwrap());
    }
    value
        .as_str()
        .unwrap_or_else(|| panic!("a text: {value}"))
        .to_string()
}

/// Makes a call whose arguments are bad. What is made before it must be good; what it is made on
/// must be unchanged after it.
fn call(name: &str, args: &Args<'_>) -> Result<(), Error> {
    match name {
        "pick" => pick(args.text("key"), &args.texts("upstreams")).map(drop),
        "order" => order(args.text("key"), &args.texts("upstreams")).map(drop),
        "chain" => chain(&args.texts("entries")).map(drop),
        "random" => random(args.texts("upstreams").len(), args.number("draw")).map(drop),
        "weighted_random" => {
            weighted_random(&args.weights("weights"), args.number("draw")).map(drop)
        }
        "shuffle" => unchanged(Shuffle::new(Boundary::Free), |shuffle| {
            shuffle
                .next(&args.texts("upstreams"), args.number("draw"))
                .map(drop)
        }),
        _ if name.starts_with("upstreams") => call_upstreams(name, args),
        "affinity" | "recall" | "remember" => call_affinity(name, args),
        "no_repeat" | "observe" => call_no_repeat(name, args),
        _ if name.starts_with("least_used") => call_least_used(name, args),
        _ if name.starts_with("bucket") || name.starts_with("window") => call_limit(name, args),
        "limits" => call_limits(args),
        _ => call_leases(name, args),
    }
}

fn unchanged<T: Clone + PartialEq + std::fmt::Debug>(
    mut object: T,
    call: impl FnOnce(&mut T) -> Result<(), Error>,
) -> Result<(), Error> {
    let before = object.clone();
    let outcome = call(&mut object);
    assert_eq!(object, before, "a refused call changed it");
    outcome
}

fn call_upstreams(name: &str, args: &Args<'_>) -> Result<(), Error> {
    let names = args.texts("upstreams");
    let upstreams = match args.has("weights") {
        true => Upstreams::with_weights(&names, &args.weights("weights"))?,
        false => Upstreams::new(&names)?,
    };
    match name {
        "upstreams_pick" => upstreams.pick(args.text("key")).map(drop),
        "upstreams_without" => upstreams.without(&args.text("name")).map(drop),
        "upstreams_with" => {
            let weight = u32::try_from(args.number("weight")).unwrap();
            upstreams.with(&args.text("name"), weight).map(drop)
        }
        _ => Ok(()),
    }
}

fn call_affinity(name: &str, args: &Args<'_>) -> Result<(), Error> {
    let max_links = usize::try_from(args.number("max_links")).unwrap();
    let table = AffinityTable::new(max_links, args.number("ttl_ms"))?;
    unchanged(table, |table| match name {
        "recall" => table
            .recall(&args.links()?, args.number("now_ms"))
            .map(drop),
        "remember" => table.remember(
            &args.links()?,
            &args.text("upstream"),
            args.number("now_ms"),
        ),
        _ => Ok(()),
    })
}

fn call_no_repeat(name: &str, args: &Args<'_>) -> Result<(), Error> {
    let only_one = match args.has("gap_ms") {
        true => OnlyOne::Wait {
            gap_ms: args.number("gap_ms"),
        },
        false => OnlyOne::Fail,
    };
    let rotation = NoRepeat::new(RepeatBy::Upstream, only_one)?;
    if name == "observe" {
        return unchanged(rotation, |rotation| {
            rotation.observe(&args.text("upstream"), &args.text("exit"))
        });
    }
    let given: Vec<_> = (args.each("candidates"))
        .map(|one| {
            let exit = one.has("exit").then(|| one.text("exit"));
            let weight = u32::try_from(one.number_or("weight", Some(1))).unwrap();
            (one.text("upstream"), exit, weight)
        })
        .collect();
    let candidates: Vec<_> = (given.iter())
        .map(|(upstream, exit, weight)| Candidate {
            upstream,
            exit: exit.as_deref(),
            weight: *weight,
        })
        .collect();
    unchanged(rotation, |rotation| {
        (rotation.next(&candidates, args.number("draw"), args.number("now_ms"))).map(drop)
    })
}

fn call_least_used(name: &str, args: &Args<'_>) -> Result<(), Error> {
    let mut table = LeastUsed::new(args.number("draw"))?;
    for upstream in args.texts("upstreams") {
        table.add(&upstream, 1, Join::Floor)?;
    }
    unchanged(table, |table| match name {
        "least_used_add" => {
            let weight = u32::try_from(args.number("weight")).unwrap();
            table.add(&args.text("upstream"), weight, Join::Floor)
        }
        "least_used_record" => table
            .record(&args.text("upstream"), args.number("times"))
            .map(drop),
        _ => Ok(()),
    })
}

fn call_limit(name: &str, args: &Args<'_>) -> Result<(), Error> {
    let capacity = args.number("capacity");
    let reserve = || (args.number("cost"), args.number("now_ms"));
    let max_wait_ms = args.number_or("max_wait_ms", Some(0));
    if name.starts_with("window") {
        let window = WindowLimit::new(capacity, args.number("window_ms"))?;
        return unchanged(window, |window| match name {
            "window_take" => window
                .reserve(reserve().0, max_wait_ms, reserve().1)
                .map(drop),
            _ => Ok(()),
        });
    }
    let (refill, period_ms) = (args.number("refill"), args.number("period_ms"));
    let bucket = TokenBucket::new(capacity, refill, period_ms, Start::Full)?;
    unchanged(bucket, |bucket| match name {
        "bucket_take" => bucket
            .reserve(reserve().0, max_wait_ms, reserve().1)
            .map(drop),
        _ => Ok(()),
    })
}

fn call_limits(args: &Args<'_>) -> Result<(), Error> {
    let one = Limit::Window(WindowLimit::new(10, 1_000)?);
    let limits = vec![one; usize::try_from(args.number("limits")).unwrap()];
    unchanged(Limits::new(limits)?, |limits| {
        limits.take(&args.numbers("costs"), 0).map(drop)
    })
}

fn call_leases(name: &str, args: &Args<'_>) -> Result<(), Error> {
    let leases = Leases::new(args.number_or("draw", Some(0)))?;
    let now_ms = || args.number("now_ms");
    unchanged(leases, |leases| match name {
        "leases" => Ok(()),
        "acquire" => {
            let names: Vec<_> = args
                .each("candidates")
                .map(|one| one.text("upstream"))
                .collect();
            let caps = args
                .each("candidates")
                .map(|one| one.number("max_in_flight"));
            let candidates: Vec<_> = (names.iter().zip(caps))
                .map(|(upstream, cap)| LeaseCandidate {
                    upstream,
                    max_in_flight: u32::try_from(cap).unwrap(),
                })
                .collect();
            let (lease_id, ttl_ms) = (args.text("lease_id"), args.number("ttl_ms"));
            let choice = Choice::Fewest;
            (leases.acquire(&candidates, choice, &lease_id, ttl_ms, now_ms())).map(drop)
        }
        "renew" => {
            let (lease_id, ttl_ms) = (args.text("lease_id"), args.number("ttl_ms"));
            leases.renew(&lease_id, ttl_ms, now_ms()).map(drop)
        }
        "release" => leases.release(&args.text("lease_id"), now_ms()).map(drop),
        "in_flight" => leases.in_flight(&args.text("upstream"), now_ms()).map(drop),
        unknown => panic!("no such call: {unknown}"),
    })
}

#[test]
fn every_bad_argument_is_named_with_its_value_and_its_bound() {
    let table: Value = serde_json::from_str(include_str!("../bad-input.json")).unwrap();
    let cases = table["cases"].as_array().unwrap();
    assert!(cases.len() >= 86, "{} cases", cases.len());
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let outcome = call(case["call"].as_str().unwrap(), &Args(&case["args"]));
        let Err(error) = outcome else {
            panic!("{name}: it was accepted");
        };
        let expected = &case["error"];
        assert_eq!(error.argument(), expected["argument"], "{name}");
        assert_eq!(error.value(), expected["value"], "{name}");
        assert_eq!(error.bound(), expected["bound"], "{name}");
    }
}
