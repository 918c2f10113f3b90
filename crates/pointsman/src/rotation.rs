use crate::bounds::{self, MAX_UPSTREAMS};
use crate::{Error, fingerprint, score};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// One of `count` upstreams by chance, each call independent of all others: repeats are right.
///
/// `draw`: a random whole number below 2^53; the index is `draw % count`. `None` for no upstream.
///
/// ```
/// assert_eq!(pointsman::random(3, 7)?, Some(1));
/// assert_eq!(pointsman::random(0, 7)?, None);
/// # Ok::<(), pointsman::Error>(())
/// ```
pub fn random(count: usize, draw: u64) -> Result<Option<usize>, Error> {
    bounds::draw(draw)?;
    bounds::whole("count", count as u64, 0, MAX_UPSTREAMS as u64)?;
    Ok((count > 0).then(|| (draw % count as u64) as usize))
}

/// One upstream by chance, as often as its weight (0 to 65,535) says: the first whose cumulative
/// weight is above `draw` modulo their sum. `None` where the sum is 0.
///
/// ```
/// assert_eq!(pointsman::weighted_random(&[2, 1, 1], 6)?, Some(1));
/// # Ok::<(), pointsman::Error>(())
/// ```
pub fn weighted_random(weights: &[u32], draw: u64) -> Result<Option<usize>, Error> {
    bounds::draw(draw)?;
    bounds::count("weights", weights.len(), MAX_UPSTREAMS)?;
    weights
        .iter()
        .try_for_each(|&weight| bounds::weight(weight))?;
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    if total == 0 {
        return Ok(None);
    }
    let mut left = draw % total;
    Ok(weights.iter().position(|&weight| {
        let here = left < u64::from(weight);
        left = left.saturating_sub(weight.into());
        here
    }))
}

/// Each upstream in turn, from the first, round and round.
///
/// ```
/// let mut rotation = pointsman::RoundRobin::new();
/// let turns: Vec<_> = (0..4).map(|_| rotation.next(3)).collect();
/// assert_eq!(turns, [Some(0), Some(1), Some(2), Some(0)]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoundRobin {
    turn: usize,
}

impl RoundRobin {
    /// A rotation that begins at the first.
    pub fn new() -> Self {
        Self::default()
    }

    /// The index whose turn it is among `count`, or `None` if there is none. Where the list has
    /// become shorter than the turn, the turn begins anew.
    pub fn next(&mut self, count: usize) -> Option<usize> {
        if count == 0 {
            return None;
        }
        let turn = if self.turn < count { self.turn } else { 0 };
        self.turn = turn + 1;
        Some(turn)
    }
}

/// Whether the first of a pass may be the last of the pass before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Boundary {
    /// It may; with n upstreams it is, one time in n.
    #[default]
    Free,
    /// It may not, unless it is the only one.
    NoRepeat,
}

/// Each upstream once in a random order, then a new pass.
///
/// The list is given at each call and may change: one that is taken away in the middle of a pass
/// is not returned, one that is added is returned at most once in this pass.
///
/// ```
/// use pointsman::{Boundary, Shuffle};
///
/// let mut shuffle = Shuffle::new(Boundary::Free);
/// let upstreams = ["a", "b", "c"];
/// assert_eq!(shuffle.next(&upstreams, 1)?, Some(1));
/// assert_eq!(shuffle.next(&upstreams, 1)?, Some(2)); // of a and c, the second
/// assert_eq!(shuffle.next(&upstreams, 1)?, Some(0));
/// # Ok::<(), pointsman::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shuffle {
    boundary: Boundary,
    /// In the order of the names.
    taken: Vec<Box<str>>,
    last: Option<Box<str>>,
}

impl Shuffle {
    /// A shuffle that has returned nothing yet.
    pub fn new(boundary: Boundary) -> Self {
        Self {
            boundary,
            ..Self::default()
        }
    }

    /// The index of the next upstream: by chance one of those that this pass has not returned. A
    /// name that is listed twice counts once. `None` for an empty list, which leaves the pass as it
    /// was.
    ///
    /// Cost: O(n log n).
    pub fn next<S: AsRef<str>>(
        &mut self,
        upstreams: &[S],
        draw: u64,
    ) -> Result<Option<usize>, Error> {
        bounds::draw(draw)?;
        bounds::count("upstreams", upstreams.len(), MAX_UPSTREAMS)?;
        let names: Vec<&str> = upstreams.iter().map(AsRef::as_ref).collect();
        for name in &names {
            bounds::name("upstream", name)?;
        }
        self.next_of(&names, draw)
    }

    fn next_of(&mut self, names: &[&str], draw: u64) -> Result<Option<usize>, Error> {
        let listed = first_of_each(names);
        if listed.is_empty() {
            return Ok(None);
        }
        let name = |&index: &usize| names[index];
        let left = |index: &usize| self.place(name(index)).is_err();
        let mut eligible: Vec<usize> = listed.iter().copied().filter(left).collect();
        if eligible.is_empty() {
            self.taken.clear();
            eligible = listed;
            if self.boundary == Boundary::NoRepeat && eligible.len() > 1 {
                eligible.retain(|index| Some(name(index)) != self.last.as_deref());
            }
        }
        let Some(chosen) = random(eligible.len(), draw)? else {
            return Ok(None);
        };
        let index = eligible[chosen];
        self.forget_others(names);
        if let Err(place) = self.place(name(&index)) {
            self.taken.insert(place, name(&index).into());
        }
        self.last = Some(name(&index).into());
        Ok(Some(index))
    }

    /// Lists may change so that a pass never ends: then it forgets those that are not listed.
    fn forget_others(&mut self, names: &[&str]) {
        if self.taken.len() >= MAX_UPSTREAMS {
            let mut listed = names.to_vec();
            listed.sort_unstable();
            self.taken
                .retain(|taken| listed.binary_search(&&**taken).is_ok());
        }
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.taken.binary_search_by(|taken| (**taken).cmp(name))
    }
}

/// The index at which each name is listed first, ascending.
pub(crate) fn first_of_each(names: &[&str]) -> Vec<usize> {
    let mut ranked: Vec<(u64, u32)> = (names.iter().zip(0..))
        .map(|(name, index)| (fingerprint(name.as_bytes(), 0), index))
        .collect();
    score::sort_names(&mut ranked, names);
    let mut first = vec![true; names.len()];
    for pair in ranked.windows(2) {
        let [earlier, later] = [pair[0].1 as usize, pair[1].1 as usize];
        first[later] = names[earlier] != names[later];
    }
    (0..names.len()).filter(|&index| first[index]).collect()
}
