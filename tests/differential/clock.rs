//! The instants at which a history asks.

use crate::seed::Draws;

/// A clock that mostly goes on, but also stands still, steps back and jumps.
pub struct Clock {
    now_ms: u64,
    step_ms: u64,
}

impl Clock {
    /// A clock that goes on by about `step_ms`.
    pub fn new(step_ms: u64, draws: &mut Draws) -> Self {
        let now_ms = match draws.below(12) {
            // A fence becomes text.
            0 => (1 << 52) / 1_000 - draws.below(100 * step_ms),
            _ => 1 + draws.below(2_000_000_000_000),
        };
        Self { now_ms, step_ms }
    }

    /// The instant of the next question is this one, unless it has passed.
    pub fn wait_until(&mut self, instant_ms: u64) -> u64 {
        self.now_ms = self.now_ms.max(instant_ms);
        self.now_ms
    }

    /// The instant of the next question: 1 or later.
    pub fn next(&mut self, draws: &mut Draws) -> u64 {
        let step = self.step_ms;
        match draws.below(100) {
            0..30 => {}
            30..33 => self.now_ms += 20 * step + draws.below(20 * step),
            33..40 => self.now_ms = self.now_ms.saturating_sub(draws.below(5 * step)).max(1),
            _ => self.now_ms += draws.below(2 * step),
        }
        self.now_ms
    }
}
