use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A key in Redis, and what is known of the clock of the server that has it.
#[derive(Debug)]
pub struct Key {
    name: String,
    made: Instant,
    /// What the server's clock showed when `made` was, in milliseconds; 0 while it is not known.
    server_ms: AtomicU64,
}

impl Key {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            made: Instant::now(),
            server_ms: AtomicU64::new(0),
        }
    }

    pub(crate) fn name(&self) -> &[u8] {
        self.name.as_bytes()
    }

    /// A call that was sent and answered at these instants ran at `now_ms`.
    ///
    /// It ran somewhere between the two. What is concluded is the latest that the server's clock can
    /// show, so a deadline comes late, by about as long as the trip took, and never early.
    pub(crate) fn learn(&self, sent: Instant, answered: Instant, now_ms: u64) {
        // Milliseconds are cut off at three places: of `now_ms`, and of both instants.
        let most = (now_ms + 2).saturating_sub(self.since_made(sent));
        let least = now_ms.saturating_sub(self.since_made(answered));
        let known = self.server_ms.load(Ordering::Relaxed);
        if !(least..=most).contains(&known) {
            self.server_ms.store(most, Ordering::Relaxed);
        }
    }

    /// What was learnt does not hold: the server's clock was set, or another server has taken over.
    pub(crate) fn forget(&self) {
        self.server_ms.store(0, Ordering::Relaxed);
    }

    /// What the server's clock shows at an instant, if it has been learnt.
    pub(crate) fn server_ms(&self, at: Instant) -> Option<u64> {
        let server_ms = self.server_ms.load(Ordering::Relaxed);
        (server_ms > 0).then(|| server_ms + self.since_made(at))
    }

    fn since_made(&self, at: Instant) -> u64 {
        let since = at.saturating_duration_since(self.made);
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// What the clock of a server shows at an instant, after trips of these lengths: sent when,
    /// answered when, and what it showed then.
    fn shown(trips: &[(u64, u64, u64)], at: u64) -> Option<u64> {
        let key = Key::new("k");
        let instant = |ms| key.made + Duration::from_millis(ms);
        for &(sent, answered, now_ms) in trips {
            key.learn(instant(sent), instant(answered), now_ms);
        }
        key.server_ms(instant(at))
    }

    #[test]
    fn the_clock_of_the_server_goes_on_from_the_last_reply() {
        assert_eq!(shown(&[], 500), None);
        let first = (500, 510, 1_700_000_000_003);
        assert_eq!(shown(&[first], 750), Some(1_700_000_000_255));
        // A trip that took long says little.
        let slow = (1_000, 9_000, 1_700_000_008_000);
        assert_eq!(shown(&[first, slow], 9_000), Some(1_700_000_008_505));
        assert_eq!(shown(&[slow], 9_000), Some(1_700_000_016_002));
        // The clock was set back by an hour, and forth again.
        let back = (10_000, 10_001, 1_699_996_410_000);
        assert_eq!(shown(&[first, back], 10_001), Some(1_699_996_410_003));
        let forth = (20_000, 20_001, 1_700_000_020_000);
        assert_eq!(
            shown(&[first, back, forth], 20_001),
            Some(1_700_000_020_003)
        );
    }

    #[test]
    fn what_was_learnt_can_be_forgotten() {
        let key = Key::new("k");
        key.learn(key.made, key.made, 1_700_000_000_000);
        key.forget();
        assert_eq!(key.server_ms(key.made), None);
    }
}
