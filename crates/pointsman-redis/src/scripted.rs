//! A connection of the tests: answers with what it was given, and keeps what it was sent.

use redis::{ConnectionLike, RedisResult, Value};
use std::collections::VecDeque;

/// A reply, literally: integers and strings as they stand.
macro_rules! answer {
    ($($field:expr),* $(,)?) => { Vec::from_iter([$(crate::scripted::Literal::from($field).0),*]) };
}
pub(crate) use answer;

pub(crate) struct Literal(pub(crate) Value);

impl From<i64> for Literal {
    fn from(number: i64) -> Self {
        Self(Value::Int(number))
    }
}

impl From<&str> for Literal {
    fn from(text: &str) -> Self {
        Self(Value::BulkString(text.into()))
    }
}

#[derive(Default, Clone)]
pub(crate) struct Scripted {
    answers: VecDeque<RedisResult<Value>>,
    /// Of each command: its name, the script or its digest, the number of keys, the key, arguments.
    pub(crate) sent: Vec<Vec<String>>,
}

impl Scripted {
    pub(crate) fn new(answers: impl IntoIterator<Item = Vec<Value>>) -> Self {
        let answers = answers.into_iter().map(|fields| Ok(Value::Array(fields)));
        Self {
            answers: answers.collect(),
            sent: Vec::new(),
        }
    }

    /// Answers one more command with the line of an error reply.
    pub(crate) fn then_error(mut self, line: &str) -> Self {
        let reply = redis::parse_redis_value(format!("-{line}\r\n").as_bytes());
        self.answers.push_back(reply);
        self
    }

    /// Answers one more command.
    pub(crate) fn then(mut self, fields: Vec<Value>) -> Self {
        self.answers.push_back(Ok(Value::Array(fields)));
        self
    }

    /// The arguments of a call behind `now_ms` and `deadline_ms`.
    pub(crate) fn arguments(&self, call: usize) -> &[String] {
        &self.sent[call][6..]
    }

    fn answer(&mut self, command: &[u8]) -> RedisResult<Value> {
        let Ok(Value::Array(words)) = redis::parse_redis_value(command) else {
            panic!("a command is an array");
        };
        let text = |word| match word {
            Value::BulkString(bytes) => String::from_utf8(bytes).unwrap(),
            other => panic!("{other:?} in a command"),
        };
        self.sent.push(words.into_iter().map(text).collect());
        self.answers.pop_front().expect("one call too many")
    }
}

impl ConnectionLike for Scripted {
    fn req_packed_command(&mut self, command: &[u8]) -> RedisResult<Value> {
        self.answer(command)
    }

    fn req_packed_commands(&mut self, _: &[u8], _: usize, _: usize) -> RedisResult<Vec<Value>> {
        panic!("nothing here is pipelined")
    }

    fn get_db(&self) -> i64 {
        0
    }

    fn check_connection(&mut self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        true
    }
}

#[cfg(feature = "tokio")]
impl redis::aio::ConnectionLike for Scripted {
    fn req_packed_command<'a>(
        &'a mut self,
        command: &'a redis::Cmd,
    ) -> redis::RedisFuture<'a, Value> {
        let answer = self.answer(&command.get_packed_command());
        Box::pin(std::future::ready(answer))
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        _: &'a redis::Pipeline,
        _: usize,
        _: usize,
    ) -> redis::RedisFuture<'a, Vec<Value>> {
        panic!("nothing here is pipelined")
    }

    fn get_db(&self) -> i64 {
        0
    }
}
