use crate::Error;
use crate::call::{Arguments, Next, Operation, Reply};
use crate::script::Script;
use pointsman::bounds::MAX_MS;
use redis::{ConnectionLike, RedisResult, Value};
use std::time::Instant;

/// A call that can be made: set what it may have, then end it with [`query`](Self::query), or with
/// `query_async` (feature `tokio`).
///
/// It may be queried again. With an id that is a repeat, as after a lost reply: it gets the first
/// answer again. Without one it is a new call.
#[must_use = "a request does nothing until it is queried"]
#[derive(Debug, Clone)]
pub struct Request<O> {
    pub(crate) operation: O,
    now_ms: u64,
    deadline: Deadline,
    refused: Option<Error>,
}

#[derive(Debug, Clone, Copy)]
enum Deadline {
    None,
    At(u64),
    Within(u64),
}

impl<O> Request<O> {
    pub(crate) fn new(operation: O) -> Self {
        Self {
            operation,
            now_ms: 0,
            deadline: Deadline::None,
            refused: None,
        }
    }

    /// Sets what may fail; the first failure is what a query answers.
    pub(crate) fn set<T>(mut self, value: Result<T, Error>, set: impl FnOnce(&mut O, T)) -> Self {
        match value {
            Ok(value) => set(&mut self.operation, value),
            Err(error) => self.refused = self.refused.or(Some(error)),
        }
        self
    }

    /// Sets an id that is given: to the scripts an empty one is none.
    pub(crate) fn named(self, argument: &str, id: &str, set: impl FnOnce(&mut O, String)) -> Self {
        let given = match id {
            "" => Err(Error::argument(format!(
                "{argument} is empty, but must be 1 to 128 bytes long"
            ))),
            _ => Ok(id.to_string()),
        };
        self.set(given, set)
    }

    /// Decides at this instant, in milliseconds, instead of by the server's clock: for replays and
    /// tests. Every call of the same key must do so.
    pub fn now_ms(mut self, now_ms: u64) -> Self {
        self.now_ms = now_ms;
        self
    }

    /// Refuses the call (`POINTSMAN_DEADLINE`) if it runs after this instant of the server's clock.
    pub fn deadline_ms(mut self, deadline_ms: u64) -> Self {
        self.deadline = Deadline::At(deadline_ms);
        self
    }

    /// Refuses the call (`POINTSMAN_DEADLINE`) if it runs more than this time after it was sent: one
    /// that a client kept while the server was away, and sends when nobody waits for it any more.
    ///
    /// Set it to the response timeout of the connection. It does not end the wait for a reply; that
    /// is what the connection's own timeout does. The server's clock is learnt from each reply to
    /// this object, so its first call has no deadline yet, nor has the one after a refusal: the
    /// server's clock may have been set.
    pub fn timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.deadline = Deadline::Within(timeout_ms);
        self
    }
}

impl<O: Operation> Request<O> {
    /// Makes the call.
    pub fn query(&self, con: &mut dyn ConnectionLike) -> Result<O::Outcome, Error> {
        let mut trip = self.first_trip()?;
        loop {
            let answer = trip.script.run(con, self.key(), &trip.arguments);
            if let Some(outcome) = self.answered(&mut trip, answer)? {
                return Ok(outcome);
            }
        }
    }

    /// [`query`](Self::query) over an asynchronous connection.
    #[cfg(feature = "tokio")]
    pub async fn query_async(
        &self,
        con: &mut impl redis::aio::ConnectionLike,
    ) -> Result<O::Outcome, Error> {
        let mut trip = self.first_trip()?;
        loop {
            let run = trip.script.run_async(con, self.key(), &trip.arguments);
            let answer = run.await;
            if let Some(outcome) = self.answered(&mut trip, answer)? {
                return Ok(outcome);
            }
        }
    }

    fn key(&self) -> &[u8] {
        self.operation.key().name()
    }

    fn first_trip(&self) -> Result<Trip, Error> {
        if let Some(error) = &self.refused {
            return Err(error.clone());
        }
        let mut arguments = Arguments::default();
        self.operation.arguments(&mut arguments)?;
        let sent = Instant::now();
        let deadline_ms = self.deadline_ms_at(sent);
        Ok(Trip {
            script: O::SCRIPT,
            arguments: arguments.behind(self.now_ms, deadline_ms),
            sent,
            deadline_ms,
            earlier: Vec::new(),
        })
    }

    fn deadline_ms_at(&self, sent: Instant) -> u64 {
        match self.deadline {
            Deadline::None => 0,
            Deadline::At(deadline_ms) => deadline_ms,
            Deadline::Within(_) if self.now_ms != 0 => 0,
            Deadline::Within(timeout_ms) => {
                let server_ms = self.operation.key().server_ms(sent);
                server_ms.map_or(0, |now_ms| now_ms.saturating_add(timeout_ms).min(MAX_MS))
            }
        }
    }

    /// The outcome, or `None` and the next trip.
    fn answered(
        &self,
        trip: &mut Trip,
        answer: RedisResult<Value>,
    ) -> Result<Option<O::Outcome>, Error> {
        let value = match answer {
            Ok(value) => value,
            Err(error) => {
                let error = Error::redis(trip.script, error);
                if error.is_deadline() && matches!(self.deadline, Deadline::Within(_)) {
                    self.operation.key().forget();
                }
                return self.operation.failed(error).map(Some);
            }
        };
        let reply = Reply::new(trip.script, value)?;
        if self.now_ms == 0 {
            let key = self.operation.key();
            key.learn(trip.sent, Instant::now(), reply.now_ms());
        }
        match self.operation.next(&reply, &trip.earlier)? {
            Next::Done(outcome) => Ok(Some(outcome)),
            Next::Run(script, arguments) => {
                trip.script = script;
                trip.arguments = arguments.behind(self.now_ms, trip.deadline_ms);
                trip.sent = Instant::now();
                trip.earlier.push(reply);
                Ok(None)
            }
        }
    }
}

/// One way to Redis and back.
struct Trip {
    script: &'static Script,
    arguments: Vec<Vec<u8>>,
    sent: Instant,
    deadline_ms: u64,
    earlier: Vec<Reply>,
}
