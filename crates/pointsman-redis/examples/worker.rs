//! One of many workers that send prompts to a pool of accounts, a line of standard input each:
//!
//! ```console
//! $ printf 'hello\nhow are you?\n' | cargo run --example worker --features tokio -- redis://127.0.0.1/
//! acct-1: 5 tokens for "hello"
//! acct-2: 12 tokens for "how are you?"
//! ```
//!
//! Start as many as you like, on as many machines: together they keep to the limits, first come,
//! first served, and no account has more than two prompts at a time.

use pointsman_redis::redis::{self, aio::ConnectionManager};
use pointsman_redis::{Leased, RedisLeases, RedisLimits, Rule, Taken};
use std::io::BufRead;
use std::time::Duration;
use tokio::time::Instant;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// How long a prompt may wait for its turn.
const PATIENCE_MS: u64 = 300_000;

const ACCOUNTS: [(&str, u32); 2] = [("acct-1", 2), ("acct-2", 2)];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let url = std::env::args()
        .nth(1)
        .ok_or("the URL of a Redis is missing")?;
    let mut con = redis::Client::open(url)?.get_connection_manager().await?;
    let rules = [
        ("requests", Rule::window(60, 60_000)),
        ("tokens", Rule::bucket(9_000, 9_000, 60_000)),
    ];
    let limits = RedisLimits::new("example:limits", &rules, 1);
    let accounts = RedisLeases::new("example:accounts");
    for prompt in std::io::stdin().lock().lines() {
        let prompt = prompt?;
        let Some(take_id) = turn(&limits, &prompt, &mut con).await? else {
            continue;
        };
        let (account, lease_id) = account(&accounts, &mut con).await?;
        let tokens = send(&account, &prompt);
        println!("{account}: {tokens} tokens for {prompt:?}");
        let actual = [("tokens", tokens)];
        let _ = limits
            .take_settle(&take_id, &actual)
            .query_async(&mut con)
            .await?;
        let _ = accounts
            .lease_release(&lease_id)
            .query_async(&mut con)
            .await?;
    }
    Ok(())
}

/// Waits until the prompt may go, and returns the id of what was taken for it.
async fn turn(
    limits: &RedisLimits,
    prompt: &str,
    con: &mut ConnectionManager,
) -> Outcome<Option<String>> {
    // More than it will be; what was not used goes back when the real number is known.
    let estimate = 2 * prompt.len() as u64 + 100;
    let take = limits.take_when_free(&[("requests", 1), ("tokens", estimate)], PATIENCE_MS);
    let interrupted = async {
        // Where the signal cannot be heard, the wait goes on.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    };
    match take.query_async(con, interrupted).await? {
        Taken::Granted { .. } => Ok(Some(take.take_id().to_string())),
        Taken::GivenUp { .. } => Err("interrupted; the place went back".into()),
        other => {
            eprintln!("left out {prompt:?}: {other:?}");
            Ok(None)
        }
    }
}

/// The account with the fewest prompts under way, and the id of the lease on it.
async fn account(accounts: &RedisLeases, con: &mut ConnectionManager) -> Outcome<(String, String)> {
    loop {
        match accounts.lease(&ACCOUNTS).query_async(con).await? {
            Leased::Leased {
                upstream, lease_id, ..
            } => return Ok((upstream, lease_id)),
            // A lease may be released before it expires: asks again after a second at the latest.
            Leased::Wait { retry_after_ms } => {
                let pause = Duration::from_millis(retry_after_ms.min(1_000));
                tokio::time::sleep_until(Instant::now() + pause).await;
            }
            other => return Err(format!("no account: {other:?}").into()),
        }
    }
}

/// Stands for the request to the account: the number of tokens that it was charged.
fn send(_account: &str, prompt: &str) -> u64 {
    prompt.len() as u64
}
