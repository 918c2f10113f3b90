//! A proxy in front of a server that loses what a test wants lost.

use super::resp;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// What becomes of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It runs, and its reply arrives.
    Passes,
    /// It runs, its reply is lost, and the connection breaks.
    LosesReply,
    /// It is lost before it runs, and the connection breaks.
    IsLost,
}

/// Decides over each command, in the order in which they come: its arguments are given.
type Decide = dyn FnMut(&[Vec<u8>]) -> Fate + Send;

/// A proxy on a free port. Its connections break when it is dropped.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    server: SocketAddr,
    decide: Mutex<Box<Decide>>,
    connections: Mutex<Vec<TcpStream>>,
    ended: AtomicBool,
}

impl Proxy {
    /// A proxy in front of the server at this address.
    pub fn start(
        server: SocketAddr,
        decide: impl FnMut(&[Vec<u8>]) -> Fate + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let shared = Arc::new(Shared {
            server,
            decide: Mutex::new(Box::new(decide)),
            connections: Mutex::new(Vec::new()),
            ended: AtomicBool::new(false),
        });
        let accepting = thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                for client in listener.incoming().map_while(Result::ok) {
                    if shared.ended.load(Ordering::SeqCst) {
                        break;
                    }
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || shared.serve(client));
                }
            }
        });
        Self {
            address,
            shared,
            accepting: Some(accepting),
        }
    }

    /// A proxy that loses the reply to the script call of this number, counted from 0.
    pub fn losing_reply(server: SocketAddr, number: usize) -> Self {
        let mut calls = 0;
        Self::start(server, move |command| {
            let is_script = command[0].to_ascii_uppercase().starts_with(b"EVAL");
            calls += usize::from(is_script);
            match is_script && calls == number + 1 {
                true => Fate::LosesReply,
                false => Fate::Passes,
            }
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        // Accepting ends with the next connection: this one.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
        let connections = self.shared.connections.lock();
        for connection in connections.iter().flat_map(|all| all.iter()) {
            let _ = connection.shutdown(Shutdown::Both);
        }
    }
}

impl Shared {
    /// Passes on one command after another, until an end breaks or a fate breaks them.
    fn serve(&self, client: TcpStream) {
        let Ok(server) = TcpStream::connect(self.server) else {
            return;
        };
        let kept = [&client, &server].map(|stream| stream.try_clone());
        if let Ok(mut connections) = self.connections.lock() {
            connections.extend(kept.into_iter().flatten());
        }
        let (from_client, from_server) = (Copied::of(&client), Copied::of(&server));
        let _ = self.pass_on(from_client, &client, from_server, &server);
        for stream in [client, server] {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn pass_on(
        &self,
        mut from_client: Copied<'_>,
        mut client: &TcpStream,
        mut from_server: Copied<'_>,
        mut server: &TcpStream,
    ) -> io::Result<()> {
        loop {
            let command = resp::answer(&mut from_client)?.array();
            let args: Vec<Vec<u8>> = (command.into_iter())
                .map(|arg| match arg {
                    resp::Answer::Bytes(bytes) => bytes,
                    other => panic!("{other:?} stands in a command"),
                })
                .collect();
            let fate = self.decide.lock().expect("no decision panics")(&args);
            if fate == Fate::IsLost {
                return Ok(());
            }
            server.write_all(&from_client.taken())?;
            resp::answer(&mut from_server)?;
            if fate == Fate::LosesReply {
                return Ok(());
            }
            client.write_all(&from_server.taken())?;
        }
    }
}

/// A reader that keeps a copy of what was read.
struct Copied<'a> {
    reader: BufReader<&'a TcpStream>,
    copy: Vec<u8>,
}

impl<'a> Copied<'a> {
    fn of(stream: &'a TcpStream) -> Self {
        Self {
            reader: BufReader::new(stream),
            copy: Vec::new(),
        }
    }

    /// What was read since this was last asked.
    fn taken(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.copy)
    }
}

impl Read for Copied<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(into)?;
        self.copy.extend(&into[..read]);
        Ok(read)
    }
}

impl BufRead for Copied<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.copy.extend(&self.reader.buffer()[..count]);
        self.reader.consume(count);
    }
}
