//! A cluster of real servers, and a client that follows its redirections.

use super::resp::{Answer, Client, evaluation};
use super::scripts::{self, Script};
use super::server::{Kind, PATIENCE, Server, until};
use crate::differential::{Reply, Scripts};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

/// Servers that share the slots.
pub struct Cluster {
    servers: Vec<Server>,
}

impl Cluster {
    /// Three primaries, each with so many replicas.
    pub fn start(kind: Kind, replicas: usize) -> Self {
        let options = [
            "--cluster-enabled",
            "yes",
            "--cluster-node-timeout",
            "1000",
            "--cluster-announce-ip",
            "127.0.0.1",
        ];
        let start = |_| Server::start_with(kind, &options, &[]);
        let cluster = Self {
            servers: (0..3 * (1 + replicas)).map(start).collect(),
        };
        let mut create = Command::new("redis-cli");
        create
            .args(["--cluster", "create"])
            .args(
                cluster
                    .servers
                    .iter()
                    .map(|server| server.address().to_string()),
            )
            .args(["--cluster-replicas", &replicas.to_string(), "--cluster-yes"]);
        let created = create.output();
        let created = created.expect("redis-cli is installed: run `cargo xtask servers`");
        let printed = String::from_utf8_lossy(&created.stdout);
        assert!(created.status.success(), "{printed}");
        cluster.wait_until_ready();
        cluster
    }

    /// Its servers, primaries first.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The primary of a key.
    pub fn primary_of(&self, key: &str) -> &Server {
        let address = self.client().owner(key.as_bytes());
        let mut servers = self.servers.iter();
        let found = servers.find(|server| server.address() == address);
        found.expect("a primary is one of the servers")
    }

    /// A client that knows every server, and which of them has a key once it was told.
    pub fn client(&self) -> ClusterClient {
        ClusterClient {
            servers: self.servers.iter().map(Server::address).collect(),
            clients: HashMap::new(),
            owners: HashMap::new(),
            patience: PATIENCE,
        }
    }

    fn wait_until_ready(&self) {
        for server in &self.servers {
            let mut client = server.client();
            until("a cluster of one mind", || {
                let info = client.command(&["CLUSTER", "INFO"]).text();
                let replication = client.command(&["INFO", "replication"]).text();
                let synced = !replication.contains("master_link_status:down");
                let whole = info.contains("cluster_state:ok")
                    && info.contains(&format!("cluster_known_nodes:{}", self.servers.len()));
                (whole && synced).then_some(())
            });
        }
    }
}

/// A client of a cluster.
pub struct ClusterClient {
    servers: Vec<SocketAddr>,
    clients: HashMap<SocketAddr, Client>,
    owners: HashMap<Vec<u8>, SocketAddr>,
    patience: Duration,
}

impl ClusterClient {
    /// Sends a command about a key to the server that has it, and says what broke.
    pub fn try_command(&mut self, key: &[u8], command: &[Vec<u8>]) -> io::Result<Answer> {
        let mut address = *self.owners.get(key).unwrap_or(&self.servers[0]);
        for _ in 0..5 {
            let answer = match self.client(address) {
                Ok(client) => client.try_command(command),
                Err(error) => Err(error),
            };
            let Ok(answer) = answer else {
                self.clients.remove(&address);
                self.owners.remove(key);
                return answer;
            };
            let error = answer.error().unwrap_or_default();
            let words: Vec<&str> = error.split(' ').collect();
            match words[..] {
                ["MOVED", _, to] => {
                    address = parsed(to)?;
                    self.owners.insert(key.to_vec(), address);
                }
                ["ASK", _, to] => {
                    let client = self.client(parsed(to)?)?;
                    client.try_command(&["ASKING"])?;
                    return client.try_command(command);
                }
                _ => {
                    self.owners.insert(key.to_vec(), address);
                    return Ok(answer);
                }
            }
        }
        Err(io::Error::other("redirected five times"))
    }

    /// The same, and panics where the connection breaks.
    pub fn command<A: AsRef<[u8]>>(&mut self, key: &[u8], command: &[A]) -> Answer {
        let command: Vec<Vec<u8>> = command.iter().map(|arg| arg.as_ref().to_vec()).collect();
        self.try_command(key, &command)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The server that has a key.
    pub fn owner(&mut self, key: &[u8]) -> SocketAddr {
        self.command(key, &[b"EXISTS", key]);
        self.owners[key]
    }

    /// The server that has a key, as far as this client was told.
    pub fn known_owner(&self, key: &[u8]) -> Option<SocketAddr> {
        self.owners.get(key).copied()
    }

    /// Runs a script: EVALSHA, and on NOSCRIPT one EVAL.
    pub fn try_evaluate(
        &mut self,
        script: &Script,
        key: &[u8],
        args: &[&[u8]],
    ) -> io::Result<Answer> {
        let call = |command, text| evaluation(command, text, &[key], args);
        let answer = self.try_command(key, &call("EVALSHA", &script.sha1))?;
        match answer.error() {
            Some(error) if error.starts_with("NOSCRIPT") => {
                self.try_command(key, &call("EVAL", &script.source))
            }
            _ => Ok(answer),
        }
    }

    /// Gives up on a reply after this long.
    pub fn patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Forgets a server that has been killed.
    pub fn forget(&mut self, address: SocketAddr) {
        self.servers.retain(|known| *known != address);
        self.clients.remove(&address);
        self.owners.retain(|_, owner| *owner != address);
    }

    fn client(&mut self, address: SocketAddr) -> io::Result<&mut Client> {
        Ok(match self.clients.entry(address) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let mut client = Client::try_connect(address)?;
                client.patience(self.patience);
                place.insert(client)
            }
        })
    }
}

impl Scripts for ClusterClient {
    fn run(&mut self, name: &str, key: &str, args: &[&[u8]]) -> Result<Vec<Reply>, String> {
        let answer = self.try_evaluate(scripts::named(name), key.as_bytes(), args);
        answer.unwrap_or_else(|error| panic!("{error}")).flat()
    }
}

fn parsed(address: &str) -> io::Result<SocketAddr> {
    let is_bad = |_| io::Error::other(format!("{address:?} is no address"));
    address.parse().map_err(is_bad)
}
