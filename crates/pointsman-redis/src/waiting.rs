use crate::Error;
use crate::limits::{RedisLimits, Take};
use crate::request::Request;
use crate::taken::{TakeCancelled, Taken};
use redis::ConnectionLike;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The longest that one timer is set for; a longer wait sets several.
const LONGEST: Duration = Duration::from_secs(86_400);

impl RedisLimits {
    /// Takes a cost as soon as all limits have it: books the first start within `max_wait_ms`
    /// (first come, first served, over all workers), waits for it, and answers `Granted` when it
    /// has come. Nobody polls: Redis is asked once.
    ///
    /// It goes by a random id unless [`id`](WhenFree::id) sets one.
    pub fn take_when_free(&self, costs: &[(&str, u64)], max_wait_ms: u64) -> WhenFree<'_> {
        let take = self.take(costs).random_id().max_wait_ms(max_wait_ms);
        WhenFree {
            limits: self,
            take,
            has_own_id: false,
        }
    }
}

/// A take that waits for its start: see [`RedisLimits::take_when_free`].
///
/// Every answer but `Granted` and `GivenUp` comes at once, as from [`RedisLimits::take`].
#[must_use = "nothing is taken until it is queried"]
#[derive(Debug, Clone)]
pub struct WhenFree<'a> {
    limits: &'a RedisLimits,
    take: Request<Take<'a>>,
    has_own_id: bool,
}

impl WhenFree<'_> {
    /// As [`Request::id`]. With an id of one's own a wait that was lost (its future dropped, its
    /// process ended) keeps its place and can be taken up again: the same take finds its booking,
    /// and waits for what is left.
    pub fn id(mut self, take_id: &str) -> Self {
        self.take = self.take.id(take_id);
        self.has_own_id = true;
        self
    }

    /// As [`Request::timeout_ms`].
    pub fn timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.take = self.take.timeout_ms(timeout_ms);
        self
    }

    /// The id that the take goes by.
    pub fn take_id(&self) -> &str {
        self.take.take_id().unwrap_or_default()
    }

    /// Takes, and blocks until the start has come or the wait is given up; then the place goes back
    /// to those behind, and the answer is [`Taken::GivenUp`]. If it cannot be given back, that is
    /// the error, and [`take_cancel`](RedisLimits::take_cancel) with [`take_id`](Self::take_id) may
    /// try again.
    pub fn query(&self, con: &mut dyn ConnectionLike, give_up: &GiveUp) -> Result<Taken, Error> {
        let taken = self.take.query(con)?;
        match starts_in(&taken) {
            Some(starts_in) if give_up.comes_within(starts_in) => {
                let cancelled = self.limits.take_cancel(self.take_id()).query(con)?;
                Ok(self.given_up(cancelled))
            }
            _ => Ok(taken),
        }
    }

    /// [`query`](Self::query) over an asynchronous connection. `give_up` is any future: that of a
    /// cancellation token, or `std::future::pending()` to wait in any case. It is asked once the
    /// take has been answered.
    ///
    /// If the future of this call itself is dropped, as by a timeout around it, the place goes back
    /// too: by a task of its own on tokio's runtime, over a clone of the connection. So it does not
    /// where there is no runtime (any more), and nobody hears of it should it fail. With an
    /// [`id`](Self::id) of one's own the place is kept.
    #[cfg(feature = "tokio")]
    pub async fn query_async<C>(
        &self,
        con: &mut C,
        give_up: impl Future<Output = ()>,
    ) -> Result<Taken, Error>
    where
        C: redis::aio::ConnectionLike + Clone + Send + 'static,
    {
        let mut place = Place {
            limits: self.limits,
            take_id: (!self.has_own_id).then(|| self.take_id()),
            con: con.clone(),
        };
        let outcome = self.outcome(con, give_up).await;
        place.take_id = None;
        outcome
    }

    #[cfg(feature = "tokio")]
    async fn outcome(
        &self,
        con: &mut impl redis::aio::ConnectionLike,
        give_up: impl Future<Output = ()>,
    ) -> Result<Taken, Error> {
        let taken = self.take.query_async(con).await?;
        let Some(starts_in) = starts_in(&taken) else {
            return Ok(taken);
        };
        tokio::select! {
            biased;
            () = pass(starts_in) => Ok(taken),
            () = give_up => {
                let cancel = self.limits.take_cancel(self.take_id());
                Ok(self.given_up(cancel.query_async(con).await?))
            }
        }
    }

    fn given_up(&self, cancelled: TakeCancelled) -> Taken {
        Taken::GivenUp {
            take_id: self.take_id().into(),
            cancelled,
        }
    }
}

/// How long a grant must be waited for.
fn starts_in(taken: &Taken) -> Option<Duration> {
    match taken {
        Taken::Granted { starts_in_ms, .. } if *starts_in_ms > 0 => {
            Some(Duration::from_millis(*starts_in_ms))
        }
        _ => None,
    }
}

#[cfg(feature = "tokio")]
async fn pass(time: Duration) {
    use tokio::time::{Instant, sleep_until};

    let end = Instant::now() + time;
    while Instant::now() < end {
        sleep_until(end.min(Instant::now() + LONGEST)).await;
    }
}

/// What a take under way is about to get, or has got and waits for: goes back if it is dropped.
#[cfg(feature = "tokio")]
struct Place<'a, C>
where
    C: redis::aio::ConnectionLike + Clone + Send + 'static,
{
    limits: &'a RedisLimits,
    /// `None` where it stays taken.
    take_id: Option<&'a str>,
    con: C,
}

#[cfg(feature = "tokio")]
impl<C> Drop for Place<'_, C>
where
    C: redis::aio::ConnectionLike + Clone + Send + 'static,
{
    fn drop(&mut self) {
        let Some(take_id) = self.take_id else {
            return;
        };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let limits = self.limits.clone();
            runtime.spawn(give_back(limits, take_id.to_string(), self.con.clone()));
        }
    }
}

/// Gives back a place that nobody waits for; where it has started, what it was charged.
#[cfg(feature = "tokio")]
async fn give_back(
    limits: RedisLimits,
    take_id: String,
    mut con: impl redis::aio::ConnectionLike + Send,
) {
    let cancelled = limits.take_cancel(&take_id).query_async(&mut con).await;
    if cancelled == Ok(TakeCancelled::Started) {
        let names = limits.rules.limits.iter().map(|(name, _)| name.as_str());
        let nothing: Vec<_> = names.map(|name| (name, 0)).collect();
        let _ = limits
            .take_settle(&take_id, &nothing)
            .query_async(&mut con)
            .await;
    }
}

/// Ends waits from another thread. Clones are one: it ends the waits of all.
#[derive(Debug, Clone, Default)]
pub struct GiveUp(Arc<Signal>);

#[derive(Debug, Default)]
struct Signal {
    given: Mutex<bool>,
    changed: Condvar,
}

impl GiveUp {
    /// Not given.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends every wait that has this, also those that begin later.
    pub fn give_up(&self) {
        *self.0.given.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_all();
    }

    /// Blocks until it is given (`true`) or the time has passed (`false`).
    fn comes_within(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        let mut given = self.0.given.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if *given || left.is_zero() {
                return *given;
            }
            let woken = self.0.changed.wait_timeout(given, left.min(LONGEST));
            (given, _) = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::{Scripted, answer};
    use crate::{Rule, bundle};
    use std::thread;

    const NOW_MS: i64 = 1_700_000_000_000;

    fn limits() -> RedisLimits {
        RedisLimits::new("k", &[("requests", Rule::bucket(1, 1, 1_000))], 7)
    }

    fn starts_in(starts_in_ms: i64) -> Vec<redis::Value> {
        answer!("granted", 1, NOW_MS, 7, starts_in_ms, 0, 0)
    }

    fn returned() -> Vec<redis::Value> {
        answer!("returned", 1, NOW_MS, 7)
    }

    #[test]
    fn a_blocking_wait_ends_when_it_is_given_up_and_gives_the_place_back() {
        let give_up = GiveUp::new();
        let other = give_up.clone();
        let mut con = Scripted::new([starts_in(3_600_000), returned()]);
        let limits = limits();
        let take = limits.take_when_free(&[("requests", 1)], 3_600_000).id("t");
        let outcome = thread::scope(|scope| {
            scope.spawn(move || other.give_up());
            take.query(&mut con, &give_up)
        });
        let given_up = Taken::GivenUp {
            take_id: "t".into(),
            cancelled: TakeCancelled::Returned,
        };
        assert_eq!(outcome, Ok(given_up));
        assert_eq!(con.sent[1][1], bundle::TAKE_CANCEL.sha1);
        assert_eq!(con.arguments(1), ["t"]);
    }

    #[test]
    fn a_blocking_wait_ends_at_its_start() {
        let limits = limits();
        let take = limits.take_when_free(&[("requests", 1)], 100);
        let mut con = Scripted::new([starts_in(20)]);
        let asked = Instant::now();
        let outcome = take.query(&mut con, &GiveUp::new());
        assert!(matches!(outcome, Ok(Taken::Granted { .. })));
        assert!(asked.elapsed() >= Duration::from_millis(20));
        let wait = answer!("wait", 1, NOW_MS, 7, 250, ":requests");
        let outcome = take.query(&mut Scripted::new([wait]), &GiveUp::new());
        assert!(matches!(
            outcome,
            Ok(Taken::Wait {
                retry_after_ms: 250,
                ..
            })
        ));
    }

    #[cfg(feature = "tokio")]
    #[tokio::test(start_paused = true)]
    async fn a_wait_of_forty_days_lasts_forty_days() {
        const FORTY_DAYS_MS: u64 = 40 * 86_400_000;
        let limits = limits();
        let take = limits.take_when_free(&[("requests", 1)], FORTY_DAYS_MS);
        let mut con = Scripted::new([starts_in(FORTY_DAYS_MS as i64)]);
        let asked = tokio::time::Instant::now();
        let outcome = take.query_async(&mut con, std::future::pending()).await;
        assert!(matches!(outcome, Ok(Taken::Granted { .. })));
        let waited_ms = asked.elapsed().as_millis() as u64;
        // Tokio's timers go by whole milliseconds.
        assert!(
            (FORTY_DAYS_MS..=FORTY_DAYS_MS + 1).contains(&waited_ms),
            "{waited_ms}"
        );
        assert_eq!(con.sent.len(), 1);
    }

    #[cfg(feature = "tokio")]
    #[tokio::test(start_paused = true)]
    async fn an_asynchronous_wait_that_is_given_up_gives_the_place_back() {
        let limits = limits();
        let take = limits.take_when_free(&[("requests", 1)], 60_000);
        let soon =
            || tokio::time::sleep_until(tokio::time::Instant::now() + Duration::from_secs(5));
        let mut con = Scripted::new([starts_in(60_000), returned()]);
        let outcome = take.query_async(&mut con, soon()).await;
        let given_up = Taken::GivenUp {
            take_id: take.take_id().into(),
            cancelled: TakeCancelled::Returned,
        };
        assert_eq!(outcome, Ok(given_up));
        assert_eq!(con.arguments(1), [take.take_id()]);
        // The place cannot be given back: that is not hidden.
        let mut con = Scripted::new([starts_in(60_000)]).then_error("LOADING it loads");
        let outcome = take.query_async(&mut con, soon()).await;
        assert!(outcome.is_err_and(|error| error.is_unreachable()));
    }
}
