use crate::bounds::{self, MAX_UPSTREAMS};
use crate::cost::Weights;
use crate::error::{Bound, Error, Value};
use crate::fingerprint;
use crate::score::{self, Lanes};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// The indices of `upstreams`, the strongest for `key` first.
///
/// Everyone who asks with the same key and the same names gets the same order, however the list
/// is arranged. Taking one upstream away leaves the order of the rest as it was; adding one moves
/// only the keys that go to it, about one in n. A name that is listed twice stands twice, side by
/// side, the lower index first.
///
/// `key`: text or any bytes, 1 to 1,048,576. `upstreams`: at most 65,535 names of 1 to 255 bytes without
/// control characters; an empty list has an empty order.
///
/// Names are hashed at each call; [`Upstreams`] hashes them once. Cost: O(n log n).
///
/// Source: rendezvous hashing, Thaler and Ravishankar, "Using name-based mappings to increase hit
/// rates", IEEE/ACM Transactions on Networking 6(1), 1998.
///
/// ```
/// let order = pointsman::order("session:42", &["acct-1", "acct-2", "acct-3", "acct-4", "acct-5"])?;
/// assert_eq!(order, [1, 2, 3, 0, 4]);
/// # Ok::<(), pointsman::Error>(())
/// ```
pub fn order<S: AsRef<str>>(key: impl AsRef<[u8]>, upstreams: &[S]) -> Result<Vec<usize>, Error> {
    bounds::key(key.as_ref())?;
    Ok(Ranking::new(upstreams, None, 0)?.order(key.as_ref()))
}

/// The index of the upstream that is strongest for `key`: the first of [`order`], or `None` for
/// an empty list.
///
/// Bounds and errors as for [`order`]. Cost: O(n), no sort.
///
/// ```
/// assert_eq!(pointsman::pick("session:42", &["acct-1", "acct-2", "acct-3"])?, Some(1));
/// assert_eq!(pointsman::pick("session:42", &[] as &[&str])?, None);
/// # Ok::<(), pointsman::Error>(())
/// ```
pub fn pick<S: AsRef<str>>(key: impl AsRef<[u8]>, upstreams: &[S]) -> Result<Option<usize>, Error> {
    bounds::key(key.as_ref())?;
    let names: Vec<&str> = upstreams.iter().map(AsRef::as_ref).collect();
    check(&names, None)?;
    let key = fingerprint(key.as_ref(), 0);
    let rank = |index: usize| {
        let upstream = fingerprint(names[index].as_bytes(), 0);
        let score = score::score(key, upstream);
        (Reverse(score), upstream, names[index], index)
    };
    let strongest = (0..names.len()).map(rank).min();
    Ok(strongest.map(|(_, _, _, index)| index))
}

/// A list of upstreams whose names are hashed once, for [`order`](Self::order) and
/// [`pick`](Self::pick) at full speed, with weights and a seed where wanted.
///
/// Indices are those of the list it was made from. It never changes: [`with`](Self::with) and
/// [`without`](Self::without) make another.
///
/// ```
/// use pointsman::Upstreams;
///
/// let upstreams = Upstreams::new(&["acct-1", "acct-2", "acct-3"])?;
/// assert_eq!(upstreams.pick("session:42")?, Some(1));
/// let rest = upstreams.without("acct-2")?;
/// assert_eq!(rest.pick("session:42")?.and_then(|index| rest.name(index)), Some("acct-3"));
/// # Ok::<(), pointsman::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstreams {
    names: Vec<Box<str>>,
    weights: Vec<u32>,
    ranking: Ranking,
}

impl Upstreams {
    /// Upstreams of equal weight.
    ///
    /// At most 65,535 names of 1 to 255 bytes without control characters, none of them twice.
    pub fn new<S: AsRef<str>>(upstreams: &[S]) -> Result<Self, Error> {
        Self::with_seed(upstreams, None, 0)
    }

    /// Upstreams whose shares of the keys follow their weights: one for each, whole, 0 to 65,535.
    ///
    /// Raising a weight moves keys only towards that upstream. An upstream of weight 0 comes
    /// after all others. Equal weights give the order of [`new`](Self::new).
    pub fn with_weights<S: AsRef<str>>(upstreams: &[S], weights: &[u32]) -> Result<Self, Error> {
        Self::with_seed(upstreams, Some(weights), 0)
    }

    /// The same with a seed: another seed is another, unrelated order.
    pub fn with_seed<S: AsRef<str>>(
        upstreams: &[S],
        weights: Option<&[u32]>,
        seed: u64,
    ) -> Result<Self, Error> {
        let made = Self::allowing_duplicates(upstreams, weights, seed)?;
        if let Some(name) = made.duplicate() {
            return Err(Error::new(
                "upstream",
                Value::text(name),
                Bound::Words("listed only once"),
            ));
        }
        Ok(made)
    }

    /// The same for a list in which a name may stand twice: side by side where their weights are
    /// equal, the lower index first, as with the functions [`order`] and [`pick`].
    pub fn allowing_duplicates<S: AsRef<str>>(
        upstreams: &[S],
        weights: Option<&[u32]>,
        seed: u64,
    ) -> Result<Self, Error> {
        Ok(Self {
            names: upstreams.iter().map(|name| name.as_ref().into()).collect(),
            weights: weights.map_or_else(|| vec![1; upstreams.len()], <[u32]>::to_vec),
            ranking: Ranking::new(upstreams, weights, seed)?,
        })
    }

    /// The index of the strongest upstream for `key`, or `None` if there is none. O(n).
    pub fn pick(&self, key: impl AsRef<[u8]>) -> Result<Option<usize>, Error> {
        self.ranking.pick(key)
    }

    /// All indices, the strongest for `key` first. O(n log n).
    pub fn order(&self, key: impl AsRef<[u8]>) -> Result<Vec<usize>, Error> {
        bounds::key(key.as_ref())?;
        Ok(self.ranking.order(key.as_ref()))
    }

    /// Writes the strongest upstreams for `key` into `order`, as many as it holds, and returns
    /// how many were written.
    pub fn order_into(&self, key: impl AsRef<[u8]>, order: &mut [u32]) -> Result<usize, Error> {
        self.ranking.order_into(key, order)
    }

    /// The name at an index.
    pub fn name(&self, index: usize) -> Option<&str> {
        self.names.get(index).map(|name| &**name)
    }

    /// The weight at an index.
    pub fn weight(&self, index: usize) -> Option<u32> {
        self.weights.get(index).copied()
    }

    /// How many upstreams there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// These upstreams and one more at the end; where the name is there already, these with its
    /// weight changed.
    pub fn with(&self, name: &str, weight: u32) -> Result<Self, Error> {
        let mut names: Vec<&str> = self.names.iter().map(|name| &**name).collect();
        let mut weights = self.weights.clone();
        match names.iter().position(|known| *known == name) {
            Some(index) => weights[index] = weight,
            None => {
                names.push(name);
                weights.push(weight);
            }
        }
        Self::allowing_duplicates(&names, Some(&weights), self.ranking.seed)
    }

    /// These upstreams without one (of a name that stands twice, the first); the indices behind it
    /// move up. A name that is not there is an error.
    pub fn without(&self, name: &str) -> Result<Self, Error> {
        let Some(gone) = self.names.iter().position(|known| **known == *name) else {
            return Err(Error::new(
                "upstream",
                Value::text(name),
                Bound::Words("one of the upstreams"),
            ));
        };
        let mut names = self.names.clone();
        let mut weights = self.weights.clone();
        names.remove(gone);
        weights.remove(gone);
        Self::allowing_duplicates(&names, Some(&weights), self.ranking.seed)
    }

    fn duplicate(&self) -> Option<&str> {
        let name = |&index: &u32| &*self.names[index as usize];
        let mut neighbours = self.ranking.indices.windows(2);
        let twice = neighbours.find(|pair| name(&pair[0]) == name(&pair[1]))?;
        Some(name(&twice[0]))
    }
}

/// The order of a list of upstreams without their names: for those who keep the names elsewhere
/// and need the indices alone. A name may stand twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    seed: u64,
    // All that follows is in the order that breaks ties (fingerprint, bytes, index), so that the
    // first of equal scores is the winner, whatever the order of the caller's list.
    lanes: Lanes,
    indices: Vec<u32>,
    /// `None` where all weights are equal: the order is then that of the scores alone.
    weights: Option<Weights>,
}

impl Ranking {
    /// The ranking of a list, with weights and a seed, as [`Upstreams::with_seed`] takes them.
    pub fn new<S: AsRef<str>>(
        upstreams: &[S],
        weights: Option<&[u32]>,
        seed: u64,
    ) -> Result<Self, Error> {
        let names: Vec<&str> = upstreams.iter().map(AsRef::as_ref).collect();
        check(&names, weights)?;
        Ok(Self::of(&names, weights, seed))
    }

    /// The index of the strongest for `key`, or `None` if there is none. O(n).
    pub fn pick(&self, key: impl AsRef<[u8]>) -> Result<Option<usize>, Error> {
        bounds::key(key.as_ref())?;
        Ok(self.strongest(key.as_ref()))
    }

    /// Writes the strongest for `key` into `order`, as many as it holds, and returns how many
    /// were written. O(n log n).
    pub fn order_into(&self, key: impl AsRef<[u8]>, order: &mut [u32]) -> Result<usize, Error> {
        bounds::key(key.as_ref())?;
        let written = order.len().min(self.indices.len());
        self.place(key.as_ref(), written, |rank, index| order[rank] = index);
        Ok(written)
    }

    fn of(names: &[&str], weights: Option<&[u32]>, seed: u64) -> Self {
        let mut sorted: Vec<(u64, u32)> = (names.iter().zip(0..))
            .map(|(name, index)| (fingerprint(name.as_bytes(), seed), index))
            .collect();
        score::sort_names(&mut sorted, names);
        let indices: Vec<u32> = sorted.iter().map(|&(_, index)| index).collect();
        let fingerprints: Vec<u64> = sorted.iter().map(|&(fingerprint, _)| fingerprint).collect();
        let weights = weights
            .filter(|weights| weights.windows(2).any(|pair| pair[0] != pair[1]))
            .map(|weights| {
                let by_position: Vec<u32> = indices.iter().map(|&i| weights[i as usize]).collect();
                Weights::new(&by_position)
            });
        Self {
            seed,
            lanes: Lanes::new(&fingerprints),
            indices,
            weights,
        }
    }

    fn strongest(&self, key: &[u8]) -> Option<usize> {
        let key = fingerprint(key, self.seed);
        let position = match &self.weights {
            None => self.lanes.strongest(key),
            Some(weights) => weights.cheapest(&self.lanes, key),
        };
        position.map(|position| self.indices[position] as usize)
    }

    fn order(&self, key: &[u8]) -> Vec<usize> {
        let mut order = vec![0; self.indices.len()];
        self.place(key, order.len(), |rank, index| order[rank] = index as usize);
        order
    }

    /// Calls `put` with each rank below `limit` and the index that has it.
    fn place(&self, key: &[u8], limit: usize, mut put: impl FnMut(usize, u32)) {
        let key = fingerprint(key, self.seed);
        let put = |rank, position: usize| put(rank, self.indices[position]);
        match &self.weights {
            None => self.lanes.sort(key, limit, put),
            Some(weights) => weights.sort(&self.lanes, key, limit, put),
        }
    }
}

fn check(upstreams: &[&str], weights: Option<&[u32]>) -> Result<(), Error> {
    bounds::count("upstreams", upstreams.len(), MAX_UPSTREAMS)?;
    for name in upstreams {
        bounds::name("upstream", name)?;
    }
    let Some(weights) = weights else {
        return Ok(());
    };
    bounds::one_for_each("weights", weights.len(), "upstream", upstreams.len())?;
    weights
        .iter()
        .try_for_each(|&weight| bounds::weight(weight))
}
