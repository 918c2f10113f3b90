//! The affinity table at its boundaries: limit, expiry, the clock, many threads.

use pointsman::{AffinityTable, Link, chain, log_spaced};
use std::sync::Mutex;

fn links(numbers: impl IntoIterator<Item = u64>) -> Vec<Link> {
    numbers.into_iter().map(Link::from).collect()
}

fn table(max_links: usize, ttl_ms: u64) -> AffinityTable {
    AffinityTable::new(max_links, ttl_ms).unwrap()
}

#[test]
fn a_table_of_no_links_remembers_nothing() {
    let mut off = table(0, 100);
    off.remember(&links([1]), "a", 0).unwrap();
    assert_eq!(off.recall(&links([1]), 0), Ok(None));
    assert_eq!((off.len(), off.evicted_live()), (0, 0));
}

#[test]
fn a_recall_renews_and_the_instant_of_expiry_is_a_miss() {
    let mut renewed = table(10, 100);
    renewed.remember(&links([1]), "a", 0).unwrap();
    assert_eq!(renewed.recall(&links([1]), 99), Ok(Some("a")));
    assert_eq!(renewed.recall(&links([1]), 198), Ok(Some("a")));
    assert_eq!(renewed.recall(&links([1]), 298), Ok(None));

    let mut untouched = table(10, 100);
    untouched.remember(&links([1]), "a", 0).unwrap();
    assert_eq!(untouched.recall(&links([1]), 100), Ok(None));

    let mut hit_at_90 = table(10, 100);
    hit_at_90.remember(&links([1]), "a", 0).unwrap();
    assert_eq!(hit_at_90.recall(&links([1]), 90), Ok(Some("a")));
    let expired = hit_at_90.clone();
    assert_eq!(hit_at_90.recall(&links([1]), 190), Ok(None));
    assert_eq!(hit_at_90, expired, "a miss changes nothing");
}

#[test]
fn the_longest_remembered_prefix_answers() {
    let mut table = table(100, 1_000);
    table.remember(&links(1..=3), "A", 0).unwrap();
    assert_eq!(table.recall(&links(1..=9), 1), Ok(Some("A")));
    table.remember(&links(1..=9), "B", 2).unwrap();
    assert_eq!(table.recall(&links(1..=10), 3), Ok(Some("B")));
    assert_eq!(table.recall(&links(1..=3), 3), Ok(Some("A")));
    assert_eq!(table.recall(&links([7, 8]), 3), Ok(None));
}

#[test]
fn writing_again_makes_a_link_the_newest() {
    let mut table = table(3, 1_000);
    for (link, upstream) in [(1, "A"), (2, "A"), (1, "B"), (3, "C"), (4, "D")] {
        table.remember(&links([link]), upstream, 0).unwrap();
    }
    assert_eq!((table.len(), table.evicted_live()), (3, 1));
    assert_eq!(table.recall(&links([1]), 1), Ok(Some("B")));
    assert_eq!(table.recall(&links([2]), 1), Ok(None));
}

#[test]
fn an_edited_last_message_falls_back_to_the_turn_before() {
    let turn = |entries: &[&str]| chain(entries).unwrap();
    let mut table = table(100, 1_000);
    table
        .remember(&turn(&["s", "u1", "a1"]), "earlier", 0)
        .unwrap();
    table
        .remember(&turn(&["s", "u1", "a1", "u2", "a2"]), "later", 0)
        .unwrap();
    let edited = turn(&["s", "u1", "a1", "u2", "a2 edited"]);
    assert_eq!(table.recall(&edited, 1), Ok(Some("earlier")));
    let compacted = turn(&["a summary", "u2"]);
    assert_eq!(table.recall(&compacted, 1), Ok(None));
}

#[test]
fn an_expired_newer_link_leaves_the_older_one_to_answer_and_only_that_is_renewed() {
    let mut table = table(100, 100);
    table.remember(&links([1, 2]), "newer", 0).unwrap();
    table.remember(&links([1]), "older", 50).unwrap();
    assert_eq!(table.recall(&links([1, 2]), 120), Ok(Some("older")));
    assert_eq!(table.recall(&links([1, 2]), 219), Ok(Some("older")));
    assert_eq!(table.recall(&links([2]), 219), Ok(None));
}

#[test]
fn a_clock_that_steps_back_neither_kills_nor_immortalises() {
    let mut table = table(100, 10_000);
    table.remember(&links([1]), "early", 10_000).unwrap();
    // Five seconds back: both links live on, and neither beyond its ttl and those five seconds.
    assert_eq!(table.recall(&links([1]), 5_000), Ok(Some("early")));
    table.remember(&links([2]), "late", 5_000).unwrap();
    assert_eq!(table.recall(&links([2]), 5_001), Ok(Some("late")));
    let (mut just_before, mut at_the_end) = (table.clone(), table);
    assert_eq!(just_before.recall(&links([2]), 19_999), Ok(Some("late")));
    assert_eq!(at_the_end.recall(&links([1]), 20_000), Ok(None));
    assert_eq!(at_the_end.recall(&links([2]), 20_000), Ok(None));
}

#[test]
fn what_is_empty_is_ignored() {
    let mut table = table(10, 100);
    table.remember(&[], "a", 0).unwrap();
    table.remember(&links([1]), "", 0).unwrap();
    assert!(table.is_empty());
    assert_eq!(table.recall(&[], 0), Ok(None));
}

#[test]
fn expired_links_make_room_before_live_ones() {
    let mut table = table(2, 100);
    table.remember(&links([1]), "a", 0).unwrap();
    table.remember(&links([2]), "b", 90).unwrap();
    table.remember(&links([3]), "c", 150).unwrap();
    assert_eq!((table.len(), table.evicted_live()), (2, 0));
    assert_eq!(table.recall(&links([2]), 151), Ok(Some("b")));
    // The renewal kept the place of link 2: it is still the oldest.
    table.remember(&links([4]), "d", 152).unwrap();
    assert_eq!((table.len(), table.evicted_live()), (2, 1));
    assert_eq!(table.recall(&links([2]), 153), Ok(None));
}

#[test]
fn many_threads_never_see_more_than_the_limit() {
    const CALLS: u64 = 50_000;
    let table = Mutex::new(table(1_000, 1_000));
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let table = &table;
            scope.spawn(move || {
                for call in 0..CALLS {
                    let link = links([(thread * CALLS + call) % 3_000]);
                    let mut table = table.lock().unwrap();
                    match call % 3 {
                        0 => drop(table.recall(&link, call).unwrap()),
                        _ => table.remember(&link, "upstream", call).unwrap(),
                    }
                    assert!(table.len() <= 1_000);
                }
            });
        }
    });
    assert_eq!(table.lock().unwrap().len(), 1_000);
}

#[test]
fn log_spaced_lengths_are_few_and_two_turns_share_one_of_at_least_half() {
    for links in 0..=4_096usize {
        let lengths = log_spaced(links);
        assert!(lengths.is_sorted_by(|left, right| left < right));
        assert_eq!(lengths.last().copied().unwrap_or(0), links);
        let most = 2 * links.max(1).ilog2() as usize + 2;
        assert!(lengths.len() <= most, "{} of {links}", lengths.len());
        if links > 1 {
            let before = log_spaced(links - 1);
            let shared = before
                .iter()
                .filter(|length| lengths.contains(length))
                .max();
            assert!(shared.is_some_and(|&shared| 2 * shared >= links - 1));
        }
    }
}
