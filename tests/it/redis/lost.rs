//! Replies that are lost on their way, and calls that are repeated: counted once, answered the same.

use super::calls::{Call, call};
use super::outcomes::rows;
use super::replies::written;
use tests::harness::proxy::{Fate, Proxy};
use tests::harness::resp::{Answer, Client};
use tests::harness::scripts;
use tests::harness::server::{Kind, Server};

/// What a key holds, in the order of the fields' names.
fn held(client: &mut Client, key: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let fields = client.ok(&["HGETALL", key]).array();
    let bytes = |answer: &Answer| match answer {
        Answer::Bytes(bytes) => bytes.clone(),
        other => panic!("{other:?}"),
    };
    let mut held: Vec<_> = (fields.chunks(2))
        .map(|pair| (bytes(&pair[0]), bytes(&pair[1])))
        .collect();
    held.sort();
    held
}

/// What a repeat answers to a call that has run, given what that answered.
fn repeated(line: &str, reply: &str) -> String {
    let has_id = |at: usize| line.split(' ').nth(at).is_some_and(|id| id != "_");
    let words: Vec<&str> = reply.split(' ').collect();
    let flag = match (line.split(' ').next().unwrap(), words[0]) {
        ("configure_least_used", _) => return reply.replacen("configured", "same", 1),
        ("lease_release", _) => return words[..4].join(" ").replacen("released", "gone", 1),
        ("take", "granted") => 5,
        ("lease", "leased") => 7,
        ("pick_least_used", "picked") => 6,
        ("record_least_used", "recorded") => 5,
        ("next_shuffle", "picked") => 6,
        ("pick_no_repeat", "picked") => 7,
        _ => return reply.into(),
    };
    assert!(has_id(3) && words[flag] == "0", "{line}: {reply}");
    let mut words = words;
    words[flag] = "1";
    words.join(" ")
}

/// Rows that change something and, where a repeat needs one, have an id.
fn can_be_repeated(line: &str) -> bool {
    let by_id = [
        "take",
        "pick_least_used",
        "record_least_used",
        "next_shuffle",
        "pick_no_repeat",
    ];
    let words: Vec<&str> = line.split(' ').collect();
    !by_id.contains(&words[0]) || words[3] != "_"
}

#[test]
fn a_call_whose_reply_was_lost_is_repeated_and_counts_once() {
    let server = Server::start(Kind::Redis7);
    let mut direct = server.client();
    let mut played = Vec::new();
    for row in rows().filter(|row| row.writes && can_be_repeated(row.call)) {
        // By EVALSHA, and by the EVAL that follows where the server does not know the script.
        for is_known in [true, false] {
            direct.ok(&["FLUSHALL"]);
            for (line, key) in row
                .before
                .iter()
                .flat_map(|line| [(line, "once"), (line, "twice")])
            {
                call(line).run_on(&mut direct, key.as_bytes());
            }
            let call = call(row.call);
            let once = call.run_on(&mut direct, b"once");
            if !is_known {
                direct.ok(&["SCRIPT", "FLUSH"]);
            }
            let proxy = Proxy::losing_reply(server.address(), usize::from(!is_known));
            assert!(is_lost(&proxy, &call), "{}", row.call);
            let mut again = Client::connect(proxy.address());
            let twice = call.run_on(&mut again, b"twice");
            assert_eq!(
                written(twice),
                repeated(row.call, &written(once)),
                "{}",
                row.call
            );
            assert_eq!(
                held(&mut direct, "twice"),
                held(&mut direct, "once"),
                "{}",
                row.call
            );
        }
        played.push(call(row.call).script.name.as_str());
    }
    played.dedup();
    println!("{played:?}");
    let read_only = ["inspect"];
    let changing = scripts::all().iter().map(|one| one.name.as_str());
    for script in changing.filter(|name| !read_only.contains(name)) {
        assert!(played.contains(&script), "{script} was not repeated");
    }
}

fn is_lost(proxy: &Proxy, call: &Call) -> bool {
    let mut client = Client::connect(proxy.address());
    let sha = call.evalsha(&[b"twice"]);
    match client.try_command(&sha) {
        Err(_) => true,
        Ok(answer) => {
            assert!(
                answer
                    .error()
                    .is_some_and(|text| text.starts_with("NOSCRIPT")),
                "{answer:?}"
            );
            client.try_command(&call.eval(&[b"twice"])).is_err()
        }
    }
}

#[test]
fn a_call_that_never_arrived_is_repeated_and_counts_once() {
    let server = Server::start(Kind::Redis7);
    let mut direct = server.client();
    let line = "next_shuffle 1000000 0 id-1 60000 free 5 a b";
    let mut calls = 0;
    let proxy = Proxy::start(server.address(), move |_| {
        calls += 1;
        if calls == 1 {
            Fate::IsLost
        } else {
            Fate::Passes
        }
    });
    assert!(is_lost(&proxy, &call(line)));
    assert_eq!(direct.ok(&["DBSIZE"]), Answer::Int(0));
    let answer = call(line).run_on(&mut Client::connect(proxy.address()), b"twice");
    assert_eq!(written(answer), "picked 1 1000000 0 1 :b 0");
}
