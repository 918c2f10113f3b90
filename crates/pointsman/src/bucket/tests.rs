use super::*;

fn bucket(capacity: u64, refill: u64, period_ms: u64, start: Start) -> TokenBucket {
    TokenBucket::new(capacity, refill, period_ms, start).unwrap()
}

fn granted(cost: u64, starts_at_ms: u64) -> Taken {
    Taken::Granted(Grant { cost, starts_at_ms })
}

fn wait(retry_after_ms: u64) -> Taken {
    Taken::Wait { retry_after_ms }
}

#[test]
fn seven_a_second_are_604_800_in_a_day_and_never_one_more() {
    let mut bucket = bucket(7, 7, 1_000, Start::Empty);
    let mut passed = 0;
    for now_ms in 0..=86_400_000 {
        // The first call finds it empty, and from then on it fills.
        while let Taken::Granted(_) = bucket.take(1, now_ms).unwrap() {
            passed += 1;
        }
        assert!(passed * 1_000 <= now_ms * 7);
    }
    assert_eq!(passed, 604_800);
}

#[test]
fn an_empty_bucket_serves_bookings_in_the_order_of_arrival() {
    const NOW_MS: u64 = 1_700_000_000_000;
    let mut bucket = bucket(3, 1, 100, Start::Empty);
    for after_ms in [100, 200, 300] {
        let booked = granted(1, NOW_MS + after_ms);
        assert_eq!(bucket.reserve(1, 1_000, NOW_MS), Ok(booked));
    }
    assert_eq!(bucket.take(1, NOW_MS + 300), Ok(wait(100)));
}

#[test]
fn an_empty_bucket_fills_from_the_first_call_on_though_that_is_refused() {
    let mut bucket = bucket(3, 1, 100, Start::Empty);
    assert_eq!(bucket.take(1, 1_700_000_000_000), Ok(wait(100)));
    assert_eq!(bucket.take(1, 1_700_000_000_099), Ok(wait(1)));
    let at_ms = 1_700_000_000_100;
    assert_eq!(bucket.take(1, at_ms), Ok(granted(1, at_ms)));
}

#[test]
fn a_full_bucket_lets_its_capacity_through_and_after_an_idle_year_no_more() {
    let mut bucket = bucket(3, 1, 100, Start::Full);
    for now_ms in [0, 31_536_000_000] {
        for _ in 0..3 {
            assert_eq!(bucket.take(1, now_ms), Ok(granted(1, now_ms)));
        }
        assert_eq!(bucket.take(1, now_ms), Ok(wait(100)));
        assert_eq!(bucket.take(1, now_ms + 99), Ok(wait(1)));
    }
}

#[test]
fn a_refusal_changes_nothing_and_above_capacity_is_never() {
    let mut bucket = bucket(10, 1, 100, Start::Full);
    assert_eq!(bucket.take(10, 5), Ok(granted(10, 5)));
    let before = bucket.clone();
    assert_eq!(bucket.take(1, 104), Ok(wait(1)));
    assert_eq!(bucket.take(11, 104), Ok(Taken::Never));
    assert_eq!(bucket.reserve(3, 200, 104), Ok(wait(201)));
    assert!(bucket.take(0, 104).is_err());
    assert!(bucket.take(MAX_WHOLE + 1, 104).is_err());
    assert_eq!(bucket, before);
    assert_eq!(bucket.take(1, 105), Ok(granted(1, 105)));
}

#[test]
fn settling_gives_back_up_to_full_or_goes_into_debt_and_the_last_call_counts() {
    let mut bucket = bucket(10_000, 1_000, 1_000, Start::Full);
    let Ok(Taken::Granted(mut grant)) = bucket.take(9_000, 0) else {
        panic!("it is full");
    };
    bucket.settle(&mut grant, 1_200, 0).unwrap();
    assert_eq!(bucket.remaining(0), Ok(8_800));
    bucket.settle(&mut grant, 12_000, 0).unwrap();
    assert_eq!(bucket.remaining(0), Ok(0));
    assert_eq!(bucket.take(1, 0), Ok(wait(2_001)));
    assert_eq!(bucket.take(1, 2_001), Ok(granted(1, 2_001)));
    bucket.settle(&mut grant, 0, 50_000).unwrap();
    assert_eq!(bucket.remaining(50_000), Ok(10_000));
    assert!(bucket.settle(&mut grant, MAX_WHOLE + 1, 50_000).is_err());
}

#[test]
fn a_cancelled_booking_is_given_back_and_the_others_keep_their_instants() {
    let mut bucket = bucket(10, 1, 1_000, Start::Empty);
    let Ok(Taken::Granted(mut first)) = bucket.reserve(10, MAX_MS, 0) else {
        panic!("it can wait");
    };
    assert_eq!(bucket.reserve(10, MAX_MS, 0), Ok(granted(10, 20_000)));
    assert_eq!(bucket.cancel(&mut first, 0), Ok(Cancelled::Returned));
    // Ten tokens are there from 10,000 on, for the second booking. Nobody else gets them.
    assert_eq!(bucket.take(1, 10_000), Ok(wait(11_000)));
    assert_eq!(bucket.take(1, 20_000), Ok(wait(1_000)));
    assert_eq!(bucket.take(1, 21_000), Ok(granted(1, 21_000)));
    let mut late = Grant::from_parts(10, 20_000).unwrap();
    assert_eq!(bucket.cancel(&mut late, 21_000), Ok(Cancelled::Started));
}

#[test]
fn a_clock_that_steps_back_refills_nothing() {
    let mut bucket = bucket(1, 1, 100, Start::Full);
    assert_eq!(bucket.take(1, 1_000), Ok(granted(1, 1_000)));
    assert_eq!(bucket.take(1, 0), Ok(wait(100)));
    assert_eq!(bucket.take(1, 1_100), Ok(granted(1, 1_100)));
}

#[test]
fn rules_outside_exact_arithmetic_are_refused_with_the_bound() {
    assert!(TokenBucket::new(MAX_WHOLE, 1, 1, Start::Full).is_ok());
    assert!(TokenBucket::new(MAX_WHOLE, 2, 2, Start::Full).is_ok());
    let error = TokenBucket::new(MAX_WHOLE, 1, 2, Start::Full).unwrap_err();
    assert_eq!(error.bound(), "a whole number from 1 to 4503599627370495");
    for (capacity, refill, period_ms) in [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 1, MAX_MS + 1)] {
        assert!(TokenBucket::new(capacity, refill, period_ms, Start::Full).is_err());
    }
}

/// 6 of 10 consumed at 0, of which 2 are back at 2,000; a token a second.
fn used() -> TokenBucket {
    let mut bucket = TokenBucket::new(10, 1, 1_000, Start::Full).unwrap();
    assert_eq!(bucket.take(6, 0), Ok(granted(6, 0)));
    bucket
}

#[test]
fn a_changed_bucket_goes_on_with_what_it_inherits() {
    // At 2,500 there are 6.5 of 10: 3.5 are consumed, which is rounded up to 4.
    let cases = [
        (Inherit::Keep, 16),
        (Inherit::Proportional, 12),
        (Inherit::Full, 20),
        (Inherit::Empty, 0),
    ];
    for (inherit, left) in cases {
        let mut bucket = used();
        bucket.change(20, 2, 1_000, inherit, 2_500).unwrap();
        assert_eq!(bucket.remaining(2_500), Ok(left), "{inherit:?}");
        assert_eq!(
            bucket.remaining(3_000),
            Ok((left + 1).min(20)),
            "{inherit:?}"
        );
    }
}

#[test]
fn what_comes_back_twice_is_never_more_than_what_was_consumed() {
    let mut bucket = bucket(10, 1, 100, Start::Full);
    let Ok(Taken::Granted(mut old)) = bucket.take(8, 0) else {
        panic!("it is full");
    };
    bucket.change(9, 1, 100, Inherit::Full, 0).unwrap();
    assert_eq!(bucket.take(5, 0), Ok(granted(5, 0)));
    // 9 - 5 + 8 - 2 = 10, but never more than 9; 2 + 5 + 9 = 16, and at most 8 + 9 = 17.
    bucket.settle(&mut old, 2, 0).unwrap();
    assert_eq!(bucket.take(9, 0), Ok(granted(9, 0)));
    assert_eq!(bucket.take(1, 0), Ok(wait(100)));
}

#[test]
fn the_same_rule_in_other_numbers_changes_nothing() {
    for inherit in [Inherit::Keep, Inherit::Full, Inherit::Empty] {
        let mut bucket = used();
        bucket.change(10, 7, 7_000, inherit, 2_500).unwrap();
        assert_eq!(bucket.remaining(2_999), Ok(6), "{inherit:?}");
        assert_eq!(bucket.remaining(3_000), Ok(7), "{inherit:?}");
    }
}

#[test]
fn what_is_booked_stays_booked_when_the_rule_changes() {
    // 10 of 10 consumed at 0, 3 booked that start at 3,000.
    for (inherit, free_ms) in [
        // 13 of 5 are missing: 8 beyond empty, and one more for the next.
        (Inherit::Keep, 9_000),
        (Inherit::Proportional, 4_000),
        // Of a full bucket 3 are booked, 2 are there.
        (Inherit::Full, 0),
        (Inherit::Empty, 4_000),
    ] {
        let mut bucket = TokenBucket::new(10, 1, 1_000, Start::Full).unwrap();
        assert_eq!(bucket.take(10, 0), Ok(granted(10, 0)));
        assert_eq!(bucket.reserve(3, 3_000, 0), Ok(granted(3, 3_000)));
        bucket.change(5, 1, 1_000, inherit, 0).unwrap();
        let start = match bucket.reserve(1, 9_000, 0) {
            Ok(Taken::Granted(grant)) => grant.starts_at_ms(),
            other => panic!("{inherit:?}: {other:?}"),
        };
        assert_eq!(start, free_ms, "{inherit:?}");
    }
}

#[test]
fn what_is_owed_stays_owed_in_proportion_too() {
    let mut bucket = TokenBucket::new(10, 1, 1_000, Start::Full).unwrap();
    let Ok(Taken::Granted(mut grant)) = bucket.take(10, 0) else {
        panic!("it is full");
    };
    bucket.settle(&mut grant, 14, 0).unwrap();
    bucket
        .change(100, 1, 1_000, Inherit::Proportional, 0)
        .unwrap();
    assert_eq!(bucket.take(1, 0), Ok(wait(5_000)));
}

#[test]
fn a_change_that_could_not_count_what_is_booked_is_refused_and_changes_nothing() {
    // 1,000 tokens of the longest period are the most that exact arithmetic holds.
    for (booked, fits) in [(1_000, true), (1_001, false)] {
        let mut bucket = TokenBucket::new(booked, 1, 1, Start::Empty).unwrap();
        assert_eq!(
            bucket.reserve(booked, booked, 0),
            Ok(granted(booked, booked))
        );
        let before = bucket.clone();
        let changed = bucket.change(1, 1, MAX_MS, Inherit::Full, 0);
        assert_eq!(changed.is_ok(), fits);
        assert_eq!(bucket == before, !fits);
    }
}

#[test]
fn bookings_are_kept_for_so_many_instants_and_no_more() {
    let mut bucket = TokenBucket::new(1, 1, 1, Start::Empty).unwrap();
    let most = MAX_BOOKED as u64;
    for start_ms in 1..=most {
        assert_eq!(bucket.reserve(1, most, 0), Ok(granted(1, start_ms)));
    }
    let before = bucket.clone();
    assert_eq!(bucket.reserve(1, most + 1, 0), Ok(wait(most + 1)));
    assert_eq!(bucket, before);
    assert_eq!(bucket.reserve(1, most, 1), Ok(granted(1, most + 1)));
}

#[test]
fn a_booking_that_is_settled_at_nothing_leaves_room_for_another() {
    let mut bucket = TokenBucket::new(1, 1, 1, Start::Empty).unwrap();
    let most = MAX_BOOKED as u64;
    let Ok(Taken::Granted(mut first)) = bucket.reserve(1, most, 0) else {
        panic!("it can wait");
    };
    for start_ms in 2..=most {
        assert_eq!(bucket.reserve(1, most, 0), Ok(granted(1, start_ms)));
    }
    assert_eq!(bucket.reserve(1, most + 1, 0), Ok(wait(most + 1)));
    bucket.settle(&mut first, 0, 0).unwrap();
    // The token of 1 is in a bucket of 1, and the next of 2 is booked: nothing comes earlier.
    assert_eq!(bucket.reserve(1, most + 1, 0), Ok(granted(1, most + 1)));
}

#[test]
fn a_charge_beyond_what_a_new_rule_counts_may_stay_as_it_is() {
    // 1,000 tokens of the longest period are the most that exact arithmetic holds.
    let mut bucket = TokenBucket::new(2_000, 1, 1, Start::Full).unwrap();
    let Ok(Taken::Granted(mut grant)) = bucket.take(2_000, 0) else {
        panic!("it is full");
    };
    bucket.change(1, 1, MAX_MS, Inherit::Full, 0).unwrap();
    assert_eq!(bucket.settle(&mut grant, 2_000, 0), Ok(()));
    assert!(bucket.settle(&mut grant, 1_001, 0).is_err());
    assert_eq!(bucket.settle(&mut grant, 1_000, 0), Ok(()));
}
