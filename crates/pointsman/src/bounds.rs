//! Every bound of the library, and the checks that name it.

use crate::Error;
use alloc::format;
use alloc::string::String;

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

/// The most limits that can be taken together.
pub const MAX_LIMITS: usize = 16;

pub(crate) fn whole(argument: &'static str, value: u64, min: u64, max: u64) -> Result<(), Error> {
    if value < min || value > max {
        return Err(Error::new(
            argument,
            value,
            format!("a whole number from {min} to {max}"),
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
    length("key", value.len(), MAX_KEY_BYTES)
}

pub(crate) fn lease_id(value: &str) -> Result<(), Error> {
    length("lease_id", value.len(), MAX_LEASE_ID_BYTES)
}

pub(crate) fn name(argument: &'static str, value: &str) -> Result<(), Error> {
    length(argument, value.len(), MAX_NAME_BYTES)?;
    if value.chars().any(char::is_control) {
        return Err(Error::new(
            argument,
            quoted(value),
            "free of control characters",
        ));
    }
    Ok(())
}

/// At most `max` things in a list.
pub(crate) fn count(argument: &'static str, value: usize, max: usize) -> Result<(), Error> {
    if value > max {
        return Err(Error::new(
            argument,
            format!("a list of {value}"),
            format!("a list of at most {max}"),
        ));
    }
    Ok(())
}

/// A value as it is shown in an error: in quotes, without control characters, and cut short.
pub(crate) fn quoted(value: &str) -> String {
    const SHOWN: usize = 40;
    let mut quoted = String::from("\"");
    for (at, character) in value.chars().enumerate().take(SHOWN + 1) {
        quoted.push(match character {
            _ if at == SHOWN => '…',
            character if character.is_control() => '\u{fffd}',
            character => character,
        });
    }
    quoted.push('"');
    quoted
}

fn length(argument: &'static str, bytes: usize, max: usize) -> Result<(), Error> {
    let bound = || format!("1 to {max} bytes long");
    match bytes {
        0 => Err(Error::new(argument, "empty", bound())),
        1.. if bytes <= max => Ok(()),
        _ => Err(Error::new(argument, format!("{bytes} bytes long"), bound())),
    }
}
