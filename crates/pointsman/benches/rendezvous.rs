//! Rendezvous order beside other crates: `cargo bench --bench rendezvous`, with `-- --quick` for
//! a first look. The hash of the key is in every time.

mod harness;

use harness::Race;
use hashring::HashRing;
use hrw_hash::{HrwNode, HrwNodes};
use jumphash::JumpHasher;
use pointsman::{Upstreams, fingerprint};
use rendezvous_hash::{DefaultNodeHasher, RendezvousNodes};

const COUNTS: [usize; 4] = [3, 10, 100, 1000];

fn main() {
    let keys: Vec<String> = (0..1024).map(uuid).collect();
    for count in COUNTS {
        pick(&keys, &names(count));
    }
    for count in COUNTS {
        order(&keys, &names(count));
    }
    for count in COUNTS {
        first_three(&keys, &names(count));
    }
    for count in COUNTS {
        weighted(&keys, &names(count));
    }
    for count in [10, 100] {
        free_functions(&keys, &names(count));
    }
}

fn pick(keys: &[String], names: &[String]) {
    let count = names.len();
    let ours = Upstreams::new(names).expect("names within bounds");
    let hrw: HrwNodes<Node, _> = HrwNodes::new(nodes(names, |_| 1));
    let rendezvous = rendezvous_nodes(names);
    let mut ring = HashRing::new();
    ring.batch_add(virtual_nodes(names));
    let jump = JumpHasher::new_with_keys(1, 2);
    Race::new(format!("pick, {count} upstreams"), keys)
        .enter("Upstreams::pick", |key| ours.pick(key))
        .enter("hrw-hash 2.0.3", |key| hrw.sorted(key).next())
        .enter("rendezvous_hash 0.3.0", |key| {
            rendezvous.calc_candidates(key).next()
        })
        .enter("hashring 0.3.6, 40 points each", |key| ring.get(key))
        .enter("jumphash 0.1.9", |key| jump.slot(key, count as u32))
        .run();
}

fn order(keys: &[String], names: &[String]) {
    let ours = Upstreams::new(names).expect("names within bounds");
    let mut indices = vec![0; names.len()];
    let hrw: HrwNodes<Node, _> = HrwNodes::new(nodes(names, |_| 1));
    let rendezvous = rendezvous_nodes(names);
    Race::new(format!("order, {} upstreams", names.len()), keys)
        .enter("Upstreams::order", |key| ours.order(key))
        .enter("Upstreams::order_into", |key| {
            let written = ours.order_into(key, &mut indices);
            (written, indices[0])
        })
        .enter("hrw-hash 2.0.3", |key| hrw.sorted(key).collect::<Vec<_>>())
        .enter("rendezvous_hash 0.3.0", |key| {
            rendezvous.calc_candidates(key).collect::<Vec<_>>()
        })
        .run();
}

fn first_three(keys: &[String], names: &[String]) {
    let ours = Upstreams::new(names).expect("names within bounds");
    let hrw: HrwNodes<Node, _> = HrwNodes::new(nodes(names, |_| 1));
    Race::new(format!("first three of {} upstreams", names.len()), keys)
        .enter("Upstreams::order_into", |key| {
            let mut three = [0; 3];
            ours.order_into(key, &mut three).map(|_| three)
        })
        .enter("hrw-hash 2.0.3", |key| {
            hrw.sorted(key).take(3).collect::<Vec<_>>()
        })
        .run();
}

fn weighted(keys: &[String], names: &[String]) {
    let weight = |index: usize| index as u32 % 7 + 1;
    let weights: Vec<u32> = (0..names.len()).map(weight).collect();
    let ours = Upstreams::with_weights(names, &weights).expect("names and weights within bounds");
    let hrw: HrwNodes<Node, _> = HrwNodes::new(nodes(names, weight));
    let hashes: Vec<u64> = (names.iter())
        .map(|name| fingerprint(name.as_bytes(), 0))
        .collect();
    let mut indices = vec![0; names.len()];
    Race::new(format!("weighted, {} upstreams", names.len()), keys)
        .enter("Upstreams::pick", |key| ours.pick(key))
        .enter("hrw-hash 2.0.3", |key| hrw.sorted(key).next())
        .enter("f64::ln for each (xorshift*64)", |key| {
            least_float_cost(key, &hashes, &weights)
        })
        .enter("Upstreams::order_into, all", |key| {
            let written = ours.order_into(key, &mut indices);
            (written, indices[0])
        })
        .run();
}

fn free_functions(keys: &[String], names: &[String]) {
    let rendezvous = |key: &String| {
        let nodes = rendezvous_nodes(names);
        nodes.calc_candidates(key).next().copied()
    };
    let count = names.len();
    Race::new(format!("names hashed at each call, {count}"), keys)
        .enter("pick", |key| pointsman::pick(key, names))
        .enter("order", |key| pointsman::order(key, names))
        .enter("rendezvous_hash 0.3.0, first", rendezvous)
        .enter("hrw-hash 2.0.3, first", |key| {
            let hrw: HrwNodes<Node, _> = HrwNodes::new(nodes(names, |_| 1));
            hrw.sorted(key).next().cloned()
        })
        .run();
}

/// What load balancers commonly do with weights: a 64-bit mix, a float logarithm for each.
fn least_float_cost(key: &str, hashes: &[u64], weights: &[u32]) -> Option<usize> {
    let key = fingerprint(key.as_bytes(), 0);
    let cost = |(&hash, &weight): (&u64, &u32)| {
        let mut x = key ^ hash;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        let mixed = x.wrapping_mul(0x2545_f491_4f6c_dd1d);
        -((mixed >> 11) as f64 / (1u64 << 53) as f64).ln() / f64::from(weight)
    };
    (hashes.iter().zip(weights).map(cost).zip(0..))
        .min_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, index)| index)
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Node {
    name: String,
    weight: usize,
}

impl HrwNode for Node {
    fn capacity(&self) -> usize {
        self.weight
    }
}

fn nodes(names: &[String], weight: impl Fn(usize) -> u32) -> impl Iterator<Item = Node> {
    names.iter().enumerate().map(move |(index, name)| Node {
        name: name.clone(),
        weight: weight(index) as usize,
    })
}

fn rendezvous_nodes(names: &[String]) -> RendezvousNodes<&str, DefaultNodeHasher> {
    let mut nodes = RendezvousNodes::default();
    for name in names {
        nodes.insert(name.as_str());
    }
    nodes
}

/// The ring crate leaves it to its user to put a name in several places.
fn virtual_nodes(names: &[String]) -> Vec<(u32, &str)> {
    (0..40)
        .flat_map(|place| names.iter().map(move |name| (place, name.as_str())))
        .collect()
}

fn names(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("acct-{number}")).collect()
}

/// Text of the length of a UUID.
fn uuid(number: u64) -> String {
    let random = fingerprint(&number.to_le_bytes(), 7);
    let text = format!("{random:016x}{:016x}", random.rotate_left(17));
    let parts = [
        &text[..8],
        &text[8..12],
        &text[12..16],
        &text[16..20],
        &text[20..],
    ];
    parts.join("-")
}
