//! What is lost on the way, and what an error leaves behind.

use super::*;
use pointsman::{Candidate, OnlyOne, RepeatBy};
use pointsman_redis::*;
use redis::cluster::ClusterClient;
use tests::harness::proxy::Proxy;
use tests::harness::server::{Kind, Server, until};

/// How often a command has run, over all connections.
fn runs(server: &Server, command: &str) -> u64 {
    let stats = server.client().ok(&["INFO", "commandstats"]).text();
    let line = format!("cmdstat_{command}:calls=");
    let calls = stats
        .lines()
        .find_map(|stat| stat.strip_prefix(&line)?.split(',').next());
    calls.map_or(0, |calls| calls.parse().unwrap())
}

fn requests(key: &str) -> RedisLimits {
    RedisLimits::new(key, &[("requests", Rule::bucket(10, 1, 86_400_000))], 1)
}

fn left(taken: Taken) -> u64 {
    match taken {
        Taken::Granted { remaining, .. } => remaining[0].1,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_script_that_the_server_has_forgotten_is_sent_once_in_whole() {
    let server = Server::start(Kind::Redis7);
    let limits = requests("k");
    let mut con = connection(server.address());
    for round in 0..3 {
        let left = left(limits.take(&[("requests", 1)]).query(&mut con).unwrap());
        assert_eq!(left, 9 - round);
        server.client().ok(&["SCRIPT", "FLUSH"]);
    }
    assert_eq!([runs(&server, "evalsha"), runs(&server, "eval")], [3, 3]);
    run(async {
        let mut con = connection_async(server.address()).await.unwrap();
        for _ in 0..2 {
            let _ = limits
                .take(&[("requests", 1)])
                .query_async(&mut con)
                .await
                .unwrap();
        }
    });
    assert_eq!([runs(&server, "evalsha"), runs(&server, "eval")], [5, 4]);
    assert_eq!(runs(&server, "script|load"), 0);
}

#[test]
fn an_error_of_a_script_is_one_run() {
    let server = Server::start(Kind::Redis7);
    let limits = requests("k");
    let mut con = connection(server.address());
    let _ = limits.take(&[("requests", 1)]).query(&mut con).unwrap();
    let error = limits.take(&[("requests", 0)]).query(&mut con).unwrap_err();
    assert!(error.is_argument(), "{error}");
    assert_eq!([runs(&server, "evalsha"), runs(&server, "eval")], [2, 1]);
}

#[test]
fn every_error_arrives_with_its_word() {
    let server = Server::start(Kind::Redis6);
    let mut raw = server.client();
    raw.ok(&["SET", "text", "x"]);
    raw.ok(&["HSET", "foreign", "field", "x"]);
    raw.ok(&["HSET", "newer", "s", "take 2 1 1 1"]);
    raw.ok(&["HSET", "damaged", "s", "take 1 x"]);
    let mut con = connection(server.address());
    let leases = RedisLeases::new("lease");
    let _ = leases.lease(&[("a", 1)]).query(&mut con).unwrap();
    let mut code_of = |key: &str| {
        let take = requests(key).take(&[("requests", 1)]).query(&mut con);
        take.unwrap_err().code().unwrap().to_string()
    };
    assert_eq!(code_of("text"), "POINTSMAN_TYPE");
    assert_eq!(code_of("foreign"), "POINTSMAN_FORMAT");
    assert_eq!(code_of("newer"), "POINTSMAN_FORMAT");
    assert_eq!(code_of("damaged"), "POINTSMAN_DATA");
    assert_eq!(code_of("lease"), "POINTSMAN_KIND");
    assert_eq!(code_of(""), "POINTSMAN_KEYS");
    let limits = requests("k");
    let error = limits
        .take(&[("requests", 1 << 53)])
        .query(&mut con)
        .unwrap_err();
    let text = "take: POINTSMAN_ARG ";
    assert!(
        error.is_argument() && error.to_string().starts_with(text),
        "{error}"
    );
    let late = limits.take(&[("requests", 1)]).deadline_ms(1);
    assert!(late.query(&mut con).unwrap_err().is_deadline());
    assert_eq!(raw.ok(&["EXISTS", "k"]).int(), 0);
}

/// Makes a call whose reply is lost once it has run, then the same request again.
fn twice<O: Operation>(server: &Server, request: &Request<O>) -> O::Outcome {
    let proxy = Proxy::losing_reply(server.address(), 0);
    let error = request
        .query(&mut connection(proxy.address()))
        .err()
        .unwrap();
    assert!(error.is_unreachable(), "{error}");
    request.query(&mut connection(proxy.address())).unwrap()
}

#[test]
fn a_repeat_after_a_lost_reply_changes_nothing_more() {
    let server = Server::start(Kind::Redis7);
    for script in bundle::ALL {
        server.client().ok(&["SCRIPT", "LOAD", script.source]);
    }
    let limits = requests("limits");
    let taken = twice(&server, &limits.take(&[("requests", 4)]).random_id());
    assert!(
        matches!(taken, Taken::Granted { repeated: true, .. }),
        "{taken:?}"
    );
    assert_eq!(left(taken), 6);
    let mut con = connection(server.address());
    let _ = limits.take(&[("requests", 6)]).query(&mut con).unwrap();
    let booked = limits
        .take(&[("requests", 1)])
        .id("b")
        .max_wait_ms(86_400_000);
    let _ = booked.query(&mut con).unwrap();
    assert_eq!(
        twice(&server, &limits.take_cancel("b")),
        TakeCancelled::Returned
    );

    let accounts = RedisLeastUsed::new("used", &[("a", 1)], 1);
    let _ = accounts.configure().query(&mut con).unwrap();
    let picked = twice(&server, &accounts.pick().random_id());
    assert!(
        matches!(
            picked,
            Picked::Upstream {
                count: 1,
                repeated: true,
                ..
            }
        ),
        "{picked:?}"
    );
    let recorded = twice(&server, &accounts.record("a", 5).random_id());
    assert!(
        matches!(
            recorded,
            Recorded::Recorded {
                count: 6,
                repeated: true,
                ..
            }
        ),
        "{recorded:?}"
    );

    let leases = RedisLeases::new("leases");
    let lease = leases.lease(&[("a", 1)]);
    let leased = twice(&server, &lease);
    assert!(
        matches!(leased, Leased::Leased { repeated: true, .. }),
        "{leased:?}"
    );
    let released = twice(&server, &leases.lease_release(lease.lease_id()));
    assert_eq!(released, Released::Gone);

    let shuffle = RedisShuffle::new("shuffle");
    let next = twice(&server, &shuffle.next(&["a", "b"]).random_id());
    let Shuffled::Upstream {
        upstream,
        repeated: true,
        ..
    } = next
    else {
        panic!("{next:?}");
    };
    let other = shuffle.next(&["a", "b"]).query(&mut con).unwrap();
    let expected = if upstream == "a" { "b" } else { "a" };
    assert!(matches!(other, Shuffled::Upstream { upstream, .. } if upstream == expected));

    let proxies = RedisNoRepeat::new("no_repeat", RepeatBy::Upstream, OnlyOne::Fail);
    let only = [Candidate {
        upstream: "p",
        exit: None,
        weight: 1,
    }];
    let again = twice(&server, &proxies.pick(&only).random_id());
    assert!(
        matches!(again, Different::Upstream { repeated: true, .. }),
        "{again:?}"
    );
}

#[test]
fn a_cluster_client_that_sends_a_call_twice_by_itself_is_charged_once() {
    let server = Server::start_with(Kind::Redis7, &["--cluster-enabled", "yes"], &[]);
    let mut raw = server.client();
    raw.ok(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    until("a cluster of one", || {
        let info = raw.ok(&["CLUSTER", "INFO"]).text();
        info.contains("cluster_state:ok").then_some(())
    });
    raw.ok(&["SCRIPT", "LOAD", bundle::TAKE.source]);
    let proxy = Proxy::losing_reply(server.address(), 0);
    let port = proxy.address().port().to_string();
    raw.ok(&["CONFIG", "SET", "cluster-announce-port", &port]);
    let client = ClusterClient::new([format!("redis://{}/", proxy.address())]).unwrap();
    let limits = requests("k");
    let take = limits.take(&[("requests", 4)]).id("t");
    let taken = take.query(&mut client.get_connection().unwrap()).unwrap();
    assert!(
        matches!(taken, Taken::Granted { repeated: true, .. }),
        "{taken:?}"
    );
    assert_eq!(left(taken), 6);
    assert_eq!(runs(&server, "evalsha"), 2);
}

#[test]
fn work_goes_on_after_a_restart() {
    let server = Server::start(Kind::Redis7);
    let limits = requests("k");
    let take = limits.take(&[("requests", 1)]);
    let mut con = connection(server.address());
    assert_eq!(left(take.query(&mut con).unwrap()), 9);
    run(async {
        let manager = client(server.address()).get_connection_manager().await;
        let mut manager = manager.unwrap();
        assert_eq!(left(take.query_async(&mut manager).await.unwrap()), 8);
        server.kill();
        assert!(take.query(&mut con).unwrap_err().is_unreachable());
        assert!(
            take.query_async(&mut manager)
                .await
                .unwrap_err()
                .is_unreachable()
        );
        server.start_again();
        // Nothing was kept on disk, and no script either.
        let mut con = connection(server.address());
        assert_eq!(left(take.query(&mut con).unwrap()), 9);
        // The manager connects again by itself, some calls later.
        let begin = std::time::Instant::now();
        let taken = loop {
            match take.query_async(&mut manager).await {
                Ok(taken) => break taken,
                Err(error) => assert!(error.is_unreachable(), "{error}"),
            }
            assert!(begin.elapsed() < Duration::from_secs(20));
            tokio::task::yield_now().await;
        };
        assert_eq!(left(taken), 8);
    });
}

#[test]
fn a_call_that_a_server_runs_too_late_is_refused() {
    let server = Server::start(Kind::Redis7);
    let limits = requests("k");
    run(async {
        let impatient = redis::AsyncConnectionConfig::new()
            .set_response_timeout(Some(Duration::from_millis(250)));
        let client = client(server.address());
        let con = client.get_multiplexed_async_connection_with_config(&impatient);
        let mut con = con.await.unwrap();
        let take = limits.take(&[("requests", 1)]);
        assert_eq!(left(take.query_async(&mut con).await.unwrap()), 9);
        for (take, expected) in [(take.clone().timeout_ms(100), 8), (take.clone(), 6)] {
            server.pause();
            // It is under way, and stays in the server's buffer; the client gives up on it later
            // than its deadline.
            let error = take.query_async(&mut con).await.unwrap_err();
            assert!(error.is_unreachable(), "{error}");
            server.go_on();
            let patient = &mut connection(server.address());
            assert_eq!(
                left(limits.take(&[("requests", 1)]).query(patient).unwrap()),
                expected
            );
        }
    });
}
