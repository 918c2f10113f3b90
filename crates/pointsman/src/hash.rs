use core::hash::{BuildHasherDefault, Hasher};

/// The 64-bit fingerprint behind every order and every chain: XXH3-64 with a seed.
///
/// The value is the same on every platform and in every release (it is part of format v1). It is
/// no keyed pseudorandom function: a secret seed hides where keys land from outsiders who cannot
/// watch, and no more than that.
///
/// Source: XXH3_64bits_withSeed of [xxHash](https://github.com/Cyan4973/xxHash), stable since
/// its release 0.8.0. Cost: O(bytes).
///
/// ```
/// assert_eq!(pointsman::fingerprint(b"acct-1", 0), 0x7759_e98d_6f22_e175);
/// ```
pub fn fingerprint(bytes: &[u8], seed: u64) -> u64 {
    #[cfg(not(target_family = "wasm"))]
    return twox_hash::XxHash3_64::oneshot_with_seed(seed, bytes);
    #[cfg(target_family = "wasm")]
    return xxhash_rust::xxh3::xxh3_64_with_seed(bytes, seed);
}

/// A map from links or texts: found by their fingerprints.
pub(crate) type Map<K, V> = hashbrown::HashMap<K, V, BuildHasherDefault<Fingerprints>>;

/// [`fingerprint`] as a hasher; a link is one already.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fingerprints(u64);

impl Hasher for Fingerprints {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = fingerprint(bytes, self.0);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 ^= value;
    }

    /// The end of a text: it stands alone here.
    fn write_u8(&mut self, _: u8) {}

    fn finish(&self) -> u64 {
        self.0
    }
}
