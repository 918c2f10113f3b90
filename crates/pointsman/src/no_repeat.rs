use crate::Error;
use crate::bounds::{self, MAX_UPSTREAMS};
use crate::rotation::{first_of_each, weighted_random};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// What must not come twice in a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RepeatBy {
    /// The upstream.
    #[default]
    Upstream,
    /// The exit: the identity that the outside sees. Several upstreams may share one, and an
    /// upstream whose exit is not known counts as different.
    Exit,
}

/// What to answer where nothing but a repeat is left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnlyOne {
    /// [`Different::NoDifferent`].
    #[default]
    Fail,
    /// The same again, said to be repeated.
    Reuse,
    /// The same again, but not before `gap_ms` have passed since it was last returned.
    Wait {
        /// The least time between two uses.
        gap_ms: u64,
    },
}

/// One that may be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// The name of the upstream.
    pub upstream: &'a str,
    /// The exit that is declared for it, if one is known.
    pub exit: Option<&'a str>,
    /// Its share, 0 to 65,535; one of weight 0 is never chosen.
    pub weight: u32,
}

/// What [`NoRepeat::next`] answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Different {
    /// This one.
    Upstream {
        /// Its index among the candidates.
        index: usize,
        /// Whether it repeats the previous one, since nothing else was left.
        repeated: bool,
    },
    /// Every candidate repeats the previous one.
    NoDifferent,
    /// Every candidate repeats the previous one; come back in `retry_after_ms`.
    Wait {
        /// From now until the same may be used again.
        retry_after_ms: u64,
    },
    /// There is no candidate, or every one has weight 0.
    Empty,
}

/// An upstream by chance, but never the previous one again.
///
/// ```
/// use pointsman::{Candidate, Different, NoRepeat, OnlyOne, RepeatBy};
///
/// let mut proxies = NoRepeat::new(RepeatBy::Exit, OnlyOne::Fail)?;
/// let proxy = |upstream, exit| Candidate { upstream, exit: Some(exit), weight: 1 };
/// let candidates = [proxy("p1", "X"), proxy("p2", "X"), proxy("p3", "Y")];
/// assert_eq!(proxies.next(&candidates, 0, 0)?, Different::Upstream { index: 0, repeated: false });
/// assert_eq!(proxies.next(&candidates, 0, 0)?, Different::Upstream { index: 2, repeated: false });
/// # Ok::<(), pointsman::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoRepeat {
    by: RepeatBy,
    only_one: OnlyOne,
    clock_ms: u64,
    previous: Option<Previous>,
    /// The exit last seen of an upstream, beside the one that is declared; in the order of the
    /// names.
    observed: Vec<(Box<str>, Box<str>)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Previous {
    upstream: Box<str>,
    declared: Option<Box<str>>,
    observed: Option<Box<str>>,
    at_ms: u64,
}

impl NoRepeat {
    /// A rotation that has returned nothing yet.
    pub fn new(by: RepeatBy, only_one: OnlyOne) -> Result<Self, Error> {
        if let OnlyOne::Wait { gap_ms } = only_one {
            bounds::ms("gap_ms", gap_ms)?;
        }
        Ok(Self {
            by,
            only_one,
            clock_ms: 0,
            previous: None,
            observed: Vec::new(),
        })
    }

    /// Chooses among the candidates that do not repeat the previous one, by their weights, and
    /// records the choice. Answers at once whatever is left. A name that is listed twice counts
    /// once, as it is listed first.
    ///
    /// Cost: O(n log n).
    pub fn next(
        &mut self,
        candidates: &[Candidate<'_>],
        draw: u64,
        now_ms: u64,
    ) -> Result<Different, Error> {
        bounds::draw(draw)?;
        bounds::ms("now_ms", now_ms)?;
        check(candidates)?;
        let now_ms = now_ms.max(self.clock_ms);
        let names: Vec<&str> = candidates.iter().map(|one| one.upstream).collect();
        let listed: Vec<usize> = first_of_each(&names)
            .into_iter()
            .filter(|&index| candidates[index].weight > 0)
            .collect();
        if listed.is_empty() {
            return Ok(Different::Empty);
        }
        let mut eligible = listed.clone();
        eligible.retain(|&index| !self.repeats(&candidates[index]));
        let repeated = eligible.is_empty();
        if repeated {
            match self.only_one {
                OnlyOne::Fail => return Ok(Different::NoDifferent),
                OnlyOne::Wait { gap_ms } => match self.left_of(gap_ms, now_ms) {
                    0 => {}
                    retry_after_ms => return Ok(Different::Wait { retry_after_ms }),
                },
                OnlyOne::Reuse => {}
            }
            eligible = listed;
        }
        let weights: Vec<u32> = (eligible.iter())
            .map(|&index| candidates[index].weight)
            .collect();
        let Some(chosen) = weighted_random(&weights, draw)? else {
            return Ok(Different::Empty);
        };
        let index = eligible[chosen];
        self.record(&candidates[index], now_ms);
        self.forget_others(&names);
        Ok(Different::Upstream { index, repeated })
    }

    /// Notes the exit that an upstream was seen to have: beside the declared one, not instead of
    /// it. A later one replaces the one noted before. Kept while the upstream is listed: `next` may
    /// forget those that its list leaves out.
    pub fn observe(&mut self, upstream: &str, exit: &str) -> Result<(), Error> {
        bounds::name("upstream", upstream)?;
        bounds::name("exit", exit)?;
        match self.place(upstream) {
            Ok(known) => self.observed[known].1 = exit.into(),
            Err(place) => {
                bounds::count("observed", self.observed.len() + 1, MAX_UPSTREAMS)?;
                self.observed.insert(place, (upstream.into(), exit.into()));
            }
        }
        if let Some(previous) = &mut self.previous {
            if *previous.upstream == *upstream {
                previous.observed = Some(exit.into());
            }
        }
        Ok(())
    }

    fn repeats(&self, candidate: &Candidate<'_>) -> bool {
        let Some(previous) = &self.previous else {
            return false;
        };
        match self.by {
            RepeatBy::Upstream => *previous.upstream == *candidate.upstream,
            RepeatBy::Exit => {
                let used = [&previous.declared, &previous.observed];
                let exits = [candidate.exit, self.observed(candidate.upstream)];
                let used = |exit: &str| used.into_iter().flatten().any(|known| **known == *exit);
                exits.into_iter().flatten().any(used)
            }
        }
    }

    fn observed(&self, upstream: &str) -> Option<&str> {
        let place = self.place(upstream).ok()?;
        Some(&*self.observed[place].1)
    }

    fn place(&self, upstream: &str) -> Result<usize, usize> {
        (self.observed).binary_search_by(|(known, _)| (**known).cmp(upstream))
    }

    fn left_of(&self, gap_ms: u64, now_ms: u64) -> u64 {
        let used_ms = self.previous.as_ref().map_or(0, |previous| previous.at_ms);
        (used_ms + gap_ms).saturating_sub(now_ms)
    }

    fn record(&mut self, candidate: &Candidate<'_>, now_ms: u64) {
        self.clock_ms = now_ms;
        self.previous = Some(Previous {
            upstream: candidate.upstream.into(),
            declared: candidate.exit.map(Into::into),
            observed: self.observed(candidate.upstream).map(Into::into),
            at_ms: now_ms,
        });
    }

    /// Keeps no exit of an upstream that is not listed any more, once there are more of them
    /// than candidates.
    fn forget_others(&mut self, names: &[&str]) {
        if self.observed.len() > names.len() {
            let mut listed = vec![false; self.observed.len()];
            for place in names.iter().filter_map(|name| self.place(name).ok()) {
                listed[place] = true;
            }
            let mut listed = listed.into_iter();
            self.observed.retain(|_| listed.next().unwrap_or(false));
        }
    }
}

fn check(candidates: &[Candidate<'_>]) -> Result<(), Error> {
    bounds::count("candidates", candidates.len(), MAX_UPSTREAMS)?;
    for candidate in candidates {
        bounds::name("upstream", candidate.upstream)?;
        bounds::weight(candidate.weight)?;
        if let Some(exit) = candidate.exit {
            bounds::name("exit", exit)?;
        }
    }
    Ok(())
}
