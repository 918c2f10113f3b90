use crate::bounds::{self, MAX_TABLE_LINKS};
use crate::hash::Map;
use crate::{Error, Link};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// The lengths of prefixes at which a memory of `links` links is read and written: all of them,
/// ⌊links / 2^j⌋ · 2^j for each j, and 1, 2, 4 … below; ascending, none twice.
///
/// The longest length that two turns share covers at least half of the shorter turn, as long as the
/// longer one is less than twice as long. There are at most 2 · log2(links) + 2.
///
/// ```
/// assert_eq!(pointsman::log_spaced(13), [1, 2, 4, 8, 12, 13]);
/// assert_eq!(pointsman::log_spaced(0), []);
/// ```
pub fn log_spaced(links: usize) -> Vec<usize> {
    // Below half, the powers of two; from there on, ever finer steps towards the end.
    let mut lengths: Vec<usize> = (0..usize::BITS)
        .map(|j| 1 << j)
        .take_while(|power| *power <= links / 2)
        .collect();
    let steps = (0..usize::BITS).rev().map(|j| links >> j << j);
    for length in steps.filter(|&length| length > 0) {
        if lengths.last() != Some(&length) {
            lengths.push(length);
        }
    }
    lengths
}

/// One process's memory of which upstream has a conversation's prefix in its cache: from links to
/// upstreams, bounded in number and in time.
///
/// A link is alive while `now_ms` is below its expiry. When the table is full, the link written
/// longest ago goes; writing a link again makes it the newest. Time in the table never goes back:
/// while a clock is behind the latest instant written with, that instant holds.
///
/// It is not shared: of eight tables in eight processes each sees an eighth of the traffic, and
/// most of the hits are lost.
///
/// ```
/// use pointsman::{AffinityTable, chain};
///
/// let mut table = AffinityTable::new(16_000, 600_000)?;
/// let turn_1 = chain(&["you are helpful", "hello"])?;
/// table.remember(&turn_1, "acct-2", 0)?;
/// let turn_2 = chain(&["you are helpful", "hello", "hi!", "how are you?"])?;
/// assert_eq!(table.recall(&turn_2, 5_000)?, Some("acct-2"));
/// # Ok::<(), pointsman::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AffinityTable {
    max_links: usize,
    ttl_ms: u64,
    clock_ms: u64,
    next_write: u64,
    evicted_live: u64,
    links: Map<u64, Remembered>,
    /// Links in the order in which they were written. One that was written again, or is gone,
    /// still stands at its old place, until that place is reached or half of all are such.
    written: VecDeque<(u64, u64)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Remembered {
    upstream: Box<str>,
    expires_ms: u64,
    write: u64,
}

impl AffinityTable {
    /// An empty table of at most `max_links` links (0 to 2^24; 0 turns it off), each of which
    /// lives `ttl_ms` (1 or more) after it was last written or recalled.
    pub fn new(max_links: usize, ttl_ms: u64) -> Result<Self, Error> {
        bounds::whole("max_links", max_links as u64, 0, MAX_TABLE_LINKS as u64)?;
        bounds::whole("ttl_ms", ttl_ms, 1, bounds::MAX_MS)?;
        Ok(Self {
            max_links,
            ttl_ms,
            clock_ms: 0,
            next_write: 0,
            evicted_live: 0,
            links: Map::default(),
            written: VecDeque::new(),
        })
    }

    /// The upstream of the longest remembered prefix: scans `chain` from its end to the first
    /// link that is alive, and renews that one.
    ///
    /// Cost: O(links of the chain).
    pub fn recall(&mut self, chain: &[Link], now_ms: u64) -> Result<Option<&str>, Error> {
        bounds::ms("now_ms", now_ms)?;
        let now_ms = now_ms.max(self.clock_ms);
        let alive = |link: &&Link| {
            (self.links.get(&u64::from(**link)))
                .is_some_and(|remembered| now_ms < remembered.expires_ms)
        };
        let Some(link) = chain.iter().rev().find(alive) else {
            return Ok(None);
        };
        let Some(remembered) = self.links.get_mut(&u64::from(*link)) else {
            return Ok(None);
        };
        self.clock_ms = now_ms;
        remembered.expires_ms = now_ms + self.ttl_ms;
        Ok(Some(&remembered.upstream))
    }

    /// Writes that the last link of `chain` is with `upstream` (a name of 1 to 255 bytes without
    /// control characters). An empty chain or an empty name is ignored.
    ///
    /// Cost: O(1), amortised.
    pub fn remember(&mut self, chain: &[Link], upstream: &str, now_ms: u64) -> Result<(), Error> {
        bounds::ms("now_ms", now_ms)?;
        if !upstream.is_empty() {
            bounds::name("upstream", upstream)?;
        }
        let (Some(&link), false, 1..) = (chain.last(), upstream.is_empty(), self.max_links) else {
            return Ok(());
        };
        let link = u64::from(link);
        self.clock_ms = self.clock_ms.max(now_ms);
        self.links.remove(&link);
        self.make_room();
        let write = self.next_write;
        self.next_write += 1;
        self.written.push_back((write, link));
        let remembered = Remembered {
            upstream: upstream.into(),
            expires_ms: self.clock_ms + self.ttl_ms,
            write,
        };
        self.links.insert(link, remembered);
        Ok(())
    }

    /// How many links are held, those that have expired but were not yet removed included. Never
    /// more than `max_links`.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether none is held.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// How many links had to go before their time because the table was full. Where this grows
    /// fast, `max_links` is too low.
    pub fn evicted_live(&self) -> u64 {
        self.evicted_live
    }

    /// Removes what has expired among the links written longest ago, then the oldest while the
    /// table is full.
    fn make_room(&mut self) {
        while let Some(&(write, link)) = self.written.front() {
            if let Some(oldest) = self.written_then(write, link) {
                let alive = self.clock_ms < oldest.expires_ms;
                if alive && self.links.len() < self.max_links {
                    break;
                }
                self.evicted_live += u64::from(alive);
                self.links.remove(&link);
            }
            self.written.pop_front();
        }
        if self.written.len() > 2 * self.links.len() + 16 {
            for _ in 0..self.written.len() {
                if let Some((write, link)) = self.written.pop_front() {
                    if self.written_then(write, link).is_some() {
                        self.written.push_back((write, link));
                    }
                }
            }
        }
    }

    fn written_then(&self, write: u64, link: u64) -> Option<&Remembered> {
        (self.links.get(&link)).filter(|remembered| remembered.write == write)
    }
}
