//! What a call of each script costs the server beside `EVALSHA` of `return 1`, the peers' too.
//!
//! Processor time of the server's main thread (`INFO cpu`), not time on the wall: the machine is
//! shared. A row's cost is divided by that of `return 1` before and after it in the same round, and
//! the table shows the median over all rounds. The load is that of `redis-benchmark -c 50 -P 16`,
//! which itself has no id that is new in each call, nor one that two commands share.

mod load;
mod peers;
mod rows;
mod table;
mod worst;

use crate::command::{Outcome, run as run_program};
use crate::{bundle, read, root, servers, setup, step};
use load::{CONNECTIONS, DEPTH, Driver, Load};
use peers::PeerCall;
use rows::{Bounds, Call};
use std::collections::BTreeMap;
use std::process::Command;
use table::Line;
use tests::harness::resp::evaluation;
use tests::harness::server::{Kind, Server};

/// Calls of a row before it is measured: beyond the 10,000 ids that are kept, where there are ids.
const WARM_UP: usize = 12_000;

/// How long to measure.
struct Effort {
    rounds: usize,
    /// Calls of one row in one round.
    calls: usize,
    /// How often one of the longest calls is made.
    repeats: usize,
}

const QUICK: Effort = Effort {
    rounds: 7,
    calls: 2_400,
    repeats: 5,
};

const FULL: Effort = Effort {
    rounds: 31,
    calls: 4_800,
    repeats: 15,
};

/// A row as it is sent.
struct Prepared {
    name: String,
    bounds: Option<Bounds>,
    load: Load,
}

/// Measures, prints the tables, and fails beyond a gate.
pub fn run(is_quick: bool) -> Outcome<()> {
    setup::node()?;
    bundle::run(true)?;
    servers::install()?;
    let peers = [peers::bare(), peers::recorded()?].concat();
    let server = Server::start(Kind::Redis7);
    let mut driver = Driver::new(|| server.client());
    let scripts = loaded(&mut driver)?;
    let effort = if is_quick { QUICK } else { FULL };
    step(&format!(
        "{} rounds of {} calls a row, {DEPTH} at once over each of {CONNECTIONS} connections, {:?}",
        effort.rounds,
        effort.calls,
        server.kind()
    ));
    let rows = prepared(&mut driver, &scripts, peers)?;
    let lines = measured(&mut driver, &rows, &effort)?;
    let verdict = table::print(&lines);
    step("the longest single calls, on the server's clock");
    print_worst(
        &mut driver,
        &scripts,
        table::floor_us(&lines),
        effort.repeats,
    )?;
    step("one connection of ioredis");
    let mut node = Command::new("node");
    node.arg(root().join("npm/bench/redis-client.mjs"))
        .arg(server.address().port().to_string())
        .arg(effort.calls.to_string());
    run_program(&mut node)?;
    verdict
}

/// The digests of the scripts that are shipped, by name. The server is made to know them.
fn loaded(driver: &mut Driver) -> Outcome<BTreeMap<String, String>> {
    let path = root().join("lua/bundle.json");
    let unreadable = |error| format!("{}: {error}", path.display());
    let bundle: Vec<serde_json::Value> =
        serde_json::from_slice(&read(&path)?).map_err(unreadable)?;
    let text = |script: &serde_json::Value, name: &str| script[name].as_str().map(String::from);
    let named = |script: &serde_json::Value| Some((text(script, "name")?, text(script, "source")?));
    let scripts = bundle.iter().filter_map(named);
    let load = |(name, source): (String, String)| (name, driver.load(&source));
    Ok(scripts.map(load).collect())
}

/// Our rows and the peers', what must have happened before them done.
fn prepared(
    driver: &mut Driver,
    scripts: &BTreeMap<String, String>,
    peers: Vec<peers::Peer>,
) -> Outcome<Vec<Prepared>> {
    let mut rows = Vec::new();
    for row in rows::ours() {
        if !row.first.is_empty() {
            driver.spend(&load_of(scripts, &row.first)?, 1)?;
        }
        rows.push(Prepared {
            name: row.name.into(),
            bounds: row.bounds,
            load: load_of(scripts, &row.calls)?,
        });
    }
    for peer in peers {
        rows.push(Prepared {
            name: peer.name,
            bounds: None,
            load: load_of_peer(driver, &peer.calls),
        });
    }
    Ok(rows)
}

/// Every row in every round, `return 1` around each.
fn measured(driver: &mut Driver, rows: &[Prepared], effort: &Effort) -> Outcome<Vec<Line>> {
    let sha1 = driver.load("return 1");
    let no_args: [&str; 0] = [];
    let floor = Load::new(&[(evaluation("EVALSHA", &sha1, &[b"floor"], &no_args), None)]);
    let mut lines = Vec::new();
    for row in rows {
        driver.spend(&row.load, WARM_UP)?;
        lines.push(Line {
            name: row.name.clone(),
            bounds: row.bounds,
            inside: driver.commands_inside(&row.load, 500)?,
            ratios: Vec::new(),
            floor_us: Vec::new(),
        });
    }
    driver.spend(&floor, effort.calls)?;
    for _ in 0..effort.rounds {
        let mut before = driver.spend(&floor, effort.calls)?;
        for (row, line) in rows.iter().zip(&mut lines) {
            let spent = driver.spend(&row.load, effort.calls)?;
            let after = driver.spend(&floor, effort.calls)?;
            line.ratios.push(2.0 * spent / (before + after));
            line.floor_us.push(after / effort.calls as f64);
            before = after;
        }
    }
    Ok(lines)
}

/// Each of the longest calls on copies of one key, so that it finds the same each time.
fn print_worst(
    driver: &mut Driver,
    scripts: &BTreeMap<String, String>,
    floor_us: f64,
    repeats: usize,
) -> Outcome<()> {
    for worst in worst::all() {
        driver.ok(&["DEL", "before", worst.call.key]);
        if !worst.before.is_empty() {
            driver.spend(&load_of(scripts, &worst.before)?, 1)?;
            driver.ok(&["COPY", worst.call.key, "before"]);
        }
        let load = load_of(scripts, std::slice::from_ref(&worst.call))?;
        let mut times_us = Vec::new();
        for _ in 0..repeats {
            driver.ok(&["DEL", worst.call.key]);
            driver.ok(&["COPY", "before", worst.call.key]);
            let longest = driver
                .slowest_us(&load)
                .map_err(|error| format!("{}: {error}", worst.name))?;
            times_us.push(longest);
        }
        table::print_worst(worst.name, &times_us, floor_us);
    }
    Ok(())
}

fn load_of(scripts: &BTreeMap<String, String>, calls: &[Call]) -> Outcome<Load> {
    let command = |call: &Call| {
        let missing = || format!("lua/bundle.json has no {}", call.script);
        let sha1 = scripts.get(call.script).ok_or_else(missing)?;
        let command = evaluation("EVALSHA", sha1, &[call.key.as_bytes()], &call.args);
        Ok((command, Some(call.word)))
    };
    let commands = calls.iter().map(command).collect::<Outcome<Vec<_>>>()?;
    Ok(Load::new(&commands))
}

fn load_of_peer(driver: &mut Driver, calls: &[PeerCall]) -> Load {
    let command = |call: &PeerCall| match call {
        PeerCall::Script { source, keys, args } => {
            let sha1 = driver.load(source);
            let keys: Vec<&[u8]> = keys.iter().map(String::as_bytes).collect();
            (evaluation("EVALSHA", &sha1, &keys, args), None)
        }
        PeerCall::Command(words) => {
            let words = words.iter().map(|word| word.clone().into_bytes());
            (words.collect(), None)
        }
    };
    Load::new(&calls.iter().map(command).collect::<Vec<_>>())
}
