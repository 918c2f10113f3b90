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
