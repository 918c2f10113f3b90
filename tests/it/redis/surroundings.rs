//! What a script needs of its server: which commands, how many, which rights, how much memory.

use super::calls::{KEY, outcome, prepare, traces};
use super::outcomes;
use super::replies::play;
use super::table::VALID;
use std::collections::{BTreeMap, BTreeSet};
use tests::harness::resp::{Answer, Client};
use tests::harness::scripts;
use tests::harness::server::{Kind, Server};
use tests::harness::user;

/// The commands that a script's text has.
fn commands_in(source: &str) -> BTreeSet<String> {
    let calls = source.split("redis.").skip(1).filter_map(|rest| {
        let rest = rest
            .strip_prefix("call('")
            .or(rest.strip_prefix("pcall('"))?;
        Some(rest.split('\'').next()?.to_ascii_lowercase())
    });
    calls.collect()
}

#[test]
fn the_documented_user_is_allowed_what_the_scripts_use_and_no_more() {
    let used: BTreeSet<String> = scripts::all()
        .iter()
        .flat_map(|one| commands_in(&one.source))
        .collect();
    let allowed = user::COMMANDS
        .split(' ')
        .filter_map(|word| word.strip_prefix('+'));
    let allowed: BTreeSet<String> = allowed
        .filter(|word| !word.starts_with("eval"))
        .map(String::from)
        .collect();
    assert_eq!(used, allowed);
}

#[test]
fn a_user_of_one_key_runs_every_script() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let mut administrator = server.client();
        user::make(&mut administrator, "worker", "pool");
        let mut client = server.client();
        client.auth("worker", "secret");
        let denied = client.command(&["SET", "pool", "1"]);
        assert!(
            denied.error().unwrap_or_default().starts_with("NOPERM"),
            "{denied:?}"
        );
        let denied = client.command(&[
            "EVAL",
            "return redis.call('HSET', 'other', 'a', 1)",
            "1",
            "pool",
        ]);
        assert!(denied.error().is_some(), "{kind:?}: {denied:?}");
        play(&format!("{kind:?}, a user of one key"), |call, key| {
            user::make(&mut administrator, "worker", key);
            call.run_on(&mut client, key.as_bytes())
        });
    }
}

/// The commands that a call runs inside, by the server's own count.
fn commands_of(client: &mut Client, run: impl FnOnce(&mut Client)) -> BTreeMap<String, u64> {
    client.ok(&["CONFIG", "RESETSTAT"]);
    run(client);
    let info = client.ok(&["INFO", "commandstats"]).text();
    let counts = info.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        let calls = rest.split(',').next()?.parse().ok()?;
        let inside = !["eval", "evalsha", "info", "config|resetstat", "config"].contains(&name);
        (inside && calls > 0).then(|| (name.to_string(), calls))
    });
    counts.collect()
}

#[test]
fn a_script_runs_few_commands() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let mut most: BTreeMap<&str, (u64, String)> = BTreeMap::new();
    for row in VALID {
        prepare(&mut client, row.before);
        row.call().run(&mut client);
        prepare(&mut client, row.before);
        let commands = commands_of(&mut client, |client| {
            client.ok(&row.call().evalsha(&[KEY]));
        });
        let sum: u64 = commands.values().sum();
        most.insert(row.script, (sum, format!("{commands:?}")));
        assert!(sum <= row.commands, "{}: {commands:?}", row.script);
    }
    for (script, (sum, commands)) in most {
        println!("{script:22} {sum} {commands}");
    }
    let _ = outcomes::USED;
}

#[test]
fn full_memory_refuses_what_must_be_kept_and_nothing_else() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let mut client = server.client();
        for row in VALID {
            prepare(&mut client, row.before);
            let before = traces(&mut client);
            client.ok(&["CONFIG", "SET", "maxmemory", "1"]);
            let answer = row.call().run(&mut client);
            let after = traces(&mut client);
            client.ok(&["CONFIG", "SET", "maxmemory", "0"]);
            let what = format!("{kind:?}: {} {answer:?}", row.script);
            match answer {
                Answer::Error(text) => {
                    assert!(row.needs_memory && text.contains("OOM"), "{what}");
                    assert_eq!(before, after, "{what}");
                }
                answer => {
                    assert!(!row.needs_memory, "{what}");
                    assert_eq!(outcome(&answer), row.outcome, "{what}");
                }
            }
        }
    }
}
