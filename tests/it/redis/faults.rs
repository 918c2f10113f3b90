//! What happens to a server in the middle of load: the next call works again.

use super::calls::{Call, KEY, call, prepare, run, traces};
use super::outcomes::rows;
use super::table::VALID;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use tests::differential::Reply;
use tests::harness::resp::{Answer, Client, encoded};
use tests::harness::server::{Kind, Server, until};
use tests::reply;

const CONFIGURE: &str = "configure_least_used 0 0 1 floor 60000 5 a 1 b 1 c 1";

/// A worker that does what the README tells people to: EVALSHA, on NOSCRIPT one EVAL; a call whose
/// reply did not come is repeated with its id; a pool that is not known is configured anew.
struct Worker {
    address: SocketAddr,
    client: Option<Client>,
}

impl Worker {
    fn of(server: &Server) -> Self {
        Self {
            address: server.address(),
            client: None,
        }
    }

    /// The reply, however often it takes.
    fn run(&mut self, call: &Call) -> Vec<Reply> {
        until("a reply", || self.try_run(call))
    }

    fn try_run(&mut self, call: &Call) -> Option<Vec<Reply>> {
        if self.client.is_none() {
            self.client = Client::try_connect(self.address).ok();
        }
        let client = self.client.as_mut()?;
        let mut answer = client.try_command(&call.evalsha(&[KEY]));
        if let Ok(refused) = &answer {
            if refused
                .error()
                .is_some_and(|text| text.starts_with("NOSCRIPT"))
            {
                answer = client.try_command(&call.eval(&[KEY]));
            }
        }
        let Ok(answer) = answer else {
            self.client = None;
            return None;
        };
        match answer.error() {
            // The server has just begun.
            Some(text) if text.starts_with("LOADING") => None,
            Some(text) => panic!("{}: {text}", call.script.name),
            None => Some(answer.flat().unwrap()),
        }
    }
}

/// The first word of a reply.
fn word(reply: &[Reply]) -> &[u8] {
    match &reply[0] {
        Reply::Bytes(word) => word,
        Reply::Int(_) => panic!("{reply:?}"),
    }
}

/// Four workers pick until the faults are over. Returns what was picked how often.
fn picks_under(server: &Server, faults: impl FnOnce(&AtomicUsize)) -> BTreeMap<String, usize> {
    Worker::of(server).run(&call(CONFIGURE));
    let is_over = AtomicBool::new(false);
    let picks = AtomicUsize::new(0);
    let mut counts = BTreeMap::new();
    thread::scope(|scope| {
        let worker = |number: usize| {
            let mut worker = Worker::of(server);
            let mut picked: Vec<String> = Vec::new();
            while !is_over.load(Ordering::SeqCst) {
                let reply = worker.run(&call(&format!(
                    "pick_least_used 0 0 {number}-{}",
                    picked.len()
                )));
                if word(&reply) == b"unknown" {
                    let configured = worker.run(&call(CONFIGURE));
                    assert!([&b"configured"[..], b"same"].contains(&word(&configured)));
                    continue;
                }
                assert_eq!(word(&reply), b"picked", "{reply:?}");
                let Reply::Bytes(upstream) = &reply[4] else {
                    panic!("{reply:?}")
                };
                picked.push(String::from_utf8_lossy(upstream).into_owned());
                picks.fetch_add(1, Ordering::SeqCst);
            }
            picked
        };
        let workers: Vec<_> = (0..4)
            .map(|number| scope.spawn(move || worker(number)))
            .collect();
        faults(&picks);
        wait_for_more(&picks);
        is_over.store(true, Ordering::SeqCst);
        for upstream in workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
        {
            *counts.entry(upstream).or_default() += 1;
        }
    });
    println!("{counts:?}");
    counts
}

/// Waits until 200 more picks are done.
fn wait_for_more(picks: &AtomicUsize) {
    let before = picks.load(Ordering::SeqCst);
    until("200 more picks", || {
        (picks.load(Ordering::SeqCst) >= before + 200).then_some(())
    });
}

fn assert_equal(counts: &BTreeMap<String, usize>) {
    let (least, most) = (
        counts.values().min().unwrap(),
        counts.values().max().unwrap(),
    );
    assert!(counts.len() == 3 && most - least <= 1, "{counts:?}");
}

#[test]
fn scripts_that_are_flushed_in_the_middle_of_load_are_sent_again() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let counts = picks_under(&server, |picks| {
            let mut other = server.client();
            for _ in 0..10 {
                wait_for_more(picks);
                other.ok(&["SCRIPT", "FLUSH"]);
            }
        });
        assert_equal(&counts);
    }
}

/// From 7.4 on, a server drops all but the last 500 of the scripts that came by EVAL.
#[test]
fn six_hundred_scripts_of_others_change_nothing() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let counts = picks_under(&server, |picks| {
            let mut other = server.client();
            for number in 0..600 {
                if number % 100 == 0 {
                    wait_for_more(picks);
                }
                other.ok(&["EVAL", &format!("return {number}"), "0"]);
            }
        });
        assert_equal(&counts);
        let info = server.client().ok(&["INFO", "memory"]).text();
        let cached = info
            .lines()
            .find(|line| line.starts_with("number_of_cached_scripts"));
        println!("{kind:?}: {}", cached.unwrap());
    }
}

#[test]
fn a_server_that_lost_everything_is_configured_anew() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let counts = picks_under(&server, |picks| {
            let mut other = server.client();
            for _ in 0..5 {
                wait_for_more(picks);
                other.ok(&["FLUSHALL"]);
            }
        });
        // Each time it starts from nothing: as many first rounds that may have been cut short.
        let (least, most) = (
            counts.values().min().unwrap(),
            counts.values().max().unwrap(),
        );
        assert!(counts.len() == 3 && most - least <= 6, "{counts:?}");
    }
}

#[test]
fn a_server_that_is_killed_and_started_again_serves_on() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let counts = picks_under(&server, |picks| {
            for _ in 0..3 {
                wait_for_more(picks);
                server.kill();
                server.start_again();
            }
        });
        // Four lives, and in each of the four workers' hands a reply that was lost.
        let (least, most) = (
            counts.values().min().unwrap(),
            counts.values().max().unwrap(),
        );
        assert!(counts.len() == 3 && most - least <= 4 + 12, "{counts:?}");
    }
}

/// Somebody else's script that never ends holds up everybody, but nobody takes that for an answer.
#[test]
fn a_busy_server_refuses_and_serves_again_once_the_script_is_killed() {
    for kind in Kind::ALL {
        let server = Server::start_with(kind, &["--lua-time-limit", "5"], &[]);
        let take = call("take 0 0 id-1 0 1 keep full 1 rpm bucket 1 1 60000 1");
        let mut endless = server.client();
        let forever = ["EVAL", "while true do end", "0"];
        endless.send(&encoded(&forever)).unwrap();
        let mut client = server.client();
        let refused = until("a busy server", || {
            let answer = client.command(&take.eval(&[KEY]));
            answer.error().map(str::to_string)
        });
        assert!(refused.starts_with("BUSY "), "{kind:?}: {refused}");
        client.ok(&["SCRIPT", "KILL"]);
        assert!(endless.receive().unwrap().error().is_some());
        let granted = take.run(&mut client).flat().unwrap();
        assert_eq!(granted[4..], reply![0, 0, 0], "{kind:?}: {granted:?}");
    }
}

/// A replica has the data, but what must be written down is refused there.
#[test]
fn a_replica_grants_nothing() {
    for kind in Kind::ALL {
        let primary = Server::start(kind);
        let replica = Server::replica_of(&primary);
        let (mut writer, mut client) = (primary.client(), replica.client());
        for row in rows().filter(|row| row.writes) {
            prepare(&mut writer, row.before);
            assert_eq!(writer.ok(&["WAIT", "1", "10000"]), Answer::Int(1));
            let before = traces(&mut client);
            let answer = call(row.call).run(&mut client);
            let error = answer.error().unwrap_or_default();
            let what = format!("{kind:?}: {} {answer:?}", row.call);
            // 6.2 puts words of its own in front.
            assert!(error.contains("READONLY "), "{what}");
            assert_eq!(traces(&mut client), before, "{what}");
        }
    }
}

/// The effects go there, not the scripts, which would ask another clock.
#[test]
fn a_replica_holds_what_its_primary_holds() {
    for kind in Kind::ALL {
        let primary = Server::start(kind);
        let replica = Server::replica_of(&primary);
        let mut clients = [primary.client(), replica.client()];
        for row in VALID {
            prepare(&mut clients[0], row.before);
            row.call().run(&mut clients[0]);
            assert_eq!(clients[0].ok(&["WAIT", "1", "10000"]), Answer::Int(1));
            let [first, second] = [0, 1].map(|at| {
                let held = traces(&mut clients[at]).0;
                (held, clients[at].ok(&["PTTL", "pool"]).int())
            });
            assert_eq!(first.0, second.0, "{kind:?}: {}", row.script);
            assert!(
                second.1 > 0 && (first.1 - second.1).abs() < 1_000,
                "{kind:?}: {}",
                row.script
            );
        }
    }
}

#[test]
fn the_fence_goes_on_rising_when_all_data_is_lost() {
    let server = Server::start(Kind::Redis7);
    let fence = || {
        let leased = run(&mut server.client(), "lease 0 0 id-1 60000 first 0 a 1");
        leased.array()[5].int()
    };
    let before = fence();
    server.start_again();
    let after = fence();
    assert!(after > before, "{before} then {after}");
}
