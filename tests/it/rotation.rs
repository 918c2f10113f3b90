//! Rotation and least used: shares, passes, boundaries, and a single candidate.

use pointsman::{
    Boundary, Candidate, Different, Join, LeastUsed, NoRepeat, OnlyOne, Picked, RepeatBy, Shuffle,
    random, weighted_random,
};
use tests::seed::Draws;

fn candidates<'a>(names: &[&'a str]) -> Vec<Candidate<'a>> {
    (names.iter())
        .map(|upstream| Candidate {
            upstream,
            exit: None,
            weight: 1,
        })
        .collect()
}

fn chosen(index: usize, repeated: bool) -> Different {
    Different::Upstream { index, repeated }
}

fn share(count: usize, of: usize) -> f64 {
    count as f64 / of as f64
}

#[test]
fn independent_draws_repeat_half_the_time_with_two_upstreams() {
    let mut draws = Draws::fresh("independent");
    let picks: Vec<_> = (0..10_000)
        .map(|_| random(2, draws.draw()).unwrap().unwrap())
        .collect();
    let repeats = picks.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(
        (0.48..0.52).contains(&share(repeats, 9_999)),
        "{repeats}, {draws}"
    );
}

#[test]
fn weights_are_shares_and_a_weight_of_zero_is_never_drawn() {
    let mut draws = Draws::fresh("weights");
    let mut counts = [0usize; 4];
    for _ in 0..40_000 {
        let index = weighted_random(&[2, 0, 1, 1], draws.draw())
            .unwrap()
            .unwrap();
        counts[index] += 1;
    }
    assert_eq!(counts[1], 0);
    for (at, expected) in [(0, 0.5), (2, 0.25), (3, 0.25)] {
        assert!(
            (share(counts[at], 40_000) - expected).abs() < 0.015,
            "{counts:?}, {draws}"
        );
    }
    assert_eq!(weighted_random(&[0, 0], 5), Ok(None));
    assert_eq!(weighted_random(&[], 5), Ok(None));
}

#[test]
fn a_shuffle_returns_each_once_in_a_pass_and_repeats_at_the_boundary_by_chance() {
    const PASSES: usize = 10_000;
    let names = ["a", "b", "c", "d", "e"];
    let mut draws = Draws::fresh("shuffle");
    for boundary in [Boundary::Free, Boundary::NoRepeat] {
        let mut shuffle = Shuffle::new(boundary);
        let picks: Vec<usize> = (0..5 * PASSES)
            .map(|_| shuffle.next(&names, draws.draw()).unwrap().unwrap())
            .collect();
        let mut after_last = [0usize; 5];
        for pass in picks.chunks(5) {
            let mut sorted = pass.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4], "{draws}");
        }
        for pair in picks.windows(2).skip(4).step_by(5) {
            after_last[(pair[1] + 5 - pair[0]) % 5] += 1;
        }
        let repeats = share(after_last[0], PASSES - 1);
        match boundary {
            Boundary::Free => assert!((0.185..0.215).contains(&repeats), "{repeats}, {draws}"),
            Boundary::NoRepeat => {
                assert_eq!(after_last[0], 0);
                for &count in &after_last[1..] {
                    let share = share(count, PASSES - 1);
                    assert!((0.23..0.27).contains(&share), "{after_last:?}, {draws}");
                }
            }
        }
    }
}

#[test]
fn a_shuffle_follows_its_list_in_the_middle_of_a_pass() {
    let mut shuffle = Shuffle::new(Boundary::Free);
    assert_eq!(shuffle.next(&["a", "b", "c"], 0), Ok(Some(0)));
    // "b" is taken away, "d" is added: "c" and "d" are left of this pass.
    assert_eq!(shuffle.next(&["a", "c", "d"], 0), Ok(Some(1)));
    assert_eq!(shuffle.next(&["a", "c", "d"], 0), Ok(Some(2)));
    assert_eq!(shuffle.next(&["a", "c", "d"], 0), Ok(Some(0)));
    assert_eq!(shuffle.next(&[] as &[&str], 0), Ok(None));
    let mut alone = Shuffle::new(Boundary::NoRepeat);
    for _ in 0..3 {
        assert_eq!(alone.next(&["x", "x"], 1), Ok(Some(0)));
    }
}

#[test]
fn no_repeat_never_returns_the_same_twice_in_a_row_and_shares_the_rest_evenly() {
    let mut draws = Draws::fresh("no repeat");
    let three = candidates(&["a", "b", "c"]);
    let mut rotation = NoRepeat::new(RepeatBy::Upstream, OnlyOne::Fail).unwrap();
    let mut previous = None;
    let mut next_one = 0;
    for _ in 0..30_000 {
        let next = rotation.next(&three, draws.draw(), 0).unwrap();
        let Different::Upstream {
            index,
            repeated: false,
        } = next
        else {
            panic!("there are others: {next:?}, {draws}");
        };
        assert_ne!(Some(index), previous, "{draws}");
        next_one += usize::from(previous.is_some_and(|before| (before + 1) % 3 == index));
        previous = Some(index);
    }
    assert!(
        (0.48..0.52).contains(&share(next_one, 30_000)),
        "{next_one}, {draws}"
    );
}

#[test]
fn no_repeat_keeps_to_weights_as_far_as_it_can() {
    let mut draws = Draws::fresh("no repeat by weight");
    let mut weighted = candidates(&["a", "b", "c"]);
    weighted[0].weight = 8;
    let mut rotation = NoRepeat::new(RepeatBy::Upstream, OnlyOne::Fail).unwrap();
    let mut counts = [0usize; 3];
    for _ in 0..100_000 {
        if let Different::Upstream { index, .. } =
            rotation.next(&weighted, draws.draw(), 0).unwrap()
        {
            counts[index] += 1;
        }
    }
    // From the balance of the chain: a = 8/9 (b + c), so a = 8/17 and b = c = 9/34.
    for (at, expected) in [(0, 8.0 / 17.0), (1, 9.0 / 34.0), (2, 9.0 / 34.0)] {
        assert!(
            (share(counts[at], 100_000) - expected).abs() < 0.01,
            "{counts:?}, {draws}"
        );
    }
}

#[test]
fn a_single_candidate_is_answered_at_once_as_was_chosen() {
    let only = candidates(&["a", "a"]);
    let rotation = |only_one| NoRepeat::new(RepeatBy::Upstream, only_one).unwrap();

    let mut fail = rotation(OnlyOne::Fail);
    assert_eq!(fail.next(&only, 1, 0), Ok(chosen(0, false)));
    let before = fail.clone();
    assert_eq!(fail.next(&only, 1, 9), Ok(Different::NoDifferent));
    assert_eq!(fail, before, "a refusal changes nothing");

    let mut reuse = rotation(OnlyOne::Reuse);
    assert_eq!(reuse.next(&only, 1, 0), Ok(chosen(0, false)));
    assert_eq!(reuse.next(&only, 1, 0), Ok(chosen(0, true)));

    let mut wait = rotation(OnlyOne::Wait { gap_ms: 100 });
    assert_eq!(wait.next(&only, 1, 50), Ok(chosen(0, false)));
    assert_eq!(
        wait.next(&only, 1, 149),
        Ok(Different::Wait { retry_after_ms: 1 })
    );
    assert_eq!(wait.next(&only, 1, 150), Ok(chosen(0, true)));
    // The clock steps back: the stored instant holds.
    assert_eq!(
        wait.next(&only, 1, 0),
        Ok(Different::Wait {
            retry_after_ms: 100
        })
    );

    assert_eq!(wait.next(&[], 1, 150), Ok(Different::Empty));
    let elsewhere = candidates(&["b", "c"]);
    assert_eq!(wait.next(&elsewhere, 1, 150), Ok(chosen(1, false)));
}

#[test]
fn upstreams_with_one_exit_count_as_the_same_and_an_unknown_exit_as_different() {
    let mut rotation = NoRepeat::new(RepeatBy::Exit, OnlyOne::Fail).unwrap();
    let mut proxies = candidates(&["e1", "e2", "e3"]);
    for (proxy, exit) in proxies.iter_mut().zip(["X", "X", "Y"]) {
        proxy.exit = Some(exit);
    }
    assert_eq!(rotation.next(&proxies[..1], 0, 0), Ok(chosen(0, false)));
    let same_exit = rotation.clone();
    assert_eq!(
        rotation.next(&proxies[..2], 0, 0),
        Ok(Different::NoDifferent)
    );
    for draw in 0..9 {
        assert_eq!(
            same_exit.clone().next(&proxies, draw, 0),
            Ok(chosen(2, false))
        );
    }
    let unknown = candidates(&["e4"]);
    assert_eq!(same_exit.clone().next(&unknown, 0, 0), Ok(chosen(0, false)));
}

#[test]
fn an_observed_exit_stands_beside_the_declared_one() {
    let mut proxies = candidates(&["e1", "e2", "e3"]);
    for (proxy, exit) in proxies.iter_mut().zip(["X", "Z", "Y"]) {
        proxy.exit = Some(exit);
    }
    let mut rotation = NoRepeat::new(RepeatBy::Exit, OnlyOne::Fail).unwrap();
    assert_eq!(rotation.next(&proxies[..1], 0, 0), Ok(chosen(0, false)));
    // The request through e1 came out at Z: now e2 (Z) is a repeat, and e1 (X) still is.
    rotation.observe("e1", "Z").unwrap();
    for draw in 0..9 {
        assert_eq!(
            rotation.clone().next(&proxies, draw, 0),
            Ok(chosen(2, false))
        );
    }
    // What was seen of e1 is remembered when e2 was the previous one.
    let mut later = rotation.clone();
    assert_eq!(later.next(&proxies[2..], 0, 0), Ok(chosen(0, false)));
    assert_eq!(later.next(&proxies[1..2], 0, 0), Ok(chosen(0, false)));
    assert_eq!(later.next(&proxies[..1], 0, 0), Ok(Different::NoDifferent));
}

fn picks(least_used: &mut LeastUsed, count: usize) -> Vec<String> {
    (0..count)
        .map(|_| match least_used.pick::<&str>(&[]).unwrap() {
            Picked::Upstream(upstream) => upstream.to_string(),
            other => panic!("{other:?}"),
        })
        .collect()
}

fn least_used(names: &[&str], draw: u64) -> LeastUsed {
    let mut least_used = LeastUsed::new(draw).unwrap();
    for name in names {
        least_used.add(name, 1, Join::Floor).unwrap();
    }
    least_used
}

#[test]
fn a_fresh_table_begins_where_the_draw_says_and_goes_round() {
    let names = ["b", "a", "B", "é", "10", "9"];
    assert_eq!(
        picks(&mut least_used(&names, 2), 7),
        ["B", "é", "10", "9", "b", "a", "B"]
    );
    assert_eq!(picks(&mut least_used(&names, 6 + 5), 2), ["9", "b"]);
    let mut one = least_used(&["only"], 9);
    assert_eq!(picks(&mut one, 3), ["only"; 3]);
    assert_eq!(one.count("only"), Some(3));
}

#[test]
fn none_all_excluded_and_unknown_are_three_answers() {
    let mut empty = LeastUsed::new(0).unwrap();
    assert_eq!(empty.pick::<&str>(&[]), Ok(Picked::Empty));
    assert_eq!(empty.count("a"), None);
    assert_eq!(empty.record("a", 5), Ok(false));
    assert_eq!(
        empty.pick::<&str>(&[]),
        Ok(Picked::Empty),
        "no count brings one back"
    );
    let mut two = least_used(&["a", "b"], 0);
    let before = two.clone();
    assert_eq!(two.pick(&["b", "a"]), Ok(Picked::AllExcluded));
    assert_eq!(two, before);
    assert!(two.remove("a") && !two.remove("a"));
    assert_eq!(two.record("a", 1), Ok(false));
    assert_eq!(two.count("a"), None);
}

#[test]
fn counts_of_equal_upstreams_never_differ_by_more_than_one() {
    let names: Vec<String> = (0..7).map(|at| format!("u{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut table = least_used(&names, 3);
    for _ in 0..1_000 {
        let _ = table.pick::<&str>(&[]).unwrap();
        let counts: Vec<u64> = names
            .iter()
            .map(|name| table.count(name).unwrap())
            .collect();
        let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        assert!(most - least <= 1);
    }
}

#[test]
fn weights_two_to_one_give_two_thirds_and_no_three_in_a_row() {
    let mut table = LeastUsed::new(1).unwrap();
    table.add("light", 1, Join::Floor).unwrap();
    table.add("heavy", 2, Join::Floor).unwrap();
    let picks = picks(&mut table, 300);
    assert_eq!(
        (table.count("heavy"), table.count("light")),
        (Some(200), Some(100))
    );
    assert!(
        !picks
            .windows(3)
            .any(|three| three.iter().all(|pick| pick == "heavy"))
    );
}

#[test]
fn a_newcomer_joins_at_the_floor_unless_it_is_told_otherwise() {
    let crowd = || {
        let mut table = least_used(&["a", "b"], 0);
        table.record("a", 1_000_000).unwrap();
        table.record("b", 1_000_007).unwrap();
        table
    };
    let joined = |join, weight| {
        let mut table = crowd();
        table.add("new", weight, join).unwrap();
        table.count("new")
    };
    assert_eq!(joined(Join::Floor, 1), Some(1_000_000));
    assert_eq!(joined(Join::Floor, 3), Some(3_000_000));
    assert_eq!(
        (joined(Join::Keep, 1), joined(Join::Zero, 1)),
        (Some(0), Some(0))
    );

    let returned = |join, own| {
        let mut table = crowd();
        table.add("back", 1, Join::Zero).unwrap();
        table.record("back", own).unwrap();
        assert!(table.remove("back"));
        table.add("back", 1, join).unwrap();
        table.count("back")
    };
    assert_eq!(returned(Join::Floor, 5), Some(1_000_000));
    assert_eq!(returned(Join::Floor, 2_000_000), Some(2_000_000));
    assert_eq!(returned(Join::Keep, 5), Some(5));
    assert_eq!(returned(Join::Zero, 5), Some(0));
}

#[test]
fn counts_are_lowered_together_before_they_leave_exact_arithmetic() {
    const MOST: u64 = (1 << 53) - 1;
    let mut table = least_used(&["a", "b"], 0);
    assert_eq!(table.record("a", MOST), Ok(true));
    assert_eq!(table.record("b", MOST), Ok(true));
    assert_eq!(picks(&mut table, 4), ["a", "b", "a", "b"]);
    assert_eq!((table.count("a"), table.count("b")), (Some(2), Some(2)));
    assert!(table.record("a", MOST + 1).is_err());
}
