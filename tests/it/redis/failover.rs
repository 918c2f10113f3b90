//! A cluster whose primary dies, or stands still for so long that another takes its place.

use super::calls::{Call, call};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tests::differential::Reply;
use tests::harness::cluster::{Cluster, ClusterClient};
use tests::harness::resp::{Answer, Client};
use tests::harness::server::{Kind, Server, until};

/// Keys of the three primaries, and more.
const KEYS: [&str; 6] = ["pool:1", "pool:2", "pool:3", "pool:4", "pool:5", "pool:6"];

/// A lease of the only place there is.
fn lease(client: &mut ClusterClient, key: &str, id: &str) -> Vec<Reply> {
    let call = call(&format!("lease 0 0 {id} 60000 first 0 a 1"));
    let args: Vec<&[u8]> = call.args.iter().map(Vec::as_slice).collect();
    until("an answer", || {
        let answer = client
            .try_evaluate(call.script, key.as_bytes(), &args)
            .ok()?;
        match answer.error() {
            Some(error) if error.starts_with("CLUSTERDOWN") => None,
            _ => Some(answer.flat().unwrap()),
        }
    })
}

/// Gives the lease back, so that the place is free for the next.
fn release(client: &mut ClusterClient, key: &str, id: &str) {
    let release = call(&format!("lease_release 0 0 {id}"));
    let args: Vec<&[u8]> = release.args.iter().map(Vec::as_slice).collect();
    let answer = client.try_evaluate(release.script, key.as_bytes(), &args);
    assert_eq!(word(&answer.unwrap().flat().unwrap()), "released");
}

fn word(reply: &[Reply]) -> String {
    match &reply[0] {
        Reply::Bytes(word) => String::from_utf8_lossy(word).into_owned(),
        Reply::Int(_) => panic!("{reply:?}"),
    }
}

fn fence(reply: &[Reply]) -> i64 {
    match (word(reply).as_str(), &reply[5]) {
        ("leased", Reply::Int(fence)) => *fence,
        _ => panic!("{reply:?}"),
    }
}

/// Waits until the replica of a key's primary has all that this client wrote.
fn replicated(client: &mut ClusterClient, key: &str) {
    until("a replica that has all", || {
        let reached = client.command(key.as_bytes(), &["WAIT", "1", "100"]);
        (reached == Answer::Int(1)).then_some(())
    });
}

/// Waits until another server than this one has the key. It asks those that are left.
fn promoted(client: &mut ClusterClient, old: SocketAddr, key: &str) -> SocketAddr {
    client.forget(old);
    until("another primary", || {
        let answer = client.try_command(key.as_bytes(), &[b"EXISTS".to_vec(), key.into()]);
        let owner = client.known_owner(key.as_bytes())?;
        let is_served = matches!(answer, Ok(Answer::Int(_))) && owner != old;
        is_served.then_some(owner)
    })
}

#[test]
fn a_promoted_replica_knows_the_leases_and_the_fence_goes_on_rising() {
    let begin = Instant::now();
    let cluster = Cluster::start(Kind::Redis7, 1);
    println!("a cluster of six after {:?}", begin.elapsed());
    let mut client = cluster.client();
    // A server that stands still takes commands and answers none.
    client.patience(Duration::from_millis(300));

    // Killed.
    let key = KEYS[0];
    let before = lease(&mut client, key, "id-1");
    let primary = cluster.primary_of(key);
    replicated(&mut client, key);
    let killed = Instant::now();
    primary.kill();
    let next = promoted(&mut client, primary.address(), key);
    println!("served again after {:?}", killed.elapsed());
    let unknown =
        Client::connect(next).command(&call("lease_release 0 0 id-1").evalsha(&[key.as_bytes()]));
    assert!(
        unknown
            .error()
            .is_some_and(|text| text.starts_with("NOSCRIPT")),
        "{unknown:?}"
    );
    let again = lease(&mut client, key, "id-1");
    assert_eq!(fence(&again), fence(&before));
    assert_eq!(again[7], Reply::Int(1), "{again:?}");
    assert_eq!(word(&lease(&mut client, key, "id-2")), "wait");
    release(&mut client, key, "id-1");
    let after = lease(&mut client, key, "id-2");
    assert!(fence(&after) > fence(&before), "{before:?} {after:?}");

    // Standing still, on one of the other two.
    let key = KEYS
        .iter()
        .find(|key| ![primary.address(), next].contains(&client.owner(key.as_bytes())));
    let key = *key.expect("six keys are spread over three servers");
    let before = lease(&mut client, key, "id-0");
    release(&mut client, key, "id-0");
    let primary = cluster.primary_of(key);
    replicated(&mut client, key);
    let mut stale = Client::connect(primary.address());
    primary.pause();
    promoted(&mut client, primary.address(), key);
    let by_the_new = lease(&mut client, key, "id-1");
    // What waits in the old one's socket runs before it knows that it is replaced, or is refused.
    stale
        .send(&tests::harness::resp::encoded(
            &call("lease 0 0 id-2 60000 first 0 a 1").eval(&[key.as_bytes()]),
        ))
        .unwrap();
    primary.go_on();
    let by_the_old = stale.receive().unwrap();
    println!("the old primary answered {by_the_old:?}");
    release(&mut client, key, "id-1");
    let after = lease(&mut client, key, "id-3");
    assert!(fence(&before) < fence(&by_the_new) && fence(&by_the_new) < fence(&after));
    if by_the_old.error().is_none() {
        // The place was given twice: whoever it is claimed from can tell which claim is the later.
        let by_the_old = by_the_old.flat().unwrap();
        assert!(fence(&by_the_new) < fence(&by_the_old) && fence(&by_the_old) < fence(&after));
    }
    println!("both faults took {:?}", begin.elapsed());
}

/// What the replica had not got when it took over is let through once more, and no more than that.
#[test]
fn a_failover_that_loses_writes_lets_through_again_what_was_lost() {
    let lease = |id: &str| call(&format!("lease 0 0 {id} 60000 first 0 a 2"));
    let take = |id: &str, cost: u64| {
        call(&format!(
            "take 0 0 {id} 0 1 keep full 1 rpm bucket 10 1 86400000 {cost}"
        ))
    };
    for kind in Kind::ALL {
        let primary = Server::start(kind);
        let replica = Server::replica_of(&primary);
        let mut old = primary.client();
        let ask = |client: &mut Client, call: Call| {
            let key = call.script.name.as_bytes();
            call.run_on(client, key).flat().unwrap()
        };
        ask(&mut old, lease("id-1"));
        ask(&mut old, take("id-1", 4));
        assert_eq!(old.ok(&["WAIT", "1", "10000"]), Answer::Int(1));
        let mut new = replica.client();
        new.ok(&["REPLICAOF", "NO", "ONE"]);
        let lost = fence(&ask(&mut old, lease("id-2")));
        assert_eq!(word(&ask(&mut old, lease("id-3"))), "wait");
        assert_eq!(word(&ask(&mut old, take("id-2", 6))), "granted");
        assert_eq!(word(&ask(&mut old, take("id-3", 1))), "wait");
        primary.kill();

        // It knows of one place and of four tokens.
        assert!(fence(&ask(&mut new, lease("id-3"))) > lost, "{kind:?}");
        assert_eq!(word(&ask(&mut new, lease("id-4"))), "wait");
        assert_eq!(word(&ask(&mut new, take("id-3", 6))), "granted");
        assert_eq!(word(&ask(&mut new, take("id-4", 1))), "wait");
    }
}
