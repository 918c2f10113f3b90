//! Every bound of the library, and the checks that name it.

use crate::error::{Bound, Error, Value};

/// The largest instant and the longest time, in milliseconds: a thousand times this is below
/// 2^53. As an instant it lies in the year 2255.
pub const MAX_MS: u64 = 9_007_199_254_740;

/// The largest whole number that every language here holds exactly: 2^53 - 1.
pub const MAX_WHOLE: u64 = (1 << 53) - 1;

/// The longest affinity key, in bytes.
pub const MAX_KEY_BYTES: usize = 1 << 20;

/// The longest name of an upstream or of an exit, in bytes.
pub const MAX_NAME_BYTES: usize = 255;

/// The largest number of upstreams, and of other things in one list.
pub const MAX_UPSTREAMS: usize = 65_535;

/// The largest weight.
pub const MAX_WEIGHT: u32 = 65_535;

/// The longest lease id, in bytes.
pub const MAX_LEASE_ID_BYTES: usize = 128;

/// The longest life of a lease: 24 hours, in milliseconds.
pub const MAX_LEASE_TTL_MS: u64 = 86_400_000;

/// The most leases that one upstream can hold at a time.
pub const MAX_IN_FLIGHT: u32 = 1_000;

/// The longest chain, in links.
pub const MAX_LINKS: usize = 65_535;

/// The longest entry of a chain, in bytes: 2^28.
pub const MAX_ENTRY_BYTES: usize = 1 << 28;

/// The largest memory of an affinity table, in links: 2^24.
pub const MAX_TABLE_LINKS: usize = 1 << 24;

/// The most instants at which bookings of one bucket start, and the most groups of a window limit.
pub const MAX_BOOKED: usize = 10_000;

/// The most limits that can be taken together.
pub const MAX_LIMITS: usize = 16;

pub(crate) fn whole(argument: &'static str, value: u64, min: u64, max: u64) -> Result<(), Error> {
    if value < min || value > max {
        return Err(Error::new(
            argument,
            Value::Number(value),
            Bound::Whole { min, max },
        ));
    }
    Ok(())
}

pub(crate) fn ms(argument: &'static str, value: u64) -> Result<(), Error> {
    whole(argument, value, 0, MAX_MS)
}

pub(crate) fn draw(value: u64) -> Result<(), Error> {
    whole("draw", value, 0, MAX_WHOLE)
}

pub(crate) fn weight(value: u32) -> Result<(), Error> {
    whole("weight", value.into(), 0, MAX_WEIGHT.into())
}

pub(crate) fn key(value: &[u8]) -> Result<(), Error> {
    bytes("key", value.len(), 1, MAX_KEY_BYTES)
}

pub(crate) fn lease_id(value: &str) -> Result<(), Error> {
    bytes("lease_id", value.len(), 1, MAX_LEASE_ID_BYTES)
}

pub(crate) fn entry(argument: &'static str, length: usize) -> Result<(), Error> {
    bytes(argument, length, 0, MAX_ENTRY_BYTES)
}

pub(crate) fn name(argument: &'static str, value: &str) -> Result<(), Error> {
    bytes(argument, value.len(), 1, MAX_NAME_BYTES)?;
    if value.chars().any(char::is_control) {
        let bound = Bound::Words("free of control characters");
        return Err(Error::new(argument, Value::text(value), bound));
    }
    Ok(())
}

/// At most `max` things in a list.
pub(crate) fn count(argument: &'static str, value: usize, max: usize) -> Result<(), Error> {
    if value > max {
        return Err(Error::new(
            argument,
            Value::List(value),
            Bound::List { max },
        ));
    }
    Ok(())
}

/// A list of one for each of `count` others.
pub(crate) fn one_for_each(
    argument: &'static str,
    value: usize,
    of: &'static str,
    count: usize,
) -> Result<(), Error> {
    if value != count {
        let bound = Bound::OneForEach { count, of };
        return Err(Error::new(argument, Value::List(value), bound));
    }
    Ok(())
}

fn bytes(argument: &'static str, length: usize, min: usize, max: usize) -> Result<(), Error> {
    if length >= min && length <= max {
        return Ok(());
    }
    let value = match length {
        0 => Value::Empty,
        _ => Value::Bytes(length),
    };
    Err(Error::new(argument, value, Bound::Bytes { min, max }))
}
