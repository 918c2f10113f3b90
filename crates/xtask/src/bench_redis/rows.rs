//! What is measured, as a caller would send it.

use super::load::ID;

/// A line of the table: calls that are made one after the other.
pub struct Row {
    pub name: &'static str,
    /// What it may cost beside `return 1`; a row that is only shown has none.
    pub bounds: Option<Bounds>,
    /// What must have happened before, once.
    pub first: Vec<Call>,
    pub calls: Vec<Call>,
}

/// What a row should cost, what it must not, and beyond what the chore fails.
#[derive(Clone, Copy)]
pub struct Bounds {
    pub target: f64,
    pub gate: f64,
    pub most: f64,
}

/// A quarter above the gate is what noise a shared machine may leave in a median.
fn within(target: f64, gate: f64) -> Bounds {
    missed(target, gate, 1.25 * gate)
}

/// The gate is missed, by more than noise on some processors; why is in DESIGN.md ("What does a call
/// cost?"). It must not become worse.
const fn missed(target: f64, gate: f64, most: f64) -> Bounds {
    Bounds { target, gate, most }
}

/// A call of one of our scripts, and the first word of its reply.
pub struct Call {
    pub script: &'static str,
    pub key: &'static str,
    pub args: Vec<String>,
    pub word: &'static str,
}

impl Call {
    /// By the server's clock.
    fn new(script: &'static str, key: &'static str, args: &[&str], word: &'static str) -> Self {
        let call = Self::at(0, script, args, word);
        Self { key, ..call }
    }

    /// At an instant, without a deadline.
    pub fn at(now_ms: u64, script: &'static str, args: &[&str], word: &'static str) -> Self {
        let now_ms = now_ms.to_string();
        let head = [now_ms.as_str(), "0"].into_iter();
        let args = head.chain(args.iter().copied()).map(String::from).collect();
        Self {
            script,
            key: "worst",
            args,
            word,
        }
    }
}

const REQUESTS: &str = "requests bucket 1000000000 100000000 60000";
const TOKENS: &str = "tokens bucket 8000000000 900000000 60000";
const DAILY: &str = "daily bucket 1000000000 100000000000 86400000";
const WINDOW: &str = "daily window 9000000000 0 86400000";
const NARROW: &str = "requests bucket 10 1 86400000";

/// Every row of ours.
pub fn ours() -> Vec<Row> {
    let mut rows = takes();
    rows.extend(refusals());
    for (name, members, bounds) in [
        ("pick_least_used, 7 upstreams", 7, Some(within(4.5, 6.0))),
        ("pick_least_used, 16 upstreams", 16, None),
    ] {
        rows.push(picks(name, members, "", bounds));
    }
    rows.push(picks("pick_least_used, 7, with an id", 7, ID, None));
    for (name, upstreams, bounds) in [
        (
            "lease + lease_release, 4 upstreams",
            4,
            Some(missed(10.0, 13.0, 20.0)),
        ),
        ("lease + lease_release, 8 upstreams", 8, None),
        ("lease + lease_release, 16 upstreams", 16, None),
    ] {
        rows.push(leases(name, upstreams, bounds));
    }
    rows
}

fn takes() -> Vec<Row> {
    let three = [REQUESTS, TOKENS, DAILY];
    let row = |name, id, limits: &[&str], bounds| {
        let call = take("granted", name, id, limits);
        Row {
            name,
            bounds,
            first: Vec::new(),
            calls: vec![call],
        }
    };
    vec![
        row(
            "take, one bucket",
            "",
            &[REQUESTS],
            Some(missed(4.0, 5.0, 8.5)),
        ),
        row(
            "take, with an id",
            ID,
            &[REQUESTS],
            Some(missed(6.0, 8.0, 12.0)),
        ),
        row(
            "take, three buckets",
            "",
            &three,
            Some(missed(5.0, 7.0, 10.5)),
        ),
        row("take, three with an id", ID, &three, None),
        row("take, a bucket and a window", "", &[REQUESTS, WINDOW], None),
    ]
}

fn refusals() -> Vec<Row> {
    let row = |name, id| Row {
        name,
        bounds: None,
        first: (0..10)
            .map(|_| take("granted", name, "", &[NARROW]))
            .collect(),
        calls: vec![take("wait", name, id, &[NARROW])],
    };
    vec![
        row("take, refused", ""),
        row("take, refused, with an id", ID),
    ]
}

fn take(word: &'static str, key: &'static str, id: &str, limits: &[&str]) -> Call {
    let count = limits.len().to_string();
    let mut args = vec![id, "0", "1", "keep", "full", &count];
    args.extend(limits.iter().flat_map(|limit| limit.split(' ')));
    args.extend(limits.iter().map(|_| "1"));
    Call::new("take", key, &args, word)
}

/// Names of upstreams.
pub fn names(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("account-{at}")).collect()
}

fn picks(name: &'static str, members: usize, id: &str, bounds: Option<Bounds>) -> Row {
    let names = names(members);
    let mut configure = vec!["1", "floor", "3600000", "5"];
    configure.extend(names.iter().flat_map(|name| [name.as_str(), "1"]));
    Row {
        name,
        bounds,
        first: vec![Call::new(
            "configure_least_used",
            name,
            &configure,
            "configured",
        )],
        calls: vec![Call::new("pick_least_used", name, &[id], "picked")],
    }
}

/// Four live leases an upstream all along, one more taken and given back.
fn leases(name: &'static str, upstreams: usize, bounds: Option<Bounds>) -> Row {
    let names = names(upstreams);
    let lease = |id: &str, ttl_ms: &str| {
        let mut args = vec![id, ttl_ms, "fewest", "5"];
        args.extend(names.iter().flat_map(|name| [name.as_str(), "10"]));
        Call::new("lease", name, &args, "leased")
    };
    let id = format!("lease-{ID}");
    let release = Call::new("lease_release", name, &[&id], "released");
    Row {
        name,
        bounds,
        first: (0..4 * upstreams)
            .map(|at| lease(&format!("held-{at}"), "3600000"))
            .collect(),
        calls: vec![lease(&id, "60000"), release],
    }
}
