use crate::Error;

/// A random whole number below 2^53.
pub(crate) fn draw() -> Result<u64, Error> {
    Ok(getrandom::u64().map_err(Error::random)? >> 11)
}

/// An id that nobody else has: 128 random bits, in hex digits.
pub(crate) fn id() -> Result<String, Error> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).map_err(Error::random)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_is_below_two_to_the_53() {
        let draws: Vec<u64> = (0..100).map(|_| draw().unwrap()).collect();
        assert!(draws.iter().all(|draw| *draw < 1 << 53));
        // All of a hundred below a half: one time in 2^100.
        assert!(draws.iter().any(|draw| *draw >= 1 << 52));
    }
}
