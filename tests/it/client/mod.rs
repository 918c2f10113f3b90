//! The Rust client on real servers.

mod calls;
mod losses;
mod policy;
mod sentinel;
mod waiting;

use pointsman_redis::redis;
use redis::aio::MultiplexedConnection;
use redis::{Client, Connection, ProtocolVersion, RedisResult};
use std::net::SocketAddr;
use std::time::Duration;

/// An instant at which nothing else happens.
const NOW_MS: u64 = 1_700_000_000_000;

fn client(address: SocketAddr) -> Client {
    Client::open(format!("redis://{address}/")).unwrap()
}

/// A client that speaks RESP3.
fn client_3(address: SocketAddr) -> Client {
    let client = client(address);
    let info = client.get_connection_info();
    let settings = info
        .redis_settings()
        .clone()
        .set_protocol(ProtocolVersion::RESP3);
    Client::open(info.clone().set_redis_settings(settings)).unwrap()
}

fn connection(address: SocketAddr) -> Connection {
    let connection = client(address).get_connection().unwrap();
    connection
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    connection
}

async fn connection_async(address: SocketAddr) -> RedisResult<MultiplexedConnection> {
    let patient =
        redis::AsyncConnectionConfig::new().set_response_timeout(Some(Duration::from_secs(20)));
    client(address)
        .get_multiplexed_async_connection_with_config(&patient)
        .await
}

/// Runs what is asynchronous.
fn run<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(future)
}
