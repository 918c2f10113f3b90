//! One run of a script: what it did to its key, and what must hold of that.

use super::hash::Hash;
use tests::differential::Reply;

/// First words of replies that say no, or say again what was said: nothing is written.
const REFUSALS: [&str; 15] = [
    "all_excluded",
    "empty",
    "gone",
    "ignored",
    "never",
    "no_different",
    "nothing",
    "older",
    "other",
    "reconfigure",
    "same",
    "started",
    "unknown",
    "unknown_upstream",
    "wait",
];

/// Scripts that give something back: they must also work where memory is full, so HDEL is first.
const GIVING_BACK: [&str; 4] = ["lease_release", "lease_renew", "take_cancel", "take_settle"];

/// The shortest that a key may live after a write, and that an id is known.
const SHORTEST_LIFE_MS: u64 = 60_000;

/// The longest for which `remember` and `recall` keep a key: 400 days.
const LONGEST_LIFE_MS: u64 = 34_560_000_000;

/// The key of a run, and the writes to it.
#[derive(Debug, Default)]
pub struct Run {
    pub key: Vec<u8>,
    pub hash: Hash,
    /// The server's clock.
    pub server_ms: u64,
    /// Whether the script has asked it.
    pub knows_time: bool,
    /// The instant of the call: that of the clock, or the one that the key holds, whichever is later.
    pub clock_ms: u64,
    existed: bool,
    rules: Option<Vec<u8>>,
    writes: Vec<&'static str>,
    /// The latest instant until which something that was written must be known.
    needed_ms: u64,
    /// For how long the key was given to live.
    life_ms: Option<u64>,
    /// What was written is not as it must be.
    broken: Option<String>,
}

impl Run {
    pub fn new(key: &str, hash: Hash, now_ms: u64) -> Self {
        let existed = hash.exists(now_ms);
        let state = state(&hash).filter(|_| existed);
        Self {
            key: key.into(),
            clock_ms: state.map_or(now_ms, |(clock_ms, _)| clock_ms.max(now_ms)),
            server_ms: now_ms,
            existed,
            rules: hash.value(b"c").filter(|_| existed).map(<[u8]>::to_vec),
            hash,
            ..Self::default()
        }
    }

    /// Notes a write; what had expired is gone for good with the first.
    pub fn write(&mut self, command: &'static str) {
        if self.writes.is_empty() && !self.existed {
            self.hash = Hash::default();
        }
        self.writes.push(command);
    }

    /// Sets a field; returns whether it is a new one.
    pub fn set(&mut self, field: &[u8], value: &[u8]) -> bool {
        let text = String::from_utf8_lossy(value);
        let mut numbers = text.split(' ').map(|part| part.parse::<u64>().ok());
        let until_ms = match field.get(..2) {
            Some(b"q:") => {
                (numbers.next().flatten()).map(|instant_ms| instant_ms + SHORTEST_LIFE_MS)
            }
            Some(b"m:") => numbers.next().flatten(),
            Some(b"l:") => numbers.nth(1).flatten(),
            _ => Some(0),
        };
        let shortest_ms = match field.starts_with(b"q:") {
            true => self.clock_ms + SHORTEST_LIFE_MS,
            false => 0,
        };
        if until_ms.is_none_or(|until_ms| until_ms < shortest_ms) {
            self.broken = Some(format!("{} is `{text}`", String::from_utf8_lossy(field)));
        }
        self.needed_ms = self.needed_ms.max(until_ms.unwrap_or(0));
        self.hash.set(field.to_vec(), value.to_vec())
    }

    /// Gives the key so long to live; returns whether there is one.
    pub fn expire(&mut self, life_ms: u64) -> bool {
        self.life_ms = Some(life_ms);
        self.hash.expire(self.clock_ms + life_ms)
    }

    /// Whether the key is there for reading commands.
    pub fn exists(&self) -> bool {
        match self.writes.is_empty() {
            true => self.existed,
            false => self.hash.exists(self.clock_ms),
        }
    }

    pub fn into_hash(self) -> Hash {
        self.hash
    }

    /// What must hold of every call, or which of it does not.
    pub fn check(&self, name: &str, reply: &Result<Vec<Reply>, String>) -> Result<(), String> {
        let elements = match reply {
            Ok(elements) => elements,
            Err(_) if self.writes.is_empty() => return Ok(()),
            Err(_) => return Err("an error after a write".into()),
        };
        let [Reply::Bytes(word), Reply::Int(1), now, _version, ..] = &elements[..] else {
            return Err("a reply begins with its word, 1, now_ms and a version".into());
        };
        if *now != Reply::Int(self.clock_ms as i64) {
            return Err(format!("the reply is not of the instant {}", self.clock_ms));
        }
        let word = std::str::from_utf8(word).map_err(|_| "a word is text")?;
        if self.writes.is_empty() {
            return Ok(());
        }
        if self.is_refusal(name, word) {
            return Err(format!("a refusal wrote: {:?}", self.writes));
        }
        self.order(name)?;
        if !self.hash.exists(self.clock_ms) {
            return Ok(());
        }
        let expires_ms = self.hash.expires_ms().ok_or("a write left no expiry")?;
        self.life(name, expires_ms)?;
        let (clock_ms, held_ms) = state(&self.hash).ok_or("field s is not as it should be")?;
        match held_ms == expires_ms && clock_ms == self.clock_ms {
            true => Ok(()),
            false => Err(format!(
                "field s holds the instant {clock_ms} and the expiry {held_ms}, but they are {} and {expires_ms}",
                self.clock_ms
            )),
        }
    }

    /// The key lives beyond all that it must still know; where its life is set, it is set so long that
    /// this is not done at every call.
    fn life(&self, name: &str, expires_ms: u64) -> Result<(), String> {
        if let Some(broken) = &self.broken {
            return Err(broken.clone());
        }
        let is_of_links = name == "remember" || name == "recall";
        let bound_ms = if is_of_links {
            self.clock_ms + LONGEST_LIFE_MS
        } else {
            u64::MAX
        };
        let needed_ms = self
            .needed_ms
            .max(self.clock_ms + SHORTEST_LIFE_MS)
            .min(bound_ms);
        let short = self
            .life_ms
            .is_some_and(|life_ms| life_ms < 2 * SHORTEST_LIFE_MS);
        match expires_ms < needed_ms || expires_ms > bound_ms || short {
            true => Err(format!(
                "the key lives until {expires_ms}, now is {}, needed is {needed_ms}",
                self.clock_ms
            )),
            false => Ok(()),
        }
    }

    /// `wait` of `take` writes where a fresh bucket begins to fill, and where rules come into force.
    fn is_refusal(&self, name: &str, word: &str) -> bool {
        let is_begun = !self.existed || self.rules.as_deref() != self.hash.value(b"c");
        let is_excepted = name == "take" && word == "wait" && is_begun;
        name == "inspect" || REFUSALS.contains(&word) && !is_excepted
    }

    /// What takes begins with HSET, which full memory refuses; what gives back begins with HDEL; the
    /// expiry comes last.
    fn order(&self, name: &str) -> Result<(), String> {
        let first = if GIVING_BACK.contains(&name) {
            "HDEL"
        } else {
            "HSET"
        };
        let expiries = self
            .writes
            .iter()
            .filter(|write| **write == "PEXPIRE")
            .count();
        let is_last = self.writes.last() == Some(&"PEXPIRE");
        if self.writes[0] != first || expiries > 1 || expiries == 1 && !is_last {
            return Err(format!("the order of the writes is {:?}", self.writes));
        }
        Ok(())
    }
}

/// The instant and the expiry of the key that field `s` holds.
fn state(hash: &Hash) -> Option<(u64, u64)> {
    let text = hash.value(b"s")?;
    let mut parts = text.split(|byte| *byte == b' ').skip(2);
    let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse().ok();
    Some((number()?, number()?))
}
