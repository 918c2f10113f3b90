//! The chain beside other digests: `cargo bench --bench chain`, with `-- --quick` for a first
//! look. An item is a conversation of 40 entries of 500 to 8,000 bytes.

mod harness;

use harness::Race;
use pointsman::fingerprint;
use sha2::{Digest, Sha256};
use std::hash::{DefaultHasher, Hasher};

const ENTRIES: usize = 40;

type Conversation = Vec<Vec<u8>>;

fn main() {
    // Few enough to stay in the cache of one core, as a request that was just read does.
    let conversations: Vec<Conversation> = (0..2).map(conversation).collect();
    let bytes = conversations[0].iter().map(Vec::len).sum::<usize>();
    let mut copy = vec![0; bytes];
    Race::new(
        format!("chain of {ENTRIES} entries, {bytes} bytes"),
        &conversations,
    )
    .of_bytes(bytes)
    .enter("chain", |entries| pointsman::chain(entries))
    .enter("memcpy", |entries| {
        let mut rest = &mut copy[..];
        for entry in entries {
            let (into, behind) = rest.split_at_mut(entry.len());
            into.copy_from_slice(entry);
            rest = behind;
        }
        copy[0]
    })
    .enter("XXH3 of each entry, no chain", |entries| {
        entries
            .iter()
            .fold(0, |sum, entry| sum ^ fingerprint(entry, 0))
    })
    .enter("SipHash-1-3 (std), one running state", running_siphash)
    .enter("SHA-256 (sha2 0.10), one running state", running_sha256)
    .run();

    let entries: Vec<Vec<u8>> = (0..64).map(|number| entry(number, 4096)).collect();
    let chain = pointsman::Chain::new();
    Race::new("one entry of 4,096 bytes", &entries)
        .of_bytes(4096)
        .enter("Chain::push, to an empty chain", |entry| {
            chain.clone().push(entry)
        })
        .enter("SHA-256 (sha2 0.10)", |entry| Sha256::digest(entry))
        .run();
}

fn running_siphash(entries: &Conversation) -> Vec<u64> {
    let mut state = DefaultHasher::new();
    let link = |entry: &Vec<u8>| {
        state.write(entry);
        state.finish()
    };
    entries.iter().map(link).collect()
}

fn running_sha256(entries: &Conversation) -> Vec<[u8; 32]> {
    let mut state = Sha256::new();
    let link = |entry: &Vec<u8>| {
        state.update(entry);
        state.clone().finalize().into()
    };
    entries.iter().map(link).collect()
}

/// Every conversation has the same lengths, and other bytes.
fn conversation(number: u64) -> Conversation {
    let length = |at: u64| 500 + (fingerprint(&at.to_le_bytes(), 1) % 7501) as usize;
    (0..ENTRIES as u64)
        .map(|at| entry(number * 1000 + at, length(at)))
        .collect()
}

fn entry(number: u64, length: usize) -> Vec<u8> {
    let word = |at: u64| fingerprint(&at.to_le_bytes(), number).to_le_bytes();
    (0..).flat_map(word).take(length).collect()
}
