//! Literal values of format v1. They stay for ever: a change here sends keys to other upstreams
//! and loses every memory of chains, so it needs an entry under "Decisions" in the changelog.

use pointsman::{Chain, Link, Upstreams, chain, fingerprint, order, pick};

const ACCOUNTS: [&str; 8] = [
    "acct-1", "acct-2", "acct-3", "acct-4", "acct-5", "acct-6", "acct-7", "acct-8",
];

fn links(values: &[u64]) -> Vec<Link> {
    values.iter().copied().map(Link::from).collect()
}

#[test]
fn value_stability_of_fingerprint() {
    assert_eq!(fingerprint(b"", 0), 0x2d06_8005_38d3_94c2);
    assert_eq!(fingerprint(b"acct-1", 0), 0x7759_e98d_6f22_e175);
    assert_eq!(fingerprint(b"session:42", 7), 0x7a92_e7b0_2ae7_634a);
    assert_eq!(fingerprint("сесия-42".as_bytes(), 0), 0x3593_84b5_e9d9_3972);
    assert_eq!(fingerprint(&[b'x'; 300], u64::MAX), 0x2881_6e1a_6bf1_1388);
}

#[test]
fn value_stability_of_order() {
    for (key, expected) in [
        ("session:42", [1, 2, 3, 6, 0, 7, 4, 5]),
        ("сесия-42", [5, 4, 3, 6, 7, 2, 1, 0]),
        ("user@example.com", [7, 0, 6, 4, 5, 1, 3, 2]),
    ] {
        assert_eq!(order(key, &ACCOUNTS).unwrap(), expected);
        assert_eq!(pick(key, &ACCOUNTS), Ok(Some(expected[0])));
    }
    let seeded = Upstreams::with_seed(&ACCOUNTS, None, 7).unwrap();
    assert_eq!(
        seeded.order("session:42").unwrap(),
        [4, 5, 2, 7, 6, 0, 1, 3]
    );
}

#[test]
fn value_stability_of_weighted_order() {
    let weighted = Upstreams::with_weights(&ACCOUNTS, &[1, 2, 3, 4, 5, 6, 7, 0]).unwrap();
    assert_eq!(
        weighted.order("session:42").unwrap(),
        [1, 6, 3, 2, 4, 5, 0, 7]
    );
    assert_eq!(
        weighted.order("сесия-42").unwrap(),
        [5, 4, 3, 6, 2, 1, 0, 7]
    );
}

#[test]
fn value_stability_of_chain() {
    let entries = ["you are helpful", "hello", "日本語で 🙂", ""];
    let expected = [
        0x2d5e_935c_0f6c_a664,
        0xac00_3f43_a777_7909,
        0x323b_dac6_b3ee_fadb,
        0xa205_fce6_5c7f_c639,
    ];
    assert_eq!(chain(&entries), Ok(links(&expected)));

    let mut elsewhere = Chain::in_namespace(&["tenant-7", "model-a"], 7).unwrap();
    for entry in entries {
        elsewhere.push(entry.as_bytes()).unwrap();
    }
    let expected = [
        0x1a06_04ba_d3ed_07b5,
        0x1e59_e4e7_1b30_1404,
        0x163f_3115_d292_9435,
        0x853b_90fc_306f_f750,
    ];
    assert_eq!(elsewhere.links(), links(&expected));

    let of_parts = Chain::new().push_parts(&["user", "hello"]);
    assert_eq!(of_parts, Ok(Link::from(0x9f4d_0979_2457_ad92)));
}
