use crate::bounds::{self, MAX_LINKS};
use crate::error::{Bound, Error, Value};
use crate::fingerprint;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

/// What the first link stands on: keys and links are different worlds.
const DOMAIN: &[u8] = b"pointsman/chain/1";

/// A fingerprint of the first entries of a conversation. Outside the core it is written as 16
/// lower-case hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link(u64);

impl From<u64> for Link {
    fn from(value: u64) -> Self {
        Self(value)
    }
}

impl From<Link> for u64 {
    fn from(link: Link) -> Self {
        link.0
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for Link {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wanted = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        match u64::from_str_radix(text, 16) {
            Ok(value) if text.len() == 16 && text.bytes().all(wanted) => Ok(Self(value)),
            _ => Err(Error::new(
                "link",
                Value::text(text),
                Bound::Words("16 lower-case hex digits"),
            )),
        }
    }
}

/// One link for each entry, standing for that entry and all before it.
///
/// Two conversations share their first links exactly as far as they share their first entries, so
/// last turn's chain is a prefix of this turn's. Entries are framed by length: `["ab", "c"]`,
/// `["a", "bc"]`, `["abc"]` and `["abc", ""]` all end differently.
///
/// At most 65,535 entries of at most 2^28 bytes. Cost: O(bytes), at the speed of the hash.
/// [`Chain`] hashes only what is new.
///
/// ```
/// let turn_1 = pointsman::chain(&["you are helpful", "hello"])?;
/// let turn_2 = pointsman::chain(&["you are helpful", "hello", "hi! how can I help?"])?;
/// assert_eq!(turn_1, turn_2[..2]);
/// assert!(pointsman::chain::<&str>(&[])?.is_empty());
/// # Ok::<(), pointsman::Error>(())
/// ```
pub fn chain<E: AsRef<[u8]>>(entries: &[E]) -> Result<Vec<Link>, Error> {
    let mut chain = Chain::new();
    for entry in entries {
        chain.push(entry.as_ref())?;
    }
    Ok(chain.links)
}

/// The bytes of all entries together: bytes, not characters.
///
/// ```
/// assert_eq!(pointsman::prefix_bytes(&["é", "ab"]), 4);
/// ```
pub fn prefix_bytes<E: AsRef<[u8]>>(entries: &[E]) -> u64 {
    entries
        .iter()
        .map(|entry| entry.as_ref().len() as u64)
        .sum()
}

/// A [`chain`] that grows entry by entry and carries its bytes, within a namespace and a seed
/// where wanted.
///
/// ```
/// use pointsman::Chain;
///
/// let mut chain = Chain::in_namespace(&["tenant-7", "model-a"], 0)?;
/// chain.push(b"you are helpful")?;
/// chain.push(b"hello")?;
/// assert_eq!(chain.bytes(), [15, 20]);
/// # Ok::<(), pointsman::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    seed: u64,
    origin: Link,
    links: Vec<Link>,
    bytes: Vec<u64>,
}

impl Chain {
    /// An empty chain, as [`chain`] begins.
    pub fn new() -> Self {
        Self::from_origin(DOMAIN, 0)
    }

    /// An empty chain in a world of its own: no link of another namespace (a tenant, a model) or
    /// of another seed is equal to one of its links.
    pub fn in_namespace<P: AsRef<[u8]>>(parts: &[P], seed: u64) -> Result<Self, Error> {
        let mut domain = DOMAIN.to_vec();
        frame("namespace", parts, &mut domain)?;
        Ok(Self::from_origin(&domain, seed))
    }

    /// Adds an entry and returns its link. At most 65,535 entries of at most 2^28 bytes.
    pub fn push(&mut self, entry: &[u8]) -> Result<Link, Error> {
        bounds::entry("entry", entry.len())?;
        self.push_digest(fingerprint(entry, self.seed), entry.len() as u64)
    }

    /// Adds an entry that is made of parts (a role and a text, say), each framed by its length.
    pub fn push_parts<P: AsRef<[u8]>>(&mut self, parts: &[P]) -> Result<Link, Error> {
        let mut framed = Vec::new();
        frame("entry", parts, &mut framed)?;
        self.push_digest(fingerprint(&framed, self.seed), prefix_bytes(parts))
    }

    /// All links so far, the longest prefix last.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// For each link, the bytes of all entries that it stands for.
    pub fn bytes(&self) -> &[u64] {
        &self.bytes
    }

    /// How many links there are.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    fn from_origin(domain: &[u8], seed: u64) -> Self {
        Self {
            seed,
            origin: Link(fingerprint(domain, seed)),
            links: Vec::new(),
            bytes: Vec::new(),
        }
    }

    fn push_digest(&mut self, digest: u64, entry_bytes: u64) -> Result<Link, Error> {
        bounds::count("entries", self.links.len() + 1, MAX_LINKS)?;
        let before = self.links.last().unwrap_or(&self.origin);
        let mut message = [0; 16];
        message[..8].copy_from_slice(&before.0.to_le_bytes());
        message[8..].copy_from_slice(&digest.to_le_bytes());
        let link = Link(fingerprint(&message, self.seed));
        self.links.push(link);
        self.bytes
            .push(self.bytes.last().copied().unwrap_or(0) + entry_bytes);
        Ok(link)
    }
}

impl Default for Chain {
    fn default() -> Self {
        Self::new()
    }
}

/// Appends each part behind its length, four bytes, the lowest first.
fn frame<P: AsRef<[u8]>>(
    argument: &'static str,
    parts: &[P],
    into: &mut Vec<u8>,
) -> Result<(), Error> {
    bounds::count(argument, parts.len(), MAX_LINKS)?;
    let bytes = usize::try_from(prefix_bytes(parts)).unwrap_or(usize::MAX);
    bounds::entry(argument, bytes)?;
    for part in parts.iter().map(AsRef::as_ref) {
        into.extend_from_slice(&(part.len() as u32).to_le_bytes());
        into.extend_from_slice(part);
    }
    Ok(())
}
