//! Servers of the releases that the scripts promise to run on, each a process of its own.

use super::resp::Client;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

/// Longest that a server may take until it answers, or until it is what a test waits for.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Which server, of those that `cargo xtask servers` puts into the target directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Redis 6.2
    Redis6,
    /// Redis 7.0
    Redis7,
    /// Redis 8.2
    Redis8,
    /// Valkey 8.0
    Valkey8,
}

impl Kind {
    /// Every one of them.
    pub const ALL: [Self; 4] = [Self::Redis6, Self::Redis7, Self::Redis8, Self::Valkey8];

    /// The program, which must be there.
    pub fn program(self) -> PathBuf {
        let folder = match self {
            Self::Redis6 => "redis-6",
            Self::Redis7 => "redis-7",
            Self::Redis8 => "redis-8",
            Self::Valkey8 => "valkey-8",
        };
        let program = servers().join(folder).join("redis-server");
        let there = program.exists();
        assert!(there, "no {}: run `cargo xtask servers`", program.display());
        program
    }
}

/// The folder that `cargo xtask servers` fills, in the target directory of this test.
pub fn servers() -> PathBuf {
    let test = env::current_exe().expect("a test knows its path");
    let folders = test.ancestors().map(|folder| folder.join("servers"));
    let mut there = folders.filter(|folder| folder.exists());
    there.next().expect("no servers: run `cargo xtask servers`")
}

/// A server on a free port of the loopback, with a folder of its own, ended when this is dropped.
#[derive(Debug)]
pub struct Server {
    kind: Kind,
    address: SocketAddr,
    folder: PathBuf,
    options: Vec<String>,
    variables: Vec<(String, String)>,
    process: Mutex<Option<Process>>,
}

impl Server {
    /// Starts a server that keeps nothing on disk.
    pub fn start(kind: Kind) -> Self {
        Self::start_with(kind, &[], &[])
    }

    /// Starts a server with options and environment variables of the test's own.
    pub fn start_with(kind: Kind, options: &[&str], variables: &[(&str, &str)]) -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("pointsman-{}-{number}", process::id()));
        fs::create_dir_all(&folder).expect("a folder can be made");
        let pair = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        let mut server = Self {
            kind,
            address: free_address(),
            folder,
            options: options.iter().map(ToString::to_string).collect(),
            variables: variables.iter().map(pair).collect(),
            process: Mutex::new(None),
        };
        // Another process may have taken the port in between.
        let started = (0..5).any(|_| {
            server.address = free_address();
            server.spawn()
        });
        assert!(started, "{kind:?} does not start");
        server
    }

    /// Starts a replica, and waits until it has what the primary has.
    pub fn replica_of(primary: &Self) -> Self {
        let port = primary.address.port().to_string();
        let options = ["--replicaof", "127.0.0.1", &port];
        let replica = Self::start_with(primary.kind, &options, &[]);
        until("a replica", || {
            let info = replica.client().ok(&["INFO", "replication"]).text();
            info.contains("master_link_status:up").then_some(())
        });
        replica
    }

    /// Which server this is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A new connection.
    pub fn client(&self) -> Client {
        Client::connect(self.address)
    }

    /// Ends it as a crash does, with kill -9.
    pub fn kill(&self) {
        *self.process() = None;
    }

    /// Starts it again after `kill`, on the same port.
    pub fn start_again(&self) {
        self.kill();
        assert!(self.spawn(), "{:?} does not start", self.kind);
    }

    /// Stops it from running at all until `go_on`: it holds its connections and answers nothing.
    pub fn pause(&self) {
        self.signal("-STOP");
    }

    /// Ends `pause`.
    pub fn go_on(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let process = self.process();
        let pid = process
            .as_ref()
            .expect("the server runs")
            .server
            .id()
            .to_string();
        let status = Command::new("kill").args([signal, &pid]).status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "{signal} {pid}"
        );
    }

    /// Whether it started: a port may have been taken meanwhile.
    fn spawn(&self) -> bool {
        let mut command = Command::new(self.kind.program());
        command
            .current_dir(&self.folder)
            .args(["--bind", "127.0.0.1"])
            .args(["--port", &self.address.port().to_string()])
            .args(["--save", "", "--appendonly", "no"])
            .args(["--repl-diskless-sync-delay", "0"])
            .args(&self.options)
            .envs(self.variables.iter().cloned());
        let process = Process::start(&mut command);
        let is_running = process.is_some();
        *self.process() = process;
        is_running
    }

    fn process(&self) -> MutexGuard<'_, Option<Process>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let removed = fs::remove_dir_all(&self.folder);
        if let Err(error) = removed {
            eprintln!("{}: {error}", self.folder.display());
        }
    }
}

/// A running server, and a shell that ends it should the test be ended before.
#[derive(Debug)]
struct Process {
    server: Child,
    watch: Child,
}

impl Process {
    /// Starts a server and waits until it answers, or nothing where it ends instead.
    fn start(command: &mut Command) -> Option<Self> {
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut server = spawned.expect("the server is a program");
        let mut watch = Command::new("sh");
        // Its input ends when this process does.
        watch
            .args(["-c", "read _; kill -KILL $0", &server.id().to_string()])
            .stdin(Stdio::piped());
        let watch = watch.spawn().expect("there is a shell");
        let printed = lines_of(&mut server);
        let process = Self { server, watch };
        let begin = Instant::now();
        while let Ok(line) = printed.recv_timeout(PATIENCE.saturating_sub(begin.elapsed())) {
            if line.contains("Ready to accept connections") {
                return Some(process);
            }
        }
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        for child in [&mut self.watch, &mut self.server] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// What a server prints. It is read to its end, or else the server would stand still.
fn lines_of(server: &mut Child) -> Receiver<String> {
    let stdout = server.stdout.take().expect("the output is a pipe");
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    receiver
}

/// A port that nobody has, nor the one 10,000 above, on which a cluster's servers speak to each other.
fn free_address() -> SocketAddr {
    let bound = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let address = || {
        let address = bound(0).ok()?.local_addr().ok()?;
        let bus = address.port().checked_add(10_000)?;
        bound(bus).ok().map(|_| address)
    };
    (0..100).find_map(|_| address()).expect("a port is free")
}

/// Asks again and again until there is an answer.
pub fn until<T>(what: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(answer) = poll() {
            return answer;
        }
        assert!(
            begin.elapsed() < PATIENCE,
            "{what}: not within {PATIENCE:?}"
        );
        thread::park_timeout(Duration::from_millis(2));
    }
}

/// The folder of locales for a server's `LOCPATH`.
pub fn locales() -> PathBuf {
    let folder = servers().join("locale");
    let there = Path::new(&folder).join("en_US.UTF-8").exists();
    assert!(there, "no {}: run `cargo xtask servers`", folder.display());
    folder
}
