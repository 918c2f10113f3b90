use crate::Error;
use crate::call::{Arguments, Fields, Reply};

/// What a limit allows.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// A token bucket, as [`pointsman::TokenBucket`].
    Bucket {
        /// The most that it holds, 1 or more.
        capacity: u64,
        /// What it regains each period, 1 or more.
        refill: u64,
        /// The period, in milliseconds.
        period_ms: u64,
    },
    /// A window limit, as [`pointsman::WindowLimit`]: never more than its capacity in any trailing
    /// window.
    Window {
        /// The most in a window, 1 or more.
        capacity: u64,
        /// The length of the window, in milliseconds.
        window_ms: u64,
    },
}

impl Rule {
    /// A token bucket.
    pub fn bucket(capacity: u64, refill: u64, period_ms: u64) -> Self {
        Self::Bucket {
            capacity,
            refill,
            period_ms,
        }
    }

    /// A window limit.
    pub fn window(capacity: u64, window_ms: u64) -> Self {
        Self::Window {
            capacity,
            window_ms,
        }
    }

    fn write(self, to: &mut Arguments) {
        match self {
            Self::Bucket {
                capacity,
                refill,
                period_ms,
            } => to
                .text("bucket")
                .whole(capacity)
                .whole(refill)
                .whole(period_ms),
            Self::Window {
                capacity,
                window_ms,
            } => to.text("window").whole(capacity).whole(0).whole(window_ms),
        };
    }
}

/// Limits that hold together, by their names, in one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Higher for newer rules.
    pub version: u64,
    /// Each limit: its name, and what it allows.
    pub limits: Vec<(String, Rule)>,
}

impl Rules {
    pub(crate) fn new(limits: &[(&str, Rule)], version: u64) -> Self {
        let named = |&(name, rule): &(&str, Rule)| (name.to_string(), rule);
        Self {
            version,
            limits: limits.iter().map(named).collect(),
        }
    }

    /// `count`, then each limit in its five words.
    pub(crate) fn write(&self, to: &mut Arguments) {
        to.whole(self.limits.len() as u64);
        for (name, rule) in &self.limits {
            to.text(name.as_str());
            rule.write(to);
        }
    }

    /// The same, out of a reply.
    pub(crate) fn read(version: u64, mut fields: Fields<'_>) -> Result<Self, Error> {
        let count = fields.whole("the number of limits")?;
        let limits: Result<_, _> = (0..count).map(|_| read_limit(&mut fields)).collect();
        let limits = limits?;
        fields.end(Self { version, limits })
    }

    /// What is left of each limit, the rest of a reply: by name, where these rules are those in
    /// force.
    pub(crate) fn remaining(
        &self,
        reply: &Reply,
        mut fields: Fields<'_>,
    ) -> Result<Vec<(String, u64)>, Error> {
        let left = fields.each(|fields| fields.whole("remaining"))?;
        if self.version != reply.version() || self.limits.len() != left.len() {
            return Ok(Vec::new());
        }
        let names = self.limits.iter().map(|(name, _)| name.clone());
        Ok(names.zip(left).collect())
    }
}

fn read_limit(fields: &mut Fields<'_>) -> Result<(String, Rule), Error> {
    let name = fields.name("the name of a limit")?;
    let kind = fields.one_of("the kind of a limit", &["bucket", "window"])?;
    let capacity = fields.whole("capacity")?;
    let refill = fields.whole("refill")?;
    let period_ms = fields.whole("period_ms")?;
    let rule = match kind {
        "bucket" => Rule::bucket(capacity, refill, period_ms),
        _ => Rule::window(capacity, period_ms),
    };
    Ok((name, rule))
}
