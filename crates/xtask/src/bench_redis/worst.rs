//! The longest single calls there are: nobody else is served while one runs.

use super::rows::{Call, names};

/// An instant, since nothing here may wait for a clock.
const NOW_MS: u64 = 1_700_000_000_000;

const MINUTE_MS: u64 = 60_000;

/// A call, and what stood in its key before.
pub struct Worst {
    pub name: &'static str,
    pub before: Vec<Call>,
    pub call: Call,
}

/// Every one of them.
pub fn all() -> Vec<Worst> {
    let mut all = leases();
    all.extend(takes());
    all.extend(links());
    all.extend(lists());
    all
}

fn leases() -> Vec<Worst> {
    let upstreams = names(1_024);
    let each_one = || {
        let lease =
            |upstream: &String| lease("leased", &format!("held-{upstream}"), &[upstream], 1, 0);
        upstreams.iter().map(lease).collect::<Vec<_>>()
    };
    let one = names(1);
    let held = |at| lease("leased", &format!("held-{at}"), &[&one[0]], 1_000, 0);
    let of_one = || (0..1_000).map(held).collect();
    let everyone: Vec<&String> = upstreams.iter().collect();
    vec![
        Worst {
            name: "lease, 1,000 leases of one upstream expire",
            before: of_one(),
            call: lease("leased", "new", &[&one[0]], 1_000, 2 * MINUTE_MS),
        },
        Worst {
            name: "lease, the 1,000th of one upstream",
            before: (0..999).map(held).collect(),
            call: lease("leased", "new", &[&one[0]], 1_000, 1),
        },
        Worst {
            name: "lease_release, one of 1,000 of one upstream",
            before: of_one(),
            call: Call::at(NOW_MS, "lease_release", &["held-500"], "released"),
        },
        Worst {
            name: "lease, 1,024 candidates, all full",
            before: each_one(),
            call: lease("wait", "new", &everyone, 1, 1),
        },
        Worst {
            name: "lease, 1,024 candidates with an expired lease each",
            before: each_one(),
            call: lease("leased", "new", &everyone, 1, 2 * MINUTE_MS),
        },
        Worst {
            name: "inspect, 1,024 leases",
            before: each_one(),
            call: inspect("lease"),
        },
    ]
}

fn lease(word: &'static str, id: &str, upstreams: &[&String], most: u32, later_ms: u64) -> Call {
    let (ttl_ms, most) = (MINUTE_MS.to_string(), most.to_string());
    let mut args = vec![id, &ttl_ms, "fewest", "0"];
    args.extend(
        upstreams
            .iter()
            .flat_map(|upstream| [upstream.as_str(), &most]),
    );
    Call::at(NOW_MS + later_ms, "lease", &args, word)
}

fn takes() -> Vec<Worst> {
    let booked = || (0..3_000).map(|at| book(at, 0)).collect::<Vec<_>>();
    vec![
        Worst {
            name: "take, a booking behind 3,000",
            before: booked(),
            call: book(3_000, 0),
        },
        Worst {
            name: "take, 3,000 bookings have started",
            before: booked(),
            call: book(3_000, 4_000_000),
        },
        Worst {
            name: "take_cancel, one of 3,000 bookings",
            before: booked(),
            call: Call::at(NOW_MS, "take_cancel", &["booked-1500"], "returned"),
        },
        Worst {
            name: "inspect, 3,000 bookings",
            before: booked(),
            call: inspect("take"),
        },
    ]
}

/// A token a second, and each take wants one.
fn book(at: u64, later_ms: u64) -> Call {
    let (id, most_ms) = (format!("booked-{at}"), "100000000");
    let rule = ["requests", "bucket", "1", "1", "1000", "1"];
    let mut args = vec![id.as_str(), most_ms, "1", "keep", "full", "1"];
    args.extend(rule);
    Call::at(NOW_MS + later_ms, "take", &args, "granted")
}

fn links() -> Vec<Worst> {
    let link = |at: usize| format!("{at:016x}");
    let remembered = || {
        let remember = |at| {
            let args = ["1000", "60000", "account-1", &link(at)];
            Call::at(NOW_MS, "remember", &args, "remembered")
        };
        (0..1_000).map(remember).collect::<Vec<_>>()
    };
    // Only the first link is known, and it is looked at last.
    let recall = |count: usize| {
        let chain: Vec<String> = std::iter::once(0)
            .chain(1_000..999 + count)
            .map(link)
            .collect();
        let args = std::iter::once("60000").chain(chain.iter().map(String::as_str));
        Call::at(NOW_MS, "recall", &args.collect::<Vec<_>>(), "recalled")
    };
    let late = ["1", "60000", "account-1", &link(1_000)];
    vec![
        Worst {
            name: "recall, a chain of 1,000 links",
            before: remembered(),
            call: recall(1_000),
        },
        Worst {
            name: "recall, a chain of 65,535 links",
            before: remembered(),
            call: recall(65_535),
        },
        Worst {
            name: "remember, 100 links go",
            before: remembered(),
            call: Call::at(NOW_MS + 2 * MINUTE_MS, "remember", &late, "remembered"),
        },
        Worst {
            name: "inspect, 1,000 links",
            before: remembered(),
            call: inspect("links"),
        },
    ]
}

fn lists() -> Vec<Worst> {
    let upstreams = names(1_024);
    let configure = |version: &'static str| {
        let mut args = vec![version, "floor", "3600000", "5"];
        args.extend(upstreams.iter().flat_map(|name| [name.as_str(), version]));
        Call::at(NOW_MS, "configure_least_used", &args, "configured")
    };
    let mut shuffle = vec!["", "3600000", "no_repeat", "5"];
    shuffle.extend(upstreams.iter().map(String::as_str));
    let mut no_repeat = vec!["", "3600000", "upstream", "fail", "0", "5"];
    no_repeat.extend(upstreams.iter().flat_map(|name| [name.as_str(), "", "1"]));
    vec![
        Worst {
            name: "configure_least_used, 1,024 weights change",
            before: vec![configure("1")],
            call: configure("2"),
        },
        Worst {
            name: "pick_least_used, the first of 1,024",
            before: vec![configure("1")],
            call: Call::at(NOW_MS, "pick_least_used", &[""], "picked"),
        },
        Worst {
            name: "inspect, 1,024 counts",
            before: vec![configure("1")],
            call: inspect("used"),
        },
        Worst {
            name: "next_shuffle, 1,024 upstreams",
            before: Vec::new(),
            call: Call::at(NOW_MS, "next_shuffle", &shuffle, "picked"),
        },
        Worst {
            name: "pick_no_repeat, 1,024 upstreams",
            before: Vec::new(),
            call: Call::at(NOW_MS, "pick_no_repeat", &no_repeat, "picked"),
        },
    ]
}

fn inspect(family: &'static str) -> Call {
    Call::at(NOW_MS, "inspect", &[], family)
}
