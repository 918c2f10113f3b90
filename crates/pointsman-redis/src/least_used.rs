use crate::call::{Arguments, Next, Operation, Reply};
use crate::inspect::Inspect;
use crate::key::Key;
use crate::picked::{Configured, Picked, Recorded};
use crate::request::Request;
use crate::script::Script;
use crate::{Error, bundle, random};
use pointsman::Join;
use pointsman::bounds::MAX_WEIGHT;
use std::sync::Arc;

/// A week, in milliseconds: how long counts are remembered without use, unless said otherwise.
const KEEP_MS: u64 = 604_800_000;

/// Which upstream has been picked least often for its weight, over all workers that name the same
/// key.
///
/// The list is held in Redis, with its version. A worker brings a new list into force with
/// [`configure`](Self::configure), once at its start. Picks and records go by the list in force and
/// say its version. One that finds an older list than the declared one, as after a loss of the data,
/// brings that in for those that follow; one that finds none configures it and goes on. Both cost
/// further trips, once.
///
/// ```no_run
/// use pointsman_redis::{Picked, RedisLeastUsed};
///
/// let mut con = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// let accounts = RedisLeastUsed::new("used:accounts", &[("acct-1", 2), ("acct-2", 1)], 1);
/// let _ = accounts.configure().query(&mut con)?;
/// if let Picked::Upstream { upstream, .. } = accounts.pick().exclude(&["acct-2"]).query(&mut con)? {
///     assert_eq!(upstream, "acct-1");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RedisLeastUsed {
    key: Arc<Key>,
    version: u64,
    upstreams: Vec<(String, u32)>,
    join: Join,
    keep_ms: u64,
}

impl RedisLeastUsed {
    /// The upstreams of a key with their weights, 0 to 65,535; at most 1,024, each once.
    /// `version`: raise it with each change.
    pub fn new(key: &str, upstreams: &[(&str, u32)], version: u64) -> Self {
        let named = |&(upstream, weight): &(&str, u32)| (upstream.to_string(), weight);
        Self {
            key: Arc::new(Key::new(key)),
            version,
            upstreams: upstreams.iter().map(named).collect(),
            join: Join::default(),
            keep_ms: KEEP_MS,
        }
    }

    /// Where the count of a new or returning upstream starts.
    pub fn join(mut self, join: Join) -> Self {
        self.join = join;
        self
    }

    /// How long everything is remembered while nobody picks: 1,000 ms to 400 days; a week unless
    /// set.
    pub fn keep_ms(mut self, keep_ms: u64) -> Self {
        self.keep_ms = keep_ms;
        self
    }

    /// Brings this list into force, if its version is newer than the one in force.
    pub fn configure(&self) -> Request<ConfigureLeastUsed<'_>> {
        Request::new(ConfigureLeastUsed {
            declared: self,
            draw: None,
        })
    }

    /// Picks the least used upstream, and counts the pick.
    pub fn pick(&self) -> Request<PickLeastUsed<'_>> {
        Request::new(PickLeastUsed {
            declared: self,
            id: None,
            excluded: Vec::new(),
        })
    }

    /// Counts uses of an upstream that were not picked here, 0 to 2^53 - 1.
    pub fn record(&self, upstream: &str, times: u64) -> Request<RecordLeastUsed<'_>> {
        Request::new(RecordLeastUsed {
            declared: self,
            id: None,
            upstream: upstream.into(),
            times,
        })
    }

    /// What Redis holds under this key, in plain words.
    pub fn inspect(&self) -> Request<Inspect> {
        Request::new(Inspect::of(&self.key))
    }

    fn write(&self, draw: u64, to: &mut Arguments) {
        let join = match self.join {
            Join::Floor => "floor",
            Join::Keep => "keep",
            Join::Zero => "zero",
        };
        to.whole(self.version)
            .text(join)
            .whole(self.keep_ms)
            .whole(draw);
        for (upstream, weight) in &self.upstreams {
            to.text(upstream.as_str()).whole((*weight).into());
        }
    }

    /// Where nothing is configured, this list is, and the call is made once more. Where an older one
    /// is in force, as after a loss of the data, this one is brought in behind the call. `earlier`:
    /// the answer to the call, then also that to the configuration.
    fn or_configure<O: Operation>(
        &self,
        call: &O,
        reply: &Reply,
        earlier: &[Reply],
    ) -> Result<Next<O::Outcome>, Error> {
        let is_lost = |answer: &Reply| answer.word() == "unknown";
        let mut arguments = Arguments::default();
        match earlier {
            [] => {
                let outcome = call.read(reply)?;
                if !is_lost(reply) && reply.version() >= self.version {
                    return Ok(Next::Done(outcome));
                }
                self.write(random::draw()?, &mut arguments);
                Ok(Next::Run(&bundle::CONFIGURE_LEAST_USED, arguments))
            }
            [answer] => {
                let _ = read_configured(reply)?;
                if !is_lost(answer) {
                    return call.read(answer).map(Next::Done);
                }
                call.arguments(&mut arguments)?;
                Ok(Next::Run(O::SCRIPT, arguments))
            }
            _ => call.read(reply).map(Next::Done),
        }
    }
}

/// `configure_least_used`: see [`RedisLeastUsed::configure`].
#[derive(Debug, Clone)]
pub struct ConfigureLeastUsed<'a> {
    declared: &'a RedisLeastUsed,
    draw: Option<u64>,
}

impl Request<ConfigureLeastUsed<'_>> {
    /// Begins the first round at this whole number below 2^53 instead of a random one: for replays
    /// and tests.
    pub fn draw(mut self, draw: u64) -> Self {
        self.operation.draw = Some(draw);
        self
    }
}

impl Operation for ConfigureLeastUsed<'_> {
    type Outcome = Configured;

    const SCRIPT: &'static Script = &bundle::CONFIGURE_LEAST_USED;

    fn key(&self) -> &Key {
        &self.declared.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        let draw = self.draw.map_or_else(random::draw, Ok)?;
        self.declared.write(draw, to);
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<Configured, Error> {
        read_configured(reply)
    }
}

fn read_configured(reply: &Reply) -> Result<Configured, Error> {
    let mut fields = reply.fields();
    match reply.word() {
        word @ ("configured" | "same") => {
            fields.whole("count")?;
            fields.end(match word {
                "same" => Configured::Same,
                _ => Configured::Configured,
            })
        }
        "older" => {
            let version = reply.version();
            fields.end(Configured::Older { version })
        }
        "other" => {
            let upstreams = fields.each(|fields| {
                let upstream = fields.name("upstream")?;
                let weight = fields.within("weight", 0, MAX_WEIGHT.into())?;
                Ok((upstream, weight as u32))
            })?;
            Ok(Configured::Other { upstreams })
        }
        _ => reply.unknown_word(),
    }
}

/// `pick_least_used`: see [`RedisLeastUsed::pick`].
#[derive(Debug, Clone)]
pub struct PickLeastUsed<'a> {
    declared: &'a RedisLeastUsed,
    id: Option<String>,
    excluded: Vec<String>,
}

impl Request<PickLeastUsed<'_>> {
    /// An id of 1 to 128 bytes, with which a repeat gets the first answer again instead of being
    /// counted again.
    pub fn id(self, request_id: &str) -> Self {
        self.named("request_id", request_id, |pick, id| pick.id = Some(id))
    }

    /// As [`id`](Self::id), with one of 128 random bits.
    pub fn random_id(self) -> Self {
        self.set(random::id(), |pick, id| pick.id = Some(id))
    }

    /// Upstreams that must not be picked; at most 1,024 names.
    pub fn exclude(mut self, upstreams: &[&str]) -> Self {
        self.operation.excluded = upstreams.iter().map(|name| name.to_string()).collect();
        self
    }
}

impl Operation for PickLeastUsed<'_> {
    type Outcome = Picked;

    const SCRIPT: &'static Script = &bundle::PICK_LEAST_USED;

    fn key(&self) -> &Key {
        &self.declared.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        to.text(self.id.as_deref().unwrap_or_default());
        for upstream in &self.excluded {
            to.text(upstream.as_str());
        }
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<Picked, Error> {
        let version = reply.version();
        match reply.word() {
            "picked" => {
                let mut fields = reply.fields();
                let upstream = fields.name("upstream")?;
                let count = fields.whole("count")?;
                let repeated = fields.flag("repeated")?;
                fields.end(Picked::Upstream {
                    upstream,
                    count,
                    repeated,
                    version,
                })
            }
            "all_excluded" => reply.only(Picked::AllExcluded { version }),
            "empty" => reply.only(Picked::Empty { version }),
            "unknown" => reply.only(Picked::Unknown),
            _ => reply.unknown_word(),
        }
    }

    fn next(&self, reply: &Reply, earlier: &[Reply]) -> Result<Next<Picked>, Error> {
        self.declared.or_configure(self, reply, earlier)
    }
}

/// `record_least_used`: see [`RedisLeastUsed::record`].
#[derive(Debug, Clone)]
pub struct RecordLeastUsed<'a> {
    declared: &'a RedisLeastUsed,
    id: Option<String>,
    upstream: String,
    times: u64,
}

impl Request<RecordLeastUsed<'_>> {
    /// An id of 1 to 128 bytes, with which a repeat gets the first answer again instead of being
    /// counted again.
    pub fn id(self, request_id: &str) -> Self {
        self.named("request_id", request_id, |record, id| record.id = Some(id))
    }

    /// As [`id`](Self::id), with one of 128 random bits.
    pub fn random_id(self) -> Self {
        self.set(random::id(), |record, id| record.id = Some(id))
    }
}

impl Operation for RecordLeastUsed<'_> {
    type Outcome = Recorded;

    const SCRIPT: &'static Script = &bundle::RECORD_LEAST_USED;

    fn key(&self) -> &Key {
        &self.declared.key
    }

    fn arguments(&self, to: &mut Arguments) -> Result<(), Error> {
        to.text(self.id.as_deref().unwrap_or_default())
            .text(self.upstream.as_str())
            .whole(self.times);
        Ok(())
    }

    fn read(&self, reply: &Reply) -> Result<Recorded, Error> {
        let version = reply.version();
        match reply.word() {
            "recorded" => {
                let mut fields = reply.fields();
                let count = fields.whole("count")?;
                let repeated = fields.flag("repeated")?;
                fields.end(Recorded::Recorded {
                    count,
                    repeated,
                    version,
                })
            }
            "unknown_upstream" => reply.only(Recorded::UnknownUpstream { version }),
            "unknown" => reply.only(Recorded::Unknown),
            _ => reply.unknown_word(),
        }
    }

    fn next(&self, reply: &Reply, earlier: &[Reply]) -> Result<Next<Recorded>, Error> {
        self.declared.or_configure(self, reply, earlier)
    }
}
