//! Over the connections that Sentinel gives, before and after a failover.

use super::calls::every_call;
use super::*;
use pointsman::{Candidate, Link, OnlyOne, RepeatBy};
use pointsman_redis::*;
use redis::sentinel::{SentinelClient, SentinelServerType};
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tests::harness::resp;
use tests::harness::server::{Kind, Server, until};

/// A Sentinel that watches one primary, ended when this is dropped.
struct Sentinel {
    address: SocketAddr,
    folder: PathBuf,
    process: Child,
    /// A shell that ends it should the test be ended before.
    watch: Child,
}

impl Sentinel {
    fn start(kind: Kind, primary: SocketAddr) -> Self {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let folder = std::env::temp_dir().join(format!("pointsman-sentinel-{}", address.port()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("sentinel.conf");
        let (ip, port) = (primary.ip(), primary.port());
        let options = format!(
            "bind 127.0.0.1\nport {}\n\
             sentinel monitor main {ip} {port} 1\n\
             sentinel down-after-milliseconds main 500\n\
             sentinel failover-timeout main 2000\n",
            address.port()
        );
        fs::write(&file, options).unwrap();
        let mut sentinel = Command::new(kind.program());
        sentinel.arg(&file).arg("--sentinel").current_dir(&folder);
        let process = sentinel
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut watch = Command::new("sh");
        watch.args(["-c", "read _; kill -KILL $0", &process.id().to_string()]);
        let watch = watch.stdin(Stdio::piped()).spawn().unwrap();
        Self {
            address,
            folder,
            process,
            watch,
        }
    }

    /// Waits until it knows a replica of this primary.
    fn until_it_knows(&self, primary: SocketAddr) {
        until("a Sentinel that knows a replica", || {
            let mut client = resp::Client::try_connect(self.address).ok()?;
            let replicas = client.ok(&["SENTINEL", "REPLICAS", "main"]).array();
            let at = client
                .ok(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main"])
                .array();
            let is_there = at[1].text() == primary.port().to_string();
            (is_there && !replicas.is_empty()).then_some(())
        });
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        for child in [&mut self.watch, &mut self.process] {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn every_call_over_sentinel_before_and_after_a_failover() {
    let kind = Kind::Redis7;
    let primary = Server::start(kind);
    let port = primary.address().port().to_string();
    let options = [
        "--replicaof",
        "127.0.0.1",
        &port,
        "--repl-diskless-sync-delay",
        "0",
    ];
    let replica = Server::start_with(kind, &options, &[]);
    let sentinel = Sentinel::start(kind, primary.address());
    sentinel.until_it_knows(primary.address());
    let url = format!("redis://{}/", sentinel.address);
    let mut client =
        SentinelClient::build(vec![url], "main".into(), None, SentinelServerType::Master).unwrap();
    every_call!(&mut client.get_connection().unwrap(), query);
    primary.client().ok(&["FLUSHALL"]);
    run(async {
        let con = &mut client.get_async_connection().await.unwrap();
        every_call!(con, query_async, await)
    });
    primary.client().ok(&["FLUSHALL"]);
    primary.client().ok(&["WAIT", "1", "10000"]);
    primary.kill();
    let mut con = until("a new primary", || {
        let mut con = client.get_connection().ok()?;
        let role = redis::cmd("ROLE")
            .query::<Vec<redis::Value>>(&mut con)
            .ok()?;
        (role[0] == redis::Value::BulkString("master".into())).then_some(con)
    });
    every_call!(&mut con, query);
    assert!(replica.client().ok(&["DBSIZE"]).int() > 0);
}
