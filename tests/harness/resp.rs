//! A client of Redis that hides nothing: the two protocols over a socket, each kind of reply apart.

use crate::differential::{Reply, Scripts};
use crate::harness::scripts::{self, Script};
use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longest that a reply may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// A reply, as the server sent it.
#[derive(Clone, PartialEq)]
pub enum Answer {
    /// `+`
    Simple(String),
    /// `-` and `!`, the text without the sign
    Error(String),
    /// `:`
    Int(i64),
    /// `$`
    Bytes(Vec<u8>),
    /// `$-1`, `*-1` and `_`
    Nil,
    /// `*`
    Array(Vec<Answer>),
    /// `,`
    Double(String),
    /// `#`
    Bool(bool),
    /// `%`
    Map(Vec<(Answer, Answer)>),
    /// `~`
    Set(Vec<Answer>),
    /// `>`
    Push(Vec<Answer>),
    /// `(`
    BigNumber(String),
    /// `=`, the format in front
    Verbatim(Vec<u8>),
}

impl Answer {
    /// The text of an error, or nothing where it is none.
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Error(text) => Some(text),
            _ => None,
        }
    }

    /// The integer that this is.
    pub fn int(&self) -> i64 {
        match self {
            Self::Int(n) => *n,
            other => panic!("{other:?} is no integer"),
        }
    }

    /// The text that this is, simple or not.
    pub fn text(&self) -> String {
        match self {
            Self::Simple(text) => text.clone(),
            Self::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Self::Verbatim(bytes) => String::from_utf8_lossy(&bytes[4..]).into_owned(),
            other => panic!("{other:?} is no text"),
        }
    }

    /// The elements of the array that this is.
    pub fn array(self) -> Vec<Answer> {
        match self {
            Self::Array(elements) => elements,
            other => panic!("{other:?} is no array"),
        }
    }

    /// What a script of the bundle may answer: a flat array of integers and strings, or an error.
    pub fn flat(self) -> Result<Vec<Reply>, String> {
        match self {
            Self::Error(text) => Err(text),
            Self::Array(elements) => Ok(elements
                .into_iter()
                .map(|element| match element {
                    Self::Int(n) => Reply::Int(n),
                    Self::Bytes(bytes) => Reply::Bytes(bytes),
                    other => panic!("{other:?} stands in a reply"),
                })
                .collect()),
            other => panic!("{other:?} is no reply of a script"),
        }
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Simple(text) => write!(f, "+{text}"),
            Self::Error(text) => write!(f, "-{text}"),
            Self::Int(n) => write!(f, "{n}"),
            Self::Bytes(bytes) => write!(f, "\"{}\"", bytes.escape_ascii()),
            Self::Nil => write!(f, "nil"),
            Self::Array(elements) => f.debug_list().entries(elements).finish(),
            Self::Double(text) => write!(f, "double {text}"),
            Self::Bool(is) => write!(f, "{is}"),
            Self::Map(pairs) => f.debug_map().entries(pairs.iter().cloned()).finish(),
            Self::Set(elements) => f.debug_set().entries(elements).finish(),
            Self::Push(elements) => write!(f, "push {elements:?}"),
            Self::BigNumber(text) => write!(f, "big {text}"),
            Self::Verbatim(bytes) => write!(f, "verbatim \"{}\"", bytes.escape_ascii()),
        }
    }
}

/// A connection. Each method waits for the reply, and panics where the connection breaks, but those
/// that begin with `try_`.
pub struct Client {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
}

impl Client {
    /// Connects, speaking RESP2.
    pub fn connect(address: SocketAddr) -> Self {
        Self::try_connect(address).unwrap_or_else(|error| panic!("{address}: {error}"))
    }

    /// Connects, or says why not.
    pub fn try_connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let stream = BufReader::with_capacity(1 << 16, stream);
        Ok(Self { address, stream })
    }

    /// Where it is connected to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Speaks RESP3 from now on.
    pub fn hello3(&mut self) {
        let hello = self.command(&["HELLO", "3"]);
        assert!(matches!(hello, Answer::Map(_)), "{hello:?}");
    }

    /// Is this user from now on.
    pub fn auth(&mut self, user: &str, password: &str) {
        let auth = self.command(&["AUTH", user, password]);
        assert_eq!(auth, Answer::Simple("OK".into()));
    }

    /// Gives up on a reply after this long.
    pub fn patience(&mut self, patience: Duration) {
        let set = self.stream.get_ref().set_read_timeout(Some(patience));
        set.expect("a read may have a time limit");
    }

    /// Sends a command and reads its reply.
    pub fn command<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Answer {
        let address = self.address;
        self.try_command(args)
            .unwrap_or_else(|error| panic!("{address}: {error}"))
    }

    /// As `command`, but an error reply panics.
    pub fn ok<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Answer {
        let answer = self.command(args);
        if let Some(error) = answer.error() {
            let words: Vec<_> = args.iter().map(|arg| arg.as_ref().escape_ascii()).collect();
            panic!("{}: {error}", words[0]);
        }
        answer
    }

    /// Sends a command and reads its reply, or says how the connection broke.
    pub fn try_command<A: AsRef<[u8]>>(&mut self, args: &[A]) -> io::Result<Answer> {
        self.send(&encoded(args))?;
        self.receive()
    }

    /// Sends many commands at once, then reads as many replies.
    pub fn pipeline(&mut self, commands: &[Vec<Vec<u8>>]) -> Vec<Answer> {
        let whole: Vec<u8> = commands.iter().flat_map(|args| encoded(args)).collect();
        self.send(&whole).expect("the server reads");
        let read = |_| self.receive().expect("the server answers");
        (0..commands.len()).map(read).collect()
    }

    /// Sends bytes: see `encoded`.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Reads the next reply.
    pub fn receive(&mut self) -> io::Result<Answer> {
        answer(&mut self.stream)
    }

    /// Runs a script: EVALSHA, and on NOSCRIPT one EVAL.
    pub fn evaluate<A: AsRef<[u8]>>(
        &mut self,
        script: &Script,
        keys: &[&[u8]],
        args: &[A],
    ) -> Answer {
        let answer = self.command(&evaluation("EVALSHA", &script.sha1, keys, args));
        match answer.error() {
            Some(error) if error.starts_with("NOSCRIPT") => {
                self.command(&evaluation("EVAL", &script.source, keys, args))
            }
            _ => answer,
        }
    }
}

impl Scripts for Client {
    fn run(&mut self, name: &str, key: &str, args: &[&[u8]]) -> Result<Vec<Reply>, String> {
        self.evaluate(scripts::named(name), &[key.as_bytes()], args)
            .flat()
    }
}

/// A command as it goes over the wire, the same in both protocols.
pub fn encoded<A: AsRef<[u8]>>(args: &[A]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", args.len()).into_bytes();
    for arg in args {
        let arg = arg.as_ref();
        bytes.extend(format!("${}\r\n", arg.len()).as_bytes());
        bytes.extend(arg);
        bytes.extend(b"\r\n");
    }
    bytes
}

/// EVAL or EVALSHA, with what it is given.
pub fn evaluation<A: AsRef<[u8]>>(
    command: &str,
    script: &str,
    keys: &[&[u8]],
    args: &[A],
) -> Vec<Vec<u8>> {
    let count = keys.len().to_string();
    let head = [command.as_bytes(), script.as_bytes(), count.as_bytes()];
    let head = head.into_iter().chain(keys.iter().copied());
    let args = args.iter().map(AsRef::as_ref);
    head.chain(args).map(<[u8]>::to_vec).collect()
}

/// Reads the next reply.
pub fn answer(reader: &mut impl BufRead) -> io::Result<Answer> {
    let line = line(reader)?;
    let (sign, rest) = line.split_at(1);
    Ok(match (sign, rest) {
        ("$" | "*", "-1") | ("_", _) => Answer::Nil,
        ("+", text) => Answer::Simple(text.into()),
        ("-", text) => Answer::Error(text.into()),
        (":", n) => Answer::Int(number(n)?),
        (",", text) => Answer::Double(text.into()),
        ("#", is) => Answer::Bool(is == "t"),
        ("(", text) => Answer::BigNumber(text.into()),
        ("$", length) => Answer::Bytes(bytes(reader, length)?),
        ("=", length) => Answer::Verbatim(bytes(reader, length)?),
        ("!", length) => {
            let text = bytes(reader, length)?;
            Answer::Error(String::from_utf8_lossy(&text).into_owned())
        }
        ("*", count) => Answer::Array(answers(reader, number(count)?)?),
        ("~", count) => Answer::Set(answers(reader, number(count)?)?),
        (">", count) => Answer::Push(answers(reader, number(count)?)?),
        ("%", count) => {
            let flat = answers(reader, 2 * number::<usize>(count)?)?;
            let pair = |pair: &[Answer]| (pair[0].clone(), pair[1].clone());
            Answer::Map(flat.chunks(2).map(pair).collect())
        }
        _ => return Err(io::Error::other(format!("no reply begins with {line:?}"))),
    })
}

fn answers(reader: &mut impl BufRead, count: usize) -> io::Result<Vec<Answer>> {
    (0..count).map(|_| answer(reader)).collect()
}

fn line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    match line.strip_suffix(b"\r\n") {
        Some(line) if !line.is_empty() => Ok(String::from_utf8_lossy(line).into_owned()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn bytes(reader: &mut impl BufRead, length: &str) -> io::Result<Vec<u8>> {
    let length = number(length)?;
    let mut bytes = vec![0; length + 2];
    reader.read_exact(&mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

fn number<N: std::str::FromStr>(text: &str) -> io::Result<N> {
    text.parse()
        .map_err(|_| io::Error::other(format!("{text:?} is no number of this kind")))
}
