use crate::bounds::{self, MAX_UPSTREAMS, MAX_WHOLE};
use crate::error::{Bound, Error, Value};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// Where the count of a new or returning upstream starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Join {
    /// At the least count of the others for its weight, or at its own old count if that is
    /// higher: it gets its share from now on, and no burst.
    #[default]
    Floor,
    /// At its own old count (0 if it is new): it catches up on what it missed.
    Keep,
    /// At 0.
    Zero,
}

/// What [`LeastUsed::pick`] answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picked<'a> {
    /// This one; it has been counted.
    Upstream(&'a str),
    /// There are upstreams, but every one is excluded or has weight 0.
    AllExcluded,
    /// There is no upstream.
    Empty,
}

/// Picks the upstream that has been picked least often for its weight, and counts it.
///
/// Equal ones: the heavier first, then the next one round from the last pick, in the order in
/// which they joined; a fresh table begins at a random place, so that many fresh processes do not
/// all send their first request to the same upstream.
///
/// ```
/// use pointsman::{Join, LeastUsed, Picked};
///
/// let mut least_used = LeastUsed::new(0)?;
/// least_used.add("a", 2, Join::Floor)?;
/// least_used.add("b", 1, Join::Floor)?;
/// assert_eq!(least_used.pick::<&str>(&[])?, Picked::Upstream("a"));
/// assert_eq!(least_used.pick::<&str>(&[])?, Picked::Upstream("b"));
/// assert_eq!(least_used.pick(&["a"])?, Picked::Upstream("b"));
/// # Ok::<(), pointsman::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeastUsed {
    members: Vec<Member>,
    cursor: Cursor,
}

/// Members and those that left, whose counts are kept for their return.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    upstream: Box<str>,
    weight: u32,
    count: u64,
    joined: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Cursor {
    Draw(u64),
    At(usize),
}

impl LeastUsed {
    /// A table without upstreams. `draw` (a random whole number below 2^53) is where the first
    /// round begins.
    pub fn new(draw: u64) -> Result<Self, Error> {
        bounds::draw(draw)?;
        Ok(Self {
            members: Vec::new(),
            cursor: Cursor::Draw(draw),
        })
    }

    /// Adds an upstream, or puts one back. One that is there already is an error; so is a
    /// 65,536th. `weight`: 0 to 65,535; one of weight 0 is never picked.
    pub fn add(&mut self, upstream: &str, weight: u32, join: Join) -> Result<(), Error> {
        bounds::name("upstream", upstream)?;
        bounds::weight(weight)?;
        let known = self.position(upstream);
        if known.is_some_and(|at| self.members[at].joined) {
            return Err(Error::new(
                "upstream",
                Value::text(upstream),
                Bound::Words("one that has not joined"),
            ));
        }
        if known.is_none() {
            self.make_room()?;
        }
        let own = known.map_or(0, |at| self.members[at].count);
        let member = Member {
            upstream: upstream.into(),
            weight,
            count: match join {
                Join::Floor => own.max(self.floor(weight)),
                Join::Keep => own,
                Join::Zero => 0,
            },
            joined: true,
        };
        match known {
            Some(at) => self.members[at] = member,
            None => self.members.push(member),
        }
        Ok(())
    }

    /// Takes an upstream out; its count is kept for its return. `false` if it was not there.
    pub fn remove(&mut self, upstream: &str) -> bool {
        match self.position(upstream) {
            Some(at) => core::mem::replace(&mut self.members[at].joined, false),
            None => false,
        }
    }

    /// Picks the least used upstream that is not in `excluded` and counts the pick.
    ///
    /// Cost: O(upstreams · excluded).
    pub fn pick<S: AsRef<str>>(&mut self, excluded: &[S]) -> Result<Picked<'_>, Error> {
        bounds::count("excluded", excluded.len(), MAX_UPSTREAMS)?;
        if self.joined().next().is_none() {
            return Ok(Picked::Empty);
        }
        let cursor = self.cursor();
        let rounds = self.members.len();
        let away = |at: usize| (at + rounds - cursor) % rounds;
        let chosen = self
            .joined()
            .filter(|(_, member)| member.weight > 0)
            .filter(|(_, member)| {
                excluded
                    .iter()
                    .all(|name| name.as_ref() != &*member.upstream)
            })
            .min_by(|(left_at, left), (right_at, right)| {
                (left.compare(right))
                    .then(right.weight.cmp(&left.weight))
                    .then(away(*left_at).cmp(&away(*right_at)))
            })
            .map(|(at, _)| at);
        let Some(at) = chosen else {
            return Ok(Picked::AllExcluded);
        };
        self.add_count(at, 1);
        self.cursor = Cursor::At(at + 1);
        Ok(Picked::Upstream(&self.members[at].upstream))
    }

    /// The count of an upstream, or `None` if it is not there.
    pub fn count(&self, upstream: &str) -> Option<u64> {
        let at = self.position(upstream)?;
        let member = &self.members[at];
        member.joined.then_some(member.count)
    }

    /// Counts `times` uses (0 to 2^53 - 1) that were not picked here. `false`, and nothing
    /// changed, if the upstream is not there: a late count never brings one back.
    pub fn record(&mut self, upstream: &str, times: u64) -> Result<bool, Error> {
        bounds::whole("times", times, 0, MAX_WHOLE)?;
        match self.position(upstream) {
            Some(at) if self.members[at].joined => {
                self.add_count(at, times);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn position(&self, upstream: &str) -> Option<usize> {
        (self.members.iter()).position(|member| *member.upstream == *upstream)
    }

    fn joined(&self) -> impl Iterator<Item = (usize, &Member)> {
        (self.members.iter().enumerate()).filter(|(_, member)| member.joined)
    }

    /// Where the next round begins, as a position in `members`.
    fn cursor(&self) -> usize {
        match self.cursor {
            Cursor::At(at) => at % self.members.len(),
            Cursor::Draw(draw) => {
                let nth = draw % self.joined().count() as u64;
                self.joined().nth(nth as usize).map_or(0, |(at, _)| at)
            }
        }
    }

    fn floor(&self, weight: u32) -> u64 {
        let least = (self.joined().map(|(_, member)| member))
            .filter(|member| member.weight > 0)
            .min_by(|left, right| left.compare(right));
        least.map_or(0, |least| {
            let (count, of, weight) = (least.count, u64::from(least.weight), u64::from(weight));
            let whole = (count / of).saturating_mul(weight).min(MAX_WHOLE);
            (whole + count % of * weight / of).min(MAX_WHOLE)
        })
    }

    /// Forgets one that left, the oldest first, where the table is full of members and those.
    fn make_room(&mut self) -> Result<(), Error> {
        if self.members.len() < MAX_UPSTREAMS {
            return Ok(());
        }
        let Some(gone) = self.members.iter().position(|member| !member.joined) else {
            return bounds::count("upstreams", MAX_UPSTREAMS + 1, MAX_UPSTREAMS);
        };
        self.members.remove(gone);
        if let Cursor::At(at) = &mut self.cursor {
            *at -= usize::from(*at > gone);
        }
        Ok(())
    }

    /// Adds to a count. Before one would pass 2^53 - 1, all are lowered by the same number of
    /// rounds, which changes no comparison; a count that is still too high stays at the bound.
    fn add_count(&mut self, at: usize, times: u64) {
        if self.members[at].count > MAX_WHOLE - times {
            let rounds = (self.joined())
                .filter(|(_, member)| member.weight > 0)
                .map(|(_, member)| member.count / u64::from(member.weight))
                .min()
                .unwrap_or(0);
            for member in &mut self.members {
                let lowered = rounds.saturating_mul(member.weight.into());
                member.count = member.count.saturating_sub(lowered);
            }
        }
        let member = &mut self.members[at];
        member.count = (member.count + times).min(MAX_WHOLE);
    }
}

impl Member {
    /// By count for each unit of weight, exactly.
    fn compare(&self, other: &Self) -> Ordering {
        let scaled = |count: u64, weight: u32| u128::from(count) * u128::from(weight);
        scaled(self.count, other.weight).cmp(&scaled(other.count, self.weight))
    }
}
