//! What a script needs of its server: which commands, how many, which rights, how much memory.

use super::calls::{KEY, call, prepare, traces};
use super::outcomes::rows;
use super::replies::{play, written};
use super::table::VALID;
use std::collections::{BTreeMap, BTreeSet};
use tests::harness::resp::Client;
use tests::harness::scripts;
use tests::harness::server::{Kind, Server};
use tests::harness::user;

/// Most commands that a call may run inside.
const MOST_COMMANDS: u64 = 6;

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

/// Two connections: that of the one who may do all, and of the documented user of key `pool`.
fn administrator_and_worker(server: &Server) -> [Client; 2] {
    let [mut administrator, mut worker] = [server.client(), server.client()];
    user::make(&mut administrator, "worker", "pool");
    worker.auth("worker", "secret");
    [administrator, worker]
}

#[test]
fn a_user_of_one_key_runs_every_script() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let [mut administrator, mut client] = administrator_and_worker(&server);
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

#[test]
fn a_user_who_lacks_a_command_is_told_first_word_first() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let [mut administrator, mut client] = administrator_and_worker(&server);
        let commands = (user::COMMANDS.split(' ')).filter_map(|word| word.strip_prefix('+'));
        for command in commands.filter(|word| !word.starts_with("eval")) {
            administrator.ok(&["ACL", "SETUSER", "worker", &format!("-{command}")]);
            let mut refused = 0;
            for row in VALID {
                administrator.ok(&["FLUSHALL"]);
                let answer = row.call().run(&mut client);
                if let Some(error) = answer.error() {
                    let word = error.split(' ').next().unwrap_or_default();
                    let is_word = word.bytes().all(|byte| byte.is_ascii_uppercase());
                    assert!(is_word && !word.is_empty(), "{kind:?}, {command}: {error}");
                    refused += 1;
                }
            }
            let is_always_used = ["time", "hmget", "hset"].contains(&command);
            assert!(refused > 0 || !is_always_used, "{kind:?}: {command}");
            administrator.ok(&["ACL", "SETUSER", "worker", &format!("+{command}")]);
        }
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
    for script in scripts::all() {
        client.ok(&["SCRIPT", "LOAD", &script.source]);
    }
    let rows = rows().map(|row| (row.before, call(row.call)));
    for (before, call) in rows.chain(VALID.iter().map(|row| (row.before, row.call()))) {
        prepare(&mut client, before);
        let commands = commands_of(&mut client, |client| {
            client.ok(&call.evalsha(&[KEY]));
        });
        let sum: u64 = commands.values().sum();
        let known = most.entry(&call.script.name).or_default();
        *known = (*known).clone().max((sum, format!("{commands:?}")));
    }
    for (script, (sum, commands)) in &most {
        println!("{script:22} {sum} {commands}");
    }
    assert!(most.values().all(|(sum, _)| *sum <= MOST_COMMANDS));
}

/// What must work when memory is full: it frees some, or corrects what is there.
const NEED_NO_MEMORY: [&str; 4] = ["lease_release", "lease_renew", "take_cancel", "take_settle"];

#[test]
fn full_memory_refuses_what_must_be_kept_and_nothing_else() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let mut client = server.client();
        let mut refused = 0;
        for row in rows() {
            let call = call(row.call);
            prepare(&mut client, row.before);
            let before = traces(&mut client);
            client.ok(&["CONFIG", "SET", "maxmemory", "1"]);
            let answer = call.run(&mut client);
            let after = traces(&mut client);
            client.ok(&["CONFIG", "SET", "maxmemory", "0"]);
            let what = format!("{kind:?}: {:?} {} {answer:?}", row.before, row.call);
            if row.writes && !NEED_NO_MEMORY.contains(&call.script.name.as_str()) {
                let error = answer.error().unwrap_or_default();
                assert!(error.contains("OOM"), "{what}");
                assert_eq!(before, after, "{what}");
                refused += 1;
            } else {
                assert_eq!(written(answer), row.reply, "{what}");
            }
        }
        println!("{kind:?}: {refused} calls refused for full memory");
    }
}
