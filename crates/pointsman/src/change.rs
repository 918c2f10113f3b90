//! What a limit keeps when its rule changes.

/// With what a limit goes on whose rule has changed. What is booked ahead stays booked in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Inherit {
    /// What was consumed stays consumed: a capacity raised by 10 gives 10 more at once. A bucket
    /// rounds it up to whole tokens.
    #[default]
    Keep,
    /// The same share of the capacity is left, rounded down; what is owed stays owed.
    Proportional,
    /// Nothing is consumed. In a window a grant from before counts no more, whatever it is settled to.
    /// In a bucket it may be settled as ever, and then comes back a second time: beyond the capacity,
    /// never more is granted than what was consumed.
    Full,
    /// Nothing is left.
    Empty,
}

/// `part` of `old` as a part of `new`, rounded down.
pub(crate) fn share(part: u64, new: u64, old: u64) -> u64 {
    let scaled = u128::from(part) * u128::from(new) / u128::from(old);
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

/// `part` of `old` as a part of `new`, rounded up.
pub(crate) fn share_up(part: u64, new: u64, old: u64) -> u64 {
    let scaled = (u128::from(part) * u128::from(new)).div_ceil(u128::from(old));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}
