//! The golden vectors, played to the scripts: what every implementation must answer.
//!
//! All instants are later by `SHIFT_MS`, since 0 stands for the server's clock.

mod leases;
mod limits;
mod links;
mod rotation;
mod used;

use crate::vectors::fields::Fields;
use crate::vectors::{Subject, hold, no_row};
use serde_json::Value;
use std::sync::atomic::{AtomicU32, Ordering};
use tests::differential::Reply;
use tests::harness::resp::Client;
use tests::harness::scripts::named;
use tests::harness::server::{Kind, Server};

const SHIFT_MS: u64 = 1_000_000;

/// One key, and what runs scripts on it.
struct Key {
    client: Client,
    name: String,
}

impl Key {
    fn fresh(server: &Server) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        Self {
            client: server.client(),
            name: format!("pool:{}", MADE.fetch_add(1, Ordering::Relaxed)),
        }
    }

    /// Runs a script with these arguments behind the instant and no deadline.
    fn ask<A: AsRef<str>>(&mut self, script: &str, at_ms: u64, args: &[A]) -> Told {
        self.try_ask(script, at_ms, args)
            .unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// The same, or the text of an error.
    fn try_ask<A: AsRef<str>>(
        &mut self,
        script: &str,
        at_ms: u64,
        args: &[A],
    ) -> Result<Told, String> {
        let now_ms = (at_ms + SHIFT_MS).to_string();
        let mut all: Vec<&str> = vec![&now_ms, "0"];
        all.extend(args.iter().map(AsRef::as_ref));
        let key = self.name.as_bytes();
        self.client
            .evaluate(named(script), &[key], &all)
            .flat()
            .map(Told)
    }
}

impl Key {
    /// What `inspect` says behind a word, if it says so.
    fn fact(&mut self, word: &str, at_ms: u64) -> Option<u64> {
        let told = self.ask::<&str>("inspect", at_ms, &[]);
        let at = (4..told.0.len()).step_by(2).find(|at| told.is(*at, word))?;
        Some(told.whole(at + 1))
    }

    /// The same of one upstream or limit: behind its name.
    fn fact_of(&mut self, word: &str, kind: &str, name: &str, at_ms: u64) -> Option<u64> {
        let told = self.ask::<&str>("inspect", at_ms, &[]);
        let name = format!(":{name}");
        let mut facts = (4..told.0.len()).step_by(2);
        facts.find(|at| told.is(*at, kind) && told.is(at + 1, &name))?;
        let at = facts.find(|at| told.is(*at, word))?;
        Some(told.whole(at + 1))
    }
}

/// A reply.
struct Told(Vec<Reply>);

impl Told {
    /// Whether this text stands at a place.
    fn is(&self, at: usize, text: &str) -> bool {
        self.0[at] == Reply::Bytes(text.into())
    }

    fn word(&self) -> &str {
        self.text(0)
    }

    fn text(&self, at: usize) -> &str {
        match &self.0[at] {
            Reply::Bytes(text) => std::str::from_utf8(text).unwrap(),
            Reply::Int(_) => panic!("{:?}", self.0),
        }
    }

    /// The name at a place, which a colon stands before.
    fn name(&self, at: usize) -> &str {
        self.text(at)
            .strip_prefix(':')
            .expect("a name begins with a colon")
    }

    /// The whole number at a place, which is written as text from 2^52 on.
    fn whole(&self, at: usize) -> u64 {
        match &self.0[at] {
            Reply::Int(n) => (*n).try_into().unwrap(),
            Reply::Bytes(_) => self.text(at).parse().unwrap(),
        }
    }

    /// The instant at a place, as the vectors have it.
    fn instant(&self, at: usize) -> u64 {
        self.whole(at) - SHIFT_MS
    }
}

/// Plays a file's scenarios on each server.
fn play(
    file: &str,
    at_least: usize,
    concerns: fn(&Value) -> bool,
    make: fn(&mut Fields, Key) -> Subject,
) {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let make = |new: &mut Fields| make(new, Key::fresh(&server));
        hold(file, at_least, concerns, no_row, &make);
    }
}

fn is_scenario(case: &Value) -> bool {
    case.get("steps").is_some()
}

fn is_of_scripts(case: &Value) -> bool {
    let rotation = &case["new"]["rotation"];
    rotation == "shuffle" || rotation == "no_repeat"
}

#[test]
fn affinity_holds_in_redis() {
    play("affinity.json", 468, is_scenario, links::make);
}

#[test]
fn bucket_holds_in_redis() {
    play("bucket.json", 589, is_scenario, limits::make_one);
}

#[test]
fn lease_holds_in_redis() {
    play("lease.json", 434, is_scenario, leases::make);
}

#[test]
fn least_used_holds_in_redis() {
    play("least_used.json", 878, is_scenario, used::make);
}

#[test]
fn limits_hold_in_redis() {
    play("limits.json", 1119, is_scenario, limits::make);
}

#[test]
fn rotation_holds_in_redis() {
    play("rotation.json", 400, is_of_scripts, rotation::make);
}

#[test]
fn window_holds_in_redis() {
    play("window.json", 710, is_scenario, limits::make_one);
}
