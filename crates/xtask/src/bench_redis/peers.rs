//! What others send for the same purpose, recorded from their npm packages.

use crate::command::{Outcome, quietly};
use crate::{npm, root};
use serde_json::Value;
use std::process::Command;

/// A peer's line of the table.
#[derive(Clone)]
pub struct Peer {
    pub name: String,
    pub calls: Vec<PeerCall>,
}

/// One of its calls.
#[derive(Clone)]
pub enum PeerCall {
    /// A script.
    Script {
        source: String,
        keys: Vec<String>,
        args: Vec<String>,
    },
    /// A plain command.
    Command(Vec<String>),
}

/// No limiter, but what one cannot do without: the clock, its state read and written, and a reply. The
/// gates were set where the first cost 3.1 and the second 3.6; where they cost more, so does the rest.
pub fn bare() -> Vec<Peer> {
    let commands =
        "redis.call('TIME') redis.call('GET', KEYS[1]) redis.call('SET', KEYS[1], 'state')";
    let bare = |name: &str, reply: &str| Peer {
        name: name.into(),
        calls: vec![PeerCall::Script {
            source: format!("{commands} return {reply}"),
            keys: vec!["bare".into()],
            args: Vec::new(),
        }],
    };
    vec![
        bare("TIME + GET + SET, nothing else", "1"),
        bare(
            "TIME + GET + SET, a take's reply",
            "{'granted', 1, 1700000000123, 1, 0, 0, 9}",
        ),
    ]
}

/// Installs the peers, and asks them.
pub fn recorded() -> Outcome<Vec<Peer>> {
    npm::install("npm/bench")?;
    let mut node = Command::new("node");
    let json = quietly(node.arg(root().join("npm/bench/redis-peers.mjs")))?;
    let unreadable = || format!("npm/bench/redis-peers.mjs printed {json}");
    let peers: Value = serde_json::from_str(&json).map_err(|_| unreadable())?;
    let peers = peers.as_array().ok_or_else(unreadable)?;
    Ok(peers.iter().map(peer).collect())
}

fn peer(value: &Value) -> Peer {
    let calls = value["calls"].as_array();
    Peer {
        name: value["name"].as_str().unwrap_or_default().to_string(),
        calls: calls.into_iter().flatten().map(call).collect(),
    }
}

fn call(value: &Value) -> PeerCall {
    match value["script"].as_str() {
        Some(source) => PeerCall::Script {
            source: source.to_string(),
            keys: texts(&value["keys"]),
            args: texts(&value["args"]),
        },
        None => PeerCall::Command(texts(&value["command"])),
    }
}

fn texts(value: &Value) -> Vec<String> {
    let texts = value.as_array().into_iter().flatten();
    texts.filter_map(Value::as_str).map(String::from).collect()
}
