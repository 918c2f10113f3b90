//! What others send for the same purpose, recorded from their npm packages.

use crate::command::{Outcome, quietly};
use crate::{npm, root};
use serde_json::Value;
use std::process::Command;

/// A peer's line of the table.
pub struct Peer {
    pub name: String,
    pub calls: Vec<PeerCall>,
}

/// One of its calls.
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
