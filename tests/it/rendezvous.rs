//! Rendezvous order as a whole: shares, moves, and independence of the caller's list.

use pointsman::{Upstreams, order};
use std::collections::BTreeMap;
use tests::seed::Draws;

const ACCOUNTS: [&str; 8] = [
    "acct-1", "acct-2", "acct-3", "acct-4", "acct-5", "acct-6", "acct-7", "acct-8",
];

fn upstreams<S: AsRef<str>>(names: &[S]) -> Upstreams {
    Upstreams::new(names).unwrap()
}

fn weighted(weights: &[u32]) -> Upstreams {
    Upstreams::with_weights(&ACCOUNTS[..weights.len()], weights).unwrap()
}

fn session(number: usize) -> String {
    format!("session-{number}")
}

fn pick(upstreams: &Upstreams, key: &str) -> usize {
    upstreams.pick(key).unwrap().unwrap()
}

/// The names in the order for a key.
fn names<'a>(upstreams: &'a Upstreams, key: &str) -> Vec<&'a str> {
    let order = upstreams.order(key).unwrap();
    order
        .iter()
        .map(|&index| upstreams.name(index).unwrap())
        .collect()
}

#[test]
fn first_and_second_choices_of_20_000_sessions_are_even() {
    let by_first_byte: Vec<String> = ('a'..='h').map(|first| format!("{first}cct-1")).collect();
    let by_first_byte: Vec<&str> = by_first_byte.iter().map(String::as_str).collect();
    let unlike = [
        "openai/eu",
        "10.0.0.7:8080",
        "б",
        "a name of many more bytes than the rest",
    ];
    for names in [&ACCOUNTS[..], &unlike, &by_first_byte] {
        let made = upstreams(names);
        let mut counts = vec![[0usize; 2]; names.len()];
        for number in 0..20_000 {
            let order = made.order(session(number)).unwrap();
            counts[order[0]][0] += 1;
            counts[order[1]][1] += 1;
        }
        let mean = 20_000 / names.len();
        for count in counts.iter().flatten() {
            assert!(
                (mean * 9 / 10..=mean * 11 / 10).contains(count),
                "{names:?}: {counts:?}"
            );
        }
    }
}

#[test]
fn second_choices_spread_evenly_over_the_keys_of_each_first() {
    let made = upstreams(&ACCOUNTS);
    let mut pairs = BTreeMap::new();
    for number in 0..56_000 {
        let order = made.order(session(number)).unwrap();
        *pairs.entry((order[0], order[1])).or_insert(0) += 1;
    }
    assert_eq!(pairs.len(), 56);
    assert!(
        pairs.values().all(|count| (850..=1_150).contains(count)),
        "{pairs:?}"
    );
}

#[test]
fn shares_of_a_million_keys_pass_a_chi_square_test() {
    const KEYS: usize = 1_000_000;
    for count in [3, 10, 100, 1_000] {
        let names: Vec<String> = (0..count)
            .map(|number| format!("upstream-{number}"))
            .collect();
        let made = upstreams(&names);
        let mut counts = vec![0usize; count];
        for number in 0..KEYS {
            counts[pick(&made, &session(number))] += 1;
        }
        let expected = KEYS as f64 / count as f64;
        let distance = |&count: &usize| (count as f64 - expected).powi(2) / expected;
        let chi_square: f64 = counts.iter().map(distance).sum();
        let freedom = count as f64 - 1.0;
        let deviations = (chi_square - freedom) / (2.0 * freedom).sqrt();
        println!("{count} upstreams: chi-square {chi_square:.1}, {deviations:+.2} deviations");
        assert!(deviations.abs() <= 3.0, "{count} upstreams: {deviations}");
    }
}

#[test]
fn taking_one_away_moves_only_its_keys_and_keeps_the_order_of_the_rest() {
    let all = upstreams(&ACCOUNTS);
    for gone in ACCOUNTS {
        let rest = all.without(gone).unwrap();
        for number in 0..1_000 {
            let key = session(number);
            let mut expected = names(&all, &key);
            expected.retain(|&name| name != gone);
            assert_eq!(names(&rest, &key), expected, "{key} without {gone}");
        }
        let back = rest.with(gone, 1).unwrap();
        for number in 0..1_000 {
            assert_eq!(
                names(&back, &session(number)),
                names(&all, &session(number))
            );
        }
    }
}

#[test]
fn adding_a_ninth_moves_a_ninth_of_the_keys_and_all_of_them_to_it() {
    const KEYS: usize = 20_000;
    let eight = upstreams(&ACCOUNTS);
    let nine = eight.with("acct-9", 1).unwrap();
    let mut moved = 0;
    for number in 0..KEYS {
        let (before, after) = (
            pick(&eight, &session(number)),
            pick(&nine, &session(number)),
        );
        if before != after {
            assert_eq!(nine.name(after), Some("acct-9"));
            moved += 1;
        }
    }
    let share = moved as f64 / KEYS as f64;
    assert!((0.10..=0.125).contains(&share), "{share}");
}

#[test]
fn the_order_does_not_depend_on_how_the_list_is_arranged() {
    let mut draws = Draws::fresh("arranged");
    for _ in 0..100_000 {
        let count = 1 + draws.below(9);
        let letters = ["a", "б", "日", "🙂"];
        let mut list: Vec<String> = (0..count)
            .map(|number| {
                let letter = letters[draws.below(4) as usize];
                format!("{letter}{number}-{}", draws.below(100))
            })
            .collect();
        let key = draws.bits().to_string();
        let before = identities(&key, &list);
        for at in (1..list.len()).rev() {
            list.swap(at, draws.below(at as u64 + 1) as usize);
        }
        assert_eq!(identities(&key, &list), before, "{list:?}, {draws}");
    }
}

fn identities(key: &str, list: &[String]) -> Vec<String> {
    let order = order(key, list).unwrap();
    let mut indices = order.clone();
    indices.sort_unstable();
    assert!(
        indices.into_iter().eq(0..list.len()),
        "{order:?} is no permutation"
    );
    order.into_iter().map(|index| list[index].clone()).collect()
}

#[test]
fn shares_follow_the_weights_and_a_weight_of_zero_gets_none() {
    const KEYS: usize = 40_000;
    let made = weighted(&[2, 1, 1, 0]);
    let mut counts = [0usize; 4];
    for number in 0..KEYS {
        let order = made.order(session(number)).unwrap();
        assert_eq!(order[3], 3);
        counts[order[0]] += 1;
    }
    for (count, share) in counts.into_iter().zip([0.5, 0.25, 0.25]) {
        let off = count as f64 / KEYS as f64 - share;
        assert!(off.abs() <= 0.015, "{counts:?}");
    }
}

#[test]
fn raising_a_weight_moves_keys_only_towards_it() {
    let weights = [1, 2, 3, 4, 5, 6, 7, 8];
    let before = weighted(&weights);
    for raised in 0..weights.len() {
        let mut weights = weights;
        weights[raised] *= 2;
        let after = weighted(&weights);
        let mut moved = 0;
        for number in 0..5_000 {
            let key = session(number);
            let (from, to) = (pick(&before, &key), pick(&after, &key));
            assert!(to == from || to == raised, "{key}: from {from} to {to}");
            moved += usize::from(to != from);
        }
        assert!(moved > 0, "doubling the weight of {raised} moved nothing");
    }
}

#[test]
fn equal_weights_are_as_no_weights() {
    let plain = upstreams(&ACCOUNTS);
    for weight in [0, 1, 7, 65_535] {
        let equal = weighted(&[weight; 8]);
        for number in 0..1_000 {
            let key = session(number);
            assert_eq!(
                equal.order(&key),
                plain.order(&key),
                "{key}, weight {weight}"
            );
            assert_eq!(equal.pick(&key), plain.pick(&key), "{key}, weight {weight}");
        }
    }
}

#[test]
fn pick_is_the_first_of_the_order_whatever_the_number() {
    for count in (1..=70).chain([127, 128, 129, 255, 256, 257, 1_000]) {
        let names: Vec<String> = (0..count)
            .map(|number| format!("upstream-{number}"))
            .collect();
        let with_weights = |weight: fn(u32) -> u32| {
            let weights: Vec<u32> = (0..count).map(weight).collect();
            Upstreams::with_weights(&names, &weights).unwrap()
        };
        let few = with_weights(|number| number % 5);
        let many = with_weights(|number| (number + 1) * 40_503 % 65_536);
        let far_apart = with_weights(|number| if number % 3 == 0 { 65_535 } else { 1 });
        for made in [upstreams(&names), few, many, far_apart] {
            for number in 0..50 {
                let key = session(number);
                assert_eq!(
                    made.order(&key).unwrap()[0],
                    pick(&made, &key),
                    "{key} of {count}"
                );
            }
        }
    }
}
