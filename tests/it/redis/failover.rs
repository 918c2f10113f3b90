//! A cluster whose primary dies, or stands still for so long that another takes its place.

use super::calls::call;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tests::differential::Reply;
use tests::harness::cluster::{Cluster, ClusterClient};
use tests::harness::resp::{Answer, Client};
use tests::harness::server::{Kind, until};

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
