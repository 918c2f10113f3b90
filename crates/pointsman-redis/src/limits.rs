use crate::call::{Arguments, Next, Operation, Reply};
use crate::inspect::Inspect;
use crate::key::Key;
use crate::request::Request;
use crate::rule::{Rule, Rules};
use crate::script::Script;
use crate::taken::{TakeCancelled, TakeSettled, Taken};
use crate::{Error, OnUnreachable, bundle, random};
use pointsman::{Inherit, Start};
use std::sync::Arc;

/// Limits that are taken together or not at all, over all workers that name the same key.
///
/// Every worker declares the same rules under the same version. Newer rules (a higher version)
/// come into force with the first take that brings them, for everybody; see [`Taken`] for what a
/// worker with older ones is told.
///
/// ```no_run
/// use pointsman_redis::{RedisLimits, Rule, Taken};
///
/// let mut con = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// let rules = [("requests", Rule::window(60, 60_000)), ("tokens", Rule::bucket(9_000, 9_000, 60_000))];
/// let limits = RedisLimits::new("limits:acct-1", &rules, 1);
/// match limits.take(&[("requests", 1), ("tokens", 700)]).query(&mut con)? {
///     Taken::Granted { remaining, .. } => println!("go; left: {remaining:?}"),
///     Taken::Wait { retry_after_ms, limit, .. } => println!("{limit}: in {retry_after_ms} ms"),
///     other => println!("no: {other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RedisLimits {
    key: Arc<Key>,
    pub(crate) rules: Rules,
    start: Start,
    inherit: Inherit,
    on_unreachable: OnUnreachable,
}

impl RedisLimits {
    /// The limits of a key, each by its name; 1 to 16. `version`: raise it with each change.
    pub fn new(key: &str, limits: &[(&str, Rule)], version: u64) -> Self {
        Self {
            key: Arc::new(Key::new(key)),
            rules: Rules::new(limits, version),
            start: Start::default(),
            inherit: Inherit::default(),
            on_unreachable: OnUnreachable::default(),
        }
    }

    /// How much a new bucket holds: a new name, and all of them after a loss of the data.
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// What a limit that these rules change starts with.
    pub fn inherit(mut self, inherit: Inherit) -> Self {
        self.inherit = inherit;
        self
    }

    /// What a take answers when Redis cannot be reached.
    pub fn on_unreachable(mut self, on_unreachable: OnUnreachable) -> Self {
        self.on_unreachable = on_unreachable;
        self
    }

    /// Takes a cost from each limit named, or from none; one cost at least is above 0.
    pub fn take(&self, costs: &[(&str, u64)]) -> Request<Take<'_>> {
        let take = Take {
            limits: self,
            costs: Vec::new(),
            id: None,
            max_wait_ms: 0,
        };
        let declared = self.declared("costs", costs);
        Request::new(take).set(declared, |take, costs| {
            take.costs = costs.into_iter().map(Option::unwrap_or_default).collect();
        })
    }

    /// Gives back what a take was charged, if it has not started.
    pub fn take_cancel(&self, take_id: &str) -> Request<TakeCancel<'_>> {
        Request::new(TakeCancel {
            limits: self,
            id: take_id.into(),
        })
    }

    /// Corrects what a take was charged to what it really cost, for limits that are declared here; one
    /// that is not named keeps its charge. The last call counts.
    pub fn take_settle(&self, take_id: &str, actual: &[(&str, u64)]) -> Request<TakeSettle<'_>> {
        let settle = TakeSettle {
            limits: self,
            id: take_id.into(),
            actual: Vec::new(),
        };
        let declared = self.declared("actual costs", actual);
        Request::new(settle).set(declared, |settle, actual| settle.actual = actual)
    }

    /// What Redis holds under this key, in plain words.
    pub fn inspect(&self) -> Request<Inspect> {
        Request::new(Inspect::of(&self.key))
    }

    /// One cost for each limit declared, in their order; `None` where it is not named.
    fn declared(&self, what: &str, named: &[(&str, u64)]) -> Result<Vec<Option<u64>>, Error> {
        let mut costs = vec![None; self.rules.limits.len()];
        for (name, cost) in named {
            let at = (self.rules.limits.iter()).position(|(limit, _)| limit == name);
            match at.map(|at| costs[at].replace(*cost)) {
                Some(None) => {}
                Some(Some(_)) => {
                    let text = format!("{what} name the limit {name:?} twice");
                    return Err(Error::argument(text));
                }
                None => {
                    let text = format!("{what} name the limit {name:?}, which is not declared");
                    return Err(Error::argument(text));
                }
            }
        }
        Ok(costs)
    }
}

/// `take`: see [`RedisLimits::take`].
#[derive(Debug, Clone)]
pub struct Take<'a> {
    limits: &'a RedisLimits,
    /// One for each limit declared.
    costs: Vec<u64>,
    id: Option<String>,
    max_wait_ms: u64,
}

impl Request<Take<'_>> {
    /// An id of 1 to 128 bytes that no other take has: with it, a repeat after a lost reply gets
    /// the first answer again instead of being charged again, and the take can be cancelled and
    /// settled. It is known until a minute after its start.
    pub fn id(self, take_id: &str) -> Self {
        self.named("take_id", take_id, |take, id| take.id = Some(id))
    }

    /// As [`id`](Self::id), with one of 128 random bits.
    pub fn random_id(self) -> Self {
        self.set(random::id(), |take, id| take.id = Some(id))
    }

    /// Books a start up to this time from now, instead of only at once: first come, first served.
    /// Gives the take a random id if it has none, so that it can be cancelled.
    pub fn max_wait_ms(self, max_wait_ms: u64) -> Self {
        let mut named = match self.operation.id {
            None if max_wait_ms > 0 => self.random_id(),
            _ => self,
        };
        named.operation.max_wait_ms = max_wait_ms;
        named
    }

    /// The id that this take goes by.
    pub fn take_id(&self) -> Option<&str> {
        self.operation.id.as_deref()
    }
}

impl Take<'_> {
    fn write(&self, rules: &Rules, costs: &[u64], to: &mut Arguments) {
        to.text(self.id.as_deref().unwrap_or_default())
            .whole(self.max_wait_ms)
            .whole(rules.version)
            .text(inherit_word(self.limits.inherit))
            .text(start_word(self.limits.start));
        rules.write(to);
        for &cost in costs {
            to.whole(cost);
        }
    }

    /// The costs under other rules, if these name nothing but limits that are declared here, and
    /// something is left to take.
    fn costs_under(&self, rules: &Rules) -> Option<Vec<u64>> {
        let declared = self.limits.rules.limits.iter().map(|(name, _)| name);
        let cost_of = |(name, _): &(String, Rule)| {
            let at = declared.clone().position(|limit| limit == name)?;
            Some(self.costs[at])
        };
        let costs: Vec<u64> = rules.limits.iter().map(cost_of).collect::<Option<_>>()?;
        costs.iter().any(|&cost| cost > 0).then_some(costs)
    }

    fn read_under(&self, rules: &Rules, reply: &Reply) -> Result<Taken, Error> {
        let mut fields = reply.fields();
        let version = reply.version();
        match reply.word() {
            "granted" => {
                let starts_in_ms = fields.whole("starts_in_ms")?;
                let repeated = fields.flag("repeated")?;
                let remaining = rules.remaining(reply, fields)?;
                if remaining.is_empty() && !repeated {
                    return reply.unreadable("it is granted under rules that were not sent");
                }
                Ok(Taken::Granted {
                    take_id: self.id.clone(),
                    starts_in_ms,
                    starts_at_ms: reply.now_ms() + starts_in_ms,
                    remaining,
                    repeated,
                    version,
                })
            }
            "wait" => {
                let retry_after_ms = fields.whole("retry_after_ms")?;
                let limit = fields.name("limit")?;
                fields.end(Taken::Wait {
                    retry_after_ms,
                    limit,
                    version,
                })
            }
            "never" => {
                let limit = fields.name("limit")?;
                fields.end(Taken::Never { limit, version })
            }
            "reconfigure" => Rules::read(version, fields).map(Taken::Reconfigure),
            "gone" => fields.end(Taken::Gone),
            _ => reply.unknown_word(),
        }
    }
}

impl Operation for Take<'_> {
    type Outcome = Taken;

    const SCRIPT: &'static Script = &bundle::TAKE;

    fn key(&self) -> &Key {
        &self.limits.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        self.write(&self.limits.rules, &self.costs, to);
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<Taken, Error> {
        self.read_under(&self.limits.rules, reply)
    }

    /// Where other rules are in force, the take is repeated once under them.
    fn next(&self, reply: &Reply, earlier: &[Reply]) -> Result<Next<Taken>, Error> {
        let Some(told) = earlier.first() else {
            let outcome = self.read(reply)?;
            if let Taken::Reconfigure(rules) = &outcome {
                if let Some(costs) = self.costs_under(rules) {
                    let mut again = Arguments::default();
                    self.write(rules, &costs, &mut again);
                    return Ok(Next::Run(Self::SCRIPT, again));
                }
            }
            return Ok(Next::Done(outcome));
        };
        let rules = Rules::read(told.version(), told.fields())?;
        self.read_under(&rules, reply).map(Next::Done)
    }

    fn failed(&self, error: Error) -> Result<Taken, Error> {
        self.limits.on_unreachable.answer(error)
    }
}

/// `take_cancel`: see [`RedisLimits::take_cancel`].
#[derive(Debug, Clone)]
pub struct TakeCancel<'a> {
    limits: &'a RedisLimits,
    id: String,
}

impl Operation for TakeCancel<'_> {
    type Outcome = TakeCancelled;

    const SCRIPT: &'static Script = &bundle::TAKE_CANCEL;

    fn key(&self) -> &Key {
        &self.limits.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        to.text(self.id.as_str());
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<TakeCancelled, Error> {
        match reply.word() {
            "returned" => reply.only(TakeCancelled::Returned),
            "started" => reply.only(TakeCancelled::Started),
            "gone" => reply.only(TakeCancelled::Gone),
            _ => reply.unknown_word(),
        }
    }
}

/// `take_settle`: see [`RedisLimits::take_settle`].
#[derive(Debug, Clone)]
pub struct TakeSettle<'a> {
    limits: &'a RedisLimits,
    id: String,
    /// One for each limit declared; `None` keeps its charge.
    actual: Vec<Option<u64>>,
}

impl Operation for TakeSettle<'_> {
    type Outcome = TakeSettled;

    const SCRIPT: &'static Script = &bundle::TAKE_SETTLE;

    fn key(&self) -> &Key {
        &self.limits.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        to.text(self.id.as_str());
        for ((name, _), actual) in self.limits.rules.limits.iter().zip(&self.actual) {
            if let Some(actual) = actual {
                to.text(name.as_str()).whole(*actual);
            }
        }
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<TakeSettled, Error> {
        match reply.word() {
            "settled" => {
                let remaining = self.limits.rules.remaining(reply, reply.fields())?;
                let version = reply.version();
                Ok(TakeSettled::Settled { remaining, version })
            }
            "gone" => reply.only(TakeSettled::Gone),
            _ => reply.unknown_word(),
        }
    }
}

fn start_word(start: Start) -> &'static str {
    match start {
        Start::Full => "full",
        Start::Empty => "empty",
    }
}

fn inherit_word(inherit: Inherit) -> &'static str {
    match inherit {
        Inherit::Keep => "keep",
        Inherit::Proportional => "proportional",
        Inherit::Full => "full",
        Inherit::Empty => "empty",
    }
}
