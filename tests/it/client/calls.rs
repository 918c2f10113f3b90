//! Every call of every family, blocking and asynchronous, over every kind of connection.

use super::*;
use pointsman::{Candidate, Link, OnlyOne, RepeatBy};
use pointsman_redis::*;
use redis::cluster::ClusterClient;
use tests::harness::cluster::Cluster;
use tests::harness::server::{Kind, Server};

/// The same calls however they end: with `query`, or with `query_async` and `await`.
macro_rules! every_call {
    ($con:expr, $query:ident $(, $await:tt)?) => {{
        let con = $con;
        macro_rules! ask {
            ($request:expr) => { $request.now_ms(NOW_MS).$query(con)$(.$await)?.unwrap() };
        }
        let rules = [("requests", Rule::window(3, 60_000)), ("tokens", Rule::bucket(10, 10, 1_000))];
        let limits = RedisLimits::new("calls:limits", &rules, 1);
        let granted = |take_id: Option<&str>, starts_in_ms, [requests, tokens]: [u64; 2], repeated| Taken::Granted {
            take_id: take_id.map(str::to_string),
            starts_in_ms,
            starts_at_ms: NOW_MS + starts_in_ms,
            remaining: vec![("requests".into(), requests), ("tokens".into(), tokens)],
            repeated,
            version: 1,
        };
        let take = limits.take(&[("requests", 1), ("tokens", 4)]);
        assert_eq!(ask!(take), granted(None, 0, [2, 6], false));
        let wait = Taken::Wait { retry_after_ms: 100, limit: "tokens".into(), version: 1 };
        assert_eq!(ask!(limits.take(&[("tokens", 7)])), wait);
        let never = Taken::Never { limit: "tokens".into(), version: 1 };
        assert_eq!(ask!(limits.take(&[("tokens", 11)])), never);
        let booked = limits.take(&[("tokens", 7)]).id("b").max_wait_ms(100);
        assert_eq!(ask!(booked.clone()), granted(Some("b"), 100, [2, 0], false));
        assert_eq!(ask!(limits.take_cancel("b")), TakeCancelled::Returned);
        assert_eq!(ask!(limits.take_cancel("b")), TakeCancelled::Returned);
        assert_eq!(ask!(limits.take_cancel("c")), TakeCancelled::Gone);
        assert_eq!(ask!(booked), Taken::Gone);
        let take = limits.take(&[("requests", 1), ("tokens", 5)]).id("a");
        assert_eq!(ask!(take.clone()), granted(Some("a"), 0, [1, 1], false));
        assert_eq!(ask!(take), granted(Some("a"), 0, [1, 1], true));
        let settled = TakeSettled::Settled {
            remaining: vec![("requests".into(), 1), ("tokens".into(), 4)],
            version: 1,
        };
        assert_eq!(ask!(limits.take_settle("a", &[("tokens", 2)])), settled);
        assert_eq!(ask!(limits.take_settle("b", &[("tokens", 2)])), TakeSettled::Gone);
        assert_eq!(ask!(limits.take_cancel("a")), TakeCancelled::Started);
        let in_force = Rules {
            version: 1,
            limits: rules.map(|(name, rule)| (name.to_string(), rule)).to_vec(),
        };
        let older = RedisLimits::new("calls:limits", &rules[..1], 0);
        assert_eq!(ask!(older.take(&[("requests", 1)])), Taken::Reconfigure(in_force));
        let older = [("tokens", Rule::bucket(1, 1, 1_000)), ("requests", Rule::window(9, 1_000)), ("more", rules[0].1)];
        let older = RedisLimits::new("calls:limits", &older, 0);
        assert_eq!(ask!(older.take(&[("more", 1), ("tokens", 1)])), granted(None, 0, [1, 3], false));

        let accounts = RedisLeastUsed::new("calls:used", &[("a", 2), ("b", 1)], 2);
        let picked = |upstream: &str, count, repeated| Picked::Upstream {
            upstream: upstream.into(),
            count,
            repeated,
            version: 2,
        };
        // The first pick configures what nobody has configured.
        assert_eq!(ask!(accounts.pick()), picked("a", 1, false));
        assert_eq!(ask!(accounts.configure()), Configured::Same);
        let older = RedisLeastUsed::new("calls:used", &[("c", 1)], 1);
        assert_eq!(ask!(older.configure()), Configured::Older { version: 2 });
        let other = Configured::Other { upstreams: vec![("a".into(), 2), ("b".into(), 1)] };
        assert_eq!(ask!(RedisLeastUsed::new("calls:used", &[("c", 1)], 2).configure()), other);
        assert_eq!(ask!(accounts.pick().id("r")), picked("b", 1, false));
        assert_eq!(ask!(accounts.pick().id("r")), picked("b", 1, true));
        let recorded = |count, repeated| Recorded::Recorded { count, repeated, version: 2 };
        assert_eq!(ask!(accounts.record("b", 5).id("s")), recorded(6, false));
        assert_eq!(ask!(accounts.record("b", 5).id("s")), recorded(6, true));
        let unknown = Recorded::UnknownUpstream { version: 2 };
        assert_eq!(ask!(accounts.record("c", 5)), unknown);
        assert_eq!(ask!(accounts.pick().exclude(&["a"])), picked("b", 7, false));
        let excluded = Picked::AllExcluded { version: 2 };
        assert_eq!(ask!(accounts.pick().exclude(&["a", "b"])), excluded);
        let none = RedisLeastUsed::new("calls:used", &[], 3);
        assert_eq!(ask!(none.configure()), Configured::Configured);
        assert_eq!(ask!(none.pick()), Picked::Empty { version: 3 });

        let leases = RedisLeases::new("calls:leases");
        let leased = |repeated| Leased::Leased {
            lease_id: "l".into(),
            upstream: "a".into(),
            fence: NOW_MS * 1_000,
            expires_ms: NOW_MS + 60_000,
            expires_in_ms: 60_000,
            repeated,
        };
        let lease = leases.lease(&[("a", 1)]).id("l");
        assert_eq!(ask!(lease.clone()), leased(false));
        assert_eq!(ask!(lease), leased(true));
        let wait = Leased::Wait { retry_after_ms: 60_000 };
        assert_eq!(ask!(leases.lease(&[("a", 1)])), wait);
        assert_eq!(ask!(leases.lease(&[])), Leased::Empty);
        let renewed = Renewed::Renewed {
            fence: NOW_MS * 1_000,
            expires_ms: NOW_MS + 90_000,
            expires_in_ms: 90_000,
        };
        assert_eq!(ask!(leases.lease_renew("l").ttl_ms(90_000)), renewed);
        assert_eq!(ask!(leases.lease_release("l")), Released::Released { upstream: "a".into() });
        assert_eq!(ask!(leases.lease_release("l")), Released::Gone);
        assert_eq!(ask!(leases.lease_renew("l")), Renewed::Gone);

        let shuffle = RedisShuffle::new("calls:shuffle");
        let shuffled = |upstream: &str, index, repeated| Shuffled::Upstream {
            upstream: upstream.into(),
            index,
            repeated,
        };
        assert_eq!(ask!(shuffle.next(&["a", "b"]).draw(1).id("r")), shuffled("b", Some(1), false));
        assert_eq!(ask!(shuffle.next(&["a"]).id("r")), shuffled("b", None, true));
        assert_eq!(ask!(shuffle.next(&["a", "b"])), shuffled("a", Some(0), false));
        assert_eq!(ask!(shuffle.next(&[])), Shuffled::Empty);

        let proxies = RedisNoRepeat::new("calls:no_repeat", RepeatBy::Exit, OnlyOne::Wait { gap_ms: 50 });
        let proxy = |upstream, exit| Candidate { upstream, exit, weight: 1 };
        let different = |upstream: &str, index, repeated| Different::Upstream {
            upstream: upstream.into(),
            index: Some(index),
            repeats: false,
            repeated,
        };
        let three = [proxy("p1", Some("X")), proxy("p2", Some("X")), proxy("p3", None)];
        assert_eq!(ask!(proxies.pick(&three).draw(0).id("r")), different("p1", 0, false));
        assert_eq!(ask!(proxies.pick(&three).draw(0).id("r")), different("p1", 0, true));
        assert_eq!(ask!(proxies.pick(&three)), different("p3", 2, false));
        assert_eq!(ask!(proxies.observe_exit("p3", "X")), Observed::Observed);
        assert_eq!(ask!(proxies.pick(&three)), Different::Wait { retry_after_ms: 50 });
        let four = [proxy("p4", Some("Y"))];
        assert_eq!(ask!(proxies.pick(&four)), different("p4", 0, false));
        assert_eq!(ask!(proxies.pick(&[])), Different::Empty);
        let strict = RedisNoRepeat::new("calls:no_repeat", RepeatBy::Upstream, OnlyOne::Fail);
        assert_eq!(ask!(strict.pick(&four)), Different::NoDifferent);
        let lax = RedisNoRepeat::new("calls:no_repeat", RepeatBy::Upstream, OnlyOne::Reuse);
        let again = Different::Upstream { upstream: "p4".into(), index: Some(0), repeats: true, repeated: false };
        assert_eq!(ask!(lax.pick(&four)), again);

        let warm = RedisAffinity::new("calls:affinity", 16, 600_000);
        let chain = [1, 2, 3, 4].map(Link::from);
        assert_eq!(ask!(warm.recall(&chain)), Recalled::Nothing);
        assert_eq!(ask!(warm.remember(&chain[..2], "a")), Remembered::Remembered { held: 1 });
        assert_eq!(ask!(warm.remember(&[], "a")), Remembered::Ignored);
        assert_eq!(ask!(warm.recall(&chain)), Recalled::Upstream { upstream: "a".into(), links: 2 });

        for (inspect, family) in [
            (limits.inspect(), "take"),
            (accounts.inspect(), "used"),
            (leases.inspect(), "lease"),
            (shuffle.inspect(), "shuffle"),
            (proxies.inspect(), "repeat"),
            (inspect("calls:affinity"), "links"),
        ] {
            let Inspected::Found { family: found, facts, now_ms, .. } = ask!(inspect) else {
                panic!("nothing under the key of {family}");
            };
            assert_eq!((found.as_str(), now_ms), (family, NOW_MS));
            assert!(!facts.is_empty(), "{family}");
        }
        assert_eq!(ask!(inspect("calls:nothing")), Inspected::Unknown);
    }};
}

pub(super) use every_call;

#[test]
fn blocking_over_a_connection() {
    for kind in Kind::ALL {
        let server = Server::start(kind);
        every_call!(&mut connection(server.address()), query);
    }
}

#[test]
fn blocking_over_a_client_and_over_resp3() {
    let server = Server::start(Kind::Redis7);
    every_call!(&mut client_3(server.address()), query);
}

#[test]
fn asynchronous_over_a_multiplexed_connection_and_over_resp3() {
    let server = Server::start(Kind::Redis8);
    run(async {
        let client = client_3(server.address());
        let con = &mut client.get_multiplexed_async_connection().await.unwrap();
        every_call!(con, query_async, await)
    });
}

#[test]
fn asynchronous_over_a_connection_manager() {
    let server = Server::start(Kind::Valkey8);
    run(async {
        let client = client(server.address());
        let con = &mut client.get_connection_manager().await.unwrap();
        every_call!(con, query_async, await)
    });
}

fn cluster_client(cluster: &mut Cluster) -> ClusterClient {
    let addresses = cluster
        .servers()
        .iter()
        .map(|server| format!("redis://{}/", server.address()));
    ClusterClient::new(addresses).unwrap()
}

#[test]
fn blocking_and_asynchronous_over_a_cluster() {
    let mut cluster = Cluster::start(Kind::Redis7, 0);
    let client = cluster_client(&mut cluster);
    every_call!(&mut client.get_connection().unwrap(), query);
    for server in cluster.servers() {
        server.client().ok(&["FLUSHALL"]);
    }
    run(async {
        let con = &mut client.get_async_connection().await.unwrap();
        every_call!(con, query_async, await)
    });
}

#[test]
fn first_calls_at_once_on_a_fresh_cluster_all_get_their_answer() {
    let mut cluster = Cluster::start(Kind::Redis7, 0);
    let client = cluster_client(&mut cluster);
    let fences = run(async {
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..300 {
            let client = client.clone();
            tasks.spawn(async move {
                let mut con = client.get_async_connection().await.unwrap();
                // Thirty keys, over all servers.
                let leases = RedisLeases::new(&format!("fresh:{}", number % 30));
                match leases
                    .lease(&[("a", 10)])
                    .query_async(&mut con)
                    .await
                    .unwrap()
                {
                    Leased::Leased { fence, .. } => (number % 30, fence),
                    other => panic!("{other:?}"),
                }
            });
        }
        tasks.join_all().await
    });
    let different: std::collections::BTreeSet<_> = fences.iter().collect();
    assert_eq!((fences.len(), different.len()), (300, 300));
}
