/// What [`RedisLeastUsed::configure`](crate::RedisLeastUsed::configure) answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Configured {
    /// The list declared is in force from now on.
    Configured,
    /// It was in force already; nothing has changed.
    Same,
    /// A newer list is in force; nothing has changed.
    Older {
        /// Its version.
        version: u64,
    },
    /// Under the same version another list is in force, this one; nothing has changed. One of the
    /// two declarations needs a higher version.
    Other {
        /// Each upstream and its weight.
        upstreams: Vec<(String, u32)>,
    },
}

/// What [`RedisLeastUsed::pick`](crate::RedisLeastUsed::pick) answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Picked {
    /// This one; it has been counted.
    Upstream {
        /// The upstream.
        upstream: String,
        /// Its count, this pick included.
        count: u64,
        /// Whether the id had this answer before; then nothing has changed.
        repeated: bool,
        /// The version of the list in force.
        version: u64,
    },
    /// There are upstreams, but every one is excluded or has weight 0.
    AllExcluded {
        /// The version of the list in force.
        version: u64,
    },
    /// The list in force is empty.
    Empty {
        /// Its version.
        version: u64,
    },
    /// The key is not there, though it has just been configured: Redis loses its data.
    Unknown,
}

/// What [`RedisLeastUsed::record`](crate::RedisLeastUsed::record) answers.
#[must_use]
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// They are counted.
    Recorded {
        /// The count of the upstream, these included.
        count: u64,
        /// Whether the id had this answer before; then nothing has changed.
        repeated: bool,
        /// The version of the list in force.
        version: u64,
    },
    /// The upstream is not in the list in force; nothing has changed.
    UnknownUpstream {
        /// The version of the list in force.
        version: u64,
    },
    /// The key is not there, though it has just been configured: Redis loses its data.
    Unknown,
}
