//! Memory does not grow with the number of ids that have ever been seen.

use super::calls::{call, run};
use std::time::Instant;
use tests::differential::driver;
use tests::harness::resp::{Answer, Client};
use tests::harness::server::{Kind, Server};

/// Distinct ids: each in one call, or in the calls of its whole life.
fn ids() -> u64 {
    if driver::is_long() {
        1_000_000
    } else {
        100_000
    }
}

/// Calls sent at once.
const BATCH: u64 = 1_000;

/// Lets one id after another go by, 100 ms apart, and compares the key after a tenth of them with
/// the key after all.
fn stays_flat(before: &[&str], calls_of: impl Fn(u64, u64) -> Vec<String>) {
    stays_flat_from(ids() / 10, ids(), before, calls_of);
}

/// The same, and compares the key after so many of them.
fn stays_flat_from(
    from: u64,
    ids: u64,
    before: &[&str],
    calls_of: impl Fn(u64, u64) -> Vec<String>,
) {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    for line in before {
        run(&mut client, line);
    }
    for line in calls_of(0, 0).iter().chain(&calls_of(1, 0)) {
        client.ok(&["SCRIPT", "LOAD", &call(line).script.source]);
    }
    let begin = Instant::now();
    let mut sizes = Vec::new();
    let mut calls = 0;
    for first in (0..ids).step_by(BATCH as usize) {
        let lines = (first..first + BATCH).flat_map(|id| calls_of(id, 1_000_000 + 100 * id));
        let commands: Vec<_> = lines.map(|line| call(&line).evalsha(&[b"pool"])).collect();
        calls += commands.len();
        for answer in client.pipeline(&commands) {
            assert!(matches!(answer, Answer::Array(_)), "{answer:?}");
        }
        if first + BATCH == from {
            sizes.push(size(&mut client));
        }
    }
    sizes.push(size(&mut client));
    let [(fields, bytes), (fields_now, bytes_now)] = sizes[..] else {
        panic!("{sizes:?}");
    };
    let name = calls_of(0, 0)[0].split(' ').next().unwrap().to_string();
    println!(
        "{name}: {} ids, {calls} calls in {:?}: HLEN {fields} then {fields_now}, used_memory {bytes} then {bytes_now}",
        ids,
        begin.elapsed(),
    );
    assert!(
        fields_now <= fields + 10,
        "{fields} then {fields_now} fields"
    );
    assert!(
        bytes_now <= bytes + 300_000,
        "{bytes} then {bytes_now} bytes"
    );
}

/// Fields of the key, and bytes of the server.
fn size(client: &mut Client) -> (i64, i64) {
    let fields = client.ok(&["HLEN", "pool"]).int();
    let info = client.ok(&["INFO", "memory"]).text();
    let bytes = info
        .lines()
        .find_map(|line| line.strip_prefix("used_memory:"));
    (fields, bytes.unwrap().parse().unwrap())
}

#[test]
fn takes_with_ids_do_not_pile_up() {
    stays_flat(&[], |id, now| {
        vec![format!(
            "take {now} 0 id-{id} 0 1 keep full 2 rpm bucket 1000 10 1000 tpm window 100000 0 60000 1 1"
        )]
    });
}

#[test]
fn takes_that_are_cancelled_or_settled_do_not_pile_up() {
    stays_flat(&[], |id, now| {
        let mut calls = vec![format!(
            "take {now} 0 id-{id} 60000 1 keep full 1 rpm bucket 1 1 100 1"
        )];
        match id % 3 {
            0 => calls.push(format!("take_cancel {now} 0 id-{id}")),
            1 => calls.push(format!("take_settle {now} 0 id-{id} rpm 0")),
            _ => {}
        }
        calls
    });
}

#[test]
fn leases_released_and_leases_left_to_expire_do_not_pile_up() {
    stays_flat(&[], |id, now| {
        let mut calls = vec![format!("lease {now} 0 id-{id} 1000 fewest 0 a 100 b 100")];
        if id % 2 == 0 {
            calls.push(format!("lease_release {now} 0 id-{id}"));
        }
        calls
    });
}

#[test]
fn leases_of_upstreams_that_come_and_go_do_not_pile_up() {
    stays_flat(&[], |id, now| {
        vec![format!(
            "lease {now} 0 id-{id} 1000 fewest 0 upstream-{id} 1"
        )]
    });
}

#[test]
fn picks_of_the_least_used_do_not_pile_up() {
    stays_flat(
        &["configure_least_used 1 0 1 floor 60000 5 a 1 b 1"],
        |id, now| {
            vec![
                format!("pick_least_used {now} 0 id-{id}"),
                format!("record_least_used {now} 0 id-{id} a 1"),
            ]
        },
    );
}

#[test]
fn lists_whose_upstreams_come_and_go_do_not_pile_up() {
    // Each call goes through all that are known, 2,048 in the end.
    stays_flat_from(3_000, 5_000, &[], |id, now| {
        vec![format!(
            "configure_least_used {now} 0 {id} floor 60000 5 a 1 upstream-{id} 1"
        )]
    });
}

#[test]
fn passes_of_a_shuffle_do_not_pile_up() {
    stays_flat(&[], |id, now| {
        vec![format!(
            "next_shuffle {now} 0 id-{id} 60000 free {id} a b c"
        )]
    });
}

#[test]
fn picks_without_repeats_do_not_pile_up() {
    stays_flat(&[], |id, now| {
        vec![
            format!("observe_exit {now} 0 60000 upstream-{id} exit-{id}"),
            format!("pick_no_repeat {now} 0 id-{id} 60000 exit reuse 0 {id} a x 1 b y 1"),
        ]
    });
}

#[test]
fn links_do_not_pile_up() {
    stays_flat(&[], |id, now| {
        vec![format!("remember {now} 0 1000 60000 a {id:016x}")]
    });
}

#[test]
fn links_that_have_expired_go_before_the_memory_is_full() {
    stays_flat(&[], |id, now| {
        vec![format!("remember {now} 0 1000000 1000 a {id:016x}")]
    });
}
