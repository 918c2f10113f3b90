//! What a key remembers at most, on both sides of each bound.

use super::calls::{call, run};
use tests::harness::resp::Client;
use tests::harness::server::{Kind, Server};

/// Runs calls that come one after the other.
fn run_all(client: &mut Client, lines: impl Iterator<Item = String>) {
    let calls: Vec<_> = lines.map(|line| call(&line)).collect();
    client.ok(&["SCRIPT", "LOAD", &calls[0].script.source]);
    for batch in calls.chunks(1_000) {
        let commands: Vec<_> = batch.iter().map(|call| call.evalsha(&[b"pool"])).collect();
        for answer in client.pipeline(&commands) {
            assert_eq!(answer.error(), None);
        }
    }
}

/// A shuffle with this id at this instant.
fn shuffle(id: u64, now_ms: u64) -> String {
    format!("next_shuffle {now_ms} 0 id-{id} 34560000000 free 0 a")
}

/// Whether the id had an answer before. If not, it has now.
fn is_known(client: &mut Client, id: u64, now_ms: u64) -> bool {
    run(client, &shuffle(id, now_ms)).array()[6].int() == 1
}

#[test]
fn an_id_is_known_while_it_is_among_the_newest_thousand() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let hour = |id: u64| 3_600_000 * (id + 1);
    run_all(&mut client, (0..1_000).map(|id| shuffle(id, hour(id))));
    assert!(is_known(&mut client, 0, hour(1_000)));
    run(&mut client, &shuffle(1_000, hour(1_000)));
    assert!(is_known(&mut client, 1, hour(1_000)));
    assert!(!is_known(&mut client, 0, hour(1_000)));
}

#[test]
fn an_id_behind_a_thousand_newer_ones_is_known_for_a_minute() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let begin_ms = 1_000_000;
    run_all(&mut client, (0..3_000).map(|id| shuffle(id, begin_ms)));
    run(&mut client, &shuffle(3_000, begin_ms + 59_999));
    assert!(is_known(&mut client, 0, begin_ms + 59_999));
    // A call forgets two at most.
    run(&mut client, &shuffle(3_001, begin_ms + 60_000));
    assert!(is_known(&mut client, 2, begin_ms + 60_000));
    assert!(!is_known(&mut client, 1, begin_ms + 60_000));
}

#[test]
fn an_id_behind_ten_thousand_newer_ones_is_forgotten() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    run_all(&mut client, (0..10_000).map(|id| shuffle(id, 1_000_000)));
    assert!(is_known(&mut client, 0, 1_000_000));
    run(&mut client, &shuffle(10_000, 1_000_000));
    assert!(is_known(&mut client, 1, 1_000_000));
    assert!(!is_known(&mut client, 0, 1_000_000));
}

#[test]
fn from_2048_upstreams_on_a_pass_forgets_those_that_are_not_listed() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let ask = |list: &str| format!("next_shuffle 1000000 0 _ 60000 free 0 {list}");
    for (taken, next) in [(2_047, ":u-0"), (2_048, ":u-1")] {
        client.ok(&["FLUSHDB"]);
        run_all(&mut client, (0..taken).map(|at| ask(&format!("u-{at}"))));
        let picked = run(&mut client, &ask("u-0 other")).array();
        assert_eq!(picked[5].text(), ":other");
        // All three of this pass, and so a new one; or one of them forgotten.
        let picked = run(&mut client, &ask("u-0 u-1 other")).array();
        assert_eq!(picked[5].text(), next);
    }
}

#[test]
fn of_2048_exits_that_are_noted_the_one_noted_first_goes() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    let observe = |at: u64| format!("observe_exit 1000000 0 60000 u-{at} exit-{at}");
    let mut first_noted = |to: u64| {
        client.ok(&["FLUSHDB"]);
        run_all(&mut client, (0..to).map(observe));
        let noted = client.ok(&["HGET", "pool", "o"]).text();
        (
            noted.lines().count(),
            noted.lines().next().map(str::to_string),
        )
    };
    assert_eq!(first_noted(2_048), (2_048, Some("u-0\texit-0".into())));
    assert_eq!(first_noted(2_049), (2_048, Some("u-1\texit-1".into())));
}
