//! When Redis cannot be reached, or must not write.

use super::*;
use pointsman_redis::*;
use redis::cluster::ClusterClient;
use tests::harness::cluster::Cluster;
use tests::harness::server::{Kind, Server, until};

fn requests(on_unreachable: OnUnreachable) -> RedisLimits {
    let rules = [("requests", Rule::bucket(1, 1, 60_000))];
    RedisLimits::new("k", &rules, 1).on_unreachable(on_unreachable)
}

/// What a take answers under both policies.
fn both(con: &mut dyn redis::ConnectionLike) -> [Result<Taken, Error>; 2] {
    [OnUnreachable::Closed, OnUnreachable::Open].map(|policy| {
        let limits = requests(policy);
        limits.take(&[("requests", 1)]).query(con)
    })
}

/// Asserts that the server counts as not reachable, with this word.
fn is_away(con: &mut dyn redis::ConnectionLike, code: Option<&str>) {
    match both(con) {
        [Err(closed), Ok(Taken::Open { error })] => {
            for error in [closed, error] {
                assert!(error.is_unreachable(), "{error}");
                assert_eq!(error.code(), code, "{error}");
            }
        }
        answers => panic!("{answers:?}"),
    }
}

#[test]
fn a_server_that_is_gone_lets_takes_through_only_where_that_is_the_policy() {
    let server = Server::start(Kind::Redis7);
    let mut con = connection(server.address());
    let [taken, refused] = both(&mut con);
    assert!(matches!(taken, Ok(Taken::Granted { .. })), "{taken:?}");
    // A refusal of a server that is there is a refusal.
    assert!(matches!(refused, Ok(Taken::Wait { .. })), "{refused:?}");
    let open = requests(OnUnreachable::Open);
    run(async {
        let mut multiplexed = connection_async(server.address()).await.unwrap();
        let take = open.take(&[("requests", 1)]);
        let taken = take.query_async(&mut multiplexed).await;
        assert!(matches!(taken, Ok(Taken::Wait { .. })), "{taken:?}");
        server.kill();
        let taken = take.query_async(&mut multiplexed).await;
        assert!(matches!(taken, Ok(Taken::Open { .. })), "{taken:?}");
    });
    is_away(&mut con, None);
    is_away(&mut client(server.address()), None);
    let when_free = open.take_when_free(&[("requests", 1)], 60_000);
    let taken = when_free.query(&mut con, &GiveUp::new());
    assert!(matches!(taken, Ok(Taken::Open { .. })), "{taken:?}");
    // Only takes are let through.
    let lease = RedisLeases::new("l").lease(&[("a", 1)]).query(&mut con);
    assert!(lease.is_err_and(|error| error.is_unreachable()));
}

#[test]
fn a_replica_counts_as_away() {
    for kind in Kind::ALL {
        let primary = Server::start(kind);
        let port = primary.address().port().to_string();
        let replica = Server::start_with(kind, &["--replicaof", "127.0.0.1", &port], &[]);
        until("a replica", || {
            let info = replica.client().ok(&["INFO", "replication"]).text();
            info.contains("master_link_status:up").then_some(())
        });
        let mut con = connection(replica.address());
        is_away(&mut con, Some("READONLY"));
        drop(primary);
        let mut raw = replica.client();
        raw.ok(&["CONFIG", "SET", "replica-serve-stale-data", "no"]);
        until("a replica without its primary", || {
            let info = raw.command(&["INFO", "replication"]).text();
            info.contains("master_link_status:down").then_some(())
        });
        is_away(&mut con, Some("MASTERDOWN"));
    }
}

#[test]
fn full_memory_is_an_error_under_either_policy() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let mut con = connection(server.address());
        let leases = RedisLeases::new("l");
        let lease = leases.lease(&[("a", 1)]);
        let _ = lease.query(&mut con).unwrap();
        server.client().ok(&["CONFIG", "SET", "maxmemory", "1"]);
        for answer in both(&mut con) {
            let error = answer.unwrap_err();
            assert_eq!(error.code(), Some("OOM"), "{kind:?}: {error}");
            assert!(!error.is_unreachable());
        }
        // What gives memory back still works.
        let released = leases
            .lease_release(lease.lease_id())
            .query(&mut con)
            .unwrap();
        assert_eq!(
            released,
            Released::Released {
                upstream: "a".into()
            }
        );
    }
}

#[test]
fn a_server_that_is_busy_or_has_no_slots_counts_as_away_and_one_that_forbids_does_not() {
    let server = Server::start_with(Kind::Redis7, &["--busy-reply-threshold", "1"], &[]);
    let mut con = connection(server.address());
    let mut busy = server.client();
    let endless = tests::harness::resp::encoded(&["EVAL", "while true do end", "0"]);
    busy.send(&endless).unwrap();
    until("a busy server", || {
        let answer = server.client().command(&["PING"]);
        answer.error().is_some().then_some(())
    });
    is_away(&mut con, Some("BUSY"));
    server.client().ok(&["SCRIPT", "KILL"]);
    assert!(busy.receive().unwrap().error().is_some());

    server.client().ok(&[
        "ACL", "SETUSER", "reader", "on", "nopass", "~*", "+@read", "+hello",
    ]);
    let url = format!("redis://reader:any@{}/", server.address());
    let mut reader = redis::Client::open(url).unwrap().get_connection().unwrap();
    for answer in both(&mut reader) {
        let error = answer.unwrap_err();
        assert_eq!(error.code(), Some("NOPERM"), "{error}");
        assert!(!error.is_unreachable());
    }

    let cluster = Server::start_with(Kind::Redis7, &["--cluster-enabled", "yes"], &[]);
    is_away(&mut connection(cluster.address()), Some("CLUSTERDOWN"));
}

#[test]
fn a_cluster_that_is_gone_counts_as_away() {
    let cluster = Cluster::start(Kind::Redis7, 0);
    let addresses: Vec<_> = cluster
        .servers()
        .iter()
        .map(|server| format!("redis://{}/", server.address()))
        .collect();
    let quick = ClusterClient::builder(addresses)
        .retries(1)
        .build()
        .unwrap();
    let mut con = quick.get_connection().unwrap();
    let open = requests(OnUnreachable::Open);
    let take = open.take(&[("requests", 1)]);
    run(async {
        let mut con = quick.get_async_connection().await.unwrap();
        let taken = take.query_async(&mut con).await;
        assert!(matches!(taken, Ok(Taken::Granted { .. })), "{taken:?}");
        for server in cluster.servers() {
            server.kill();
        }
        let taken = take.query_async(&mut con).await;
        assert!(matches!(taken, Ok(Taken::Open { .. })), "{taken:?}");
    });
    is_away(&mut con, None);
}

#[test]
fn a_reply_that_comes_too_late_is_not_read_as_that_of_the_next_call() {
    let server = Server::start(Kind::Redis7);
    let mut con = client(server.address()).get_connection().unwrap();
    let limits = requests(OnUnreachable::Closed);
    let leases = RedisLeases::new("l");
    let _ = leases.lease_release("none").query(&mut con).unwrap();
    con.set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    server.pause();
    let late = limits.take(&[("requests", 1)]).query(&mut con);
    assert!(late.is_err_and(|error| error.is_unreachable()));
    server.go_on();
    con.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let released = leases.lease_release("none").query(&mut con);
    assert_eq!(released, Ok(Released::Gone));
    let waiting = limits.take(&[("requests", 1)]).query(&mut con);
    assert!(
        matches!(waiting, Ok(Taken::Granted { .. } | Taken::Wait { .. })),
        "{waiting:?}"
    );
}
