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

    /// A call that was sent at this instant ran at `now_ms`.
    ///
    /// It ran later than it was sent, by the time it was under way. So what is concluded from it
    /// runs ahead of the server by that, and a deadline comes late by that, and never early.
    pub(crate) fn learn(&self, sent: Instant, now_ms: u64) {
        let server_ms = now_ms.saturating_sub(self.since_made(sent));
        self.server_ms.store(server_ms, Ordering::Relaxed);
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

    #[test]
    fn the_clock_of_the_server_goes_on_from_the_last_reply() {
        let key = Key::new("k");
        let sent = key.made + Duration::from_millis(500);
        assert_eq!(key.server_ms(sent), None);
        key.learn(sent, 1_700_000_000_000);
        let later = sent + Duration::from_millis(250);
        assert_eq!(key.server_ms(later), Some(1_700_000_000_250));
        // The server's clock was set back by an hour.
        key.learn(later, 1_699_996_400_250);
        assert_eq!(key.server_ms(later), Some(1_699_996_400_250));
    }
}
