use super::*;
use alloc::format;

fn granted(cost: u64, starts_at_ms: u64) -> Taken {
    Taken::Granted(Grant { cost, starts_at_ms })
}

fn wait(retry_after_ms: u64) -> Taken {
    Taken::Wait { retry_after_ms }
}

#[test]
fn exactly_the_capacity_passes_in_a_window_and_the_next_when_the_first_has_left() {
    let mut limit = WindowLimit::new(3, 1_000).unwrap();
    for now_ms in [0, 400, 800] {
        assert_eq!(limit.take(1, now_ms), Ok(granted(1, now_ms)));
    }
    let before = limit.clone();
    assert_eq!(limit.take(1, 999), Ok(wait(1)));
    assert_eq!(limit.take(2, 999), Ok(wait(401)));
    assert_eq!(limit.take(4, 999), Ok(Taken::Never));
    assert_eq!(limit, before, "a refusal changes nothing");
    assert_eq!(limit.take(1, 1_000), Ok(granted(1, 1_000)));
}

#[test]
fn a_group_counts_until_its_last_grant_has_left() {
    // A part of 4,800 is 100 long: 0 and 99 are one group, 100 begins the next.
    let mut limit = WindowLimit::new(3, 4_800).unwrap();
    for now_ms in [0, 99, 100] {
        assert_eq!(limit.take(1, now_ms), Ok(granted(1, now_ms)));
    }
    assert_eq!(limit.take(1, 4_800), Ok(wait(99)));
    assert_eq!(limit.remaining(4_899), Ok(2));
    assert_eq!(limit.remaining(4_900), Ok(3));
}

#[test]
fn bookings_are_served_in_order_and_nobody_passes_them() {
    let mut limit = WindowLimit::new(2, 100).unwrap();
    assert_eq!(limit.take(2, 0), Ok(granted(2, 0)));
    let Ok(Taken::Granted(mut booked)) = limit.reserve(1, 500, 10) else {
        panic!("it can wait");
    };
    assert_eq!(booked.starts_at_ms(), 100);
    assert_eq!(limit.reserve(2, 500, 10), Ok(granted(2, 200)));
    assert_eq!(limit.take(1, 150), Ok(wait(150)));
    assert_eq!(limit.cancel(&mut booked, 150), Ok(Cancelled::Started));
}

#[test]
fn a_cancelled_booking_is_given_back() {
    let mut limit = WindowLimit::new(2, 100).unwrap();
    assert_eq!(limit.take(2, 0), Ok(granted(2, 0)));
    let Ok(Taken::Granted(mut booked)) = limit.reserve(2, 500, 10) else {
        panic!("it can wait");
    };
    assert_eq!(limit.cancel(&mut booked, 20), Ok(Cancelled::Returned));
    assert_eq!(limit.take(2, 100), Ok(granted(2, 100)));
}

#[test]
fn settling_corrects_while_it_is_in_the_window() {
    let mut limit = WindowLimit::new(10, 100).unwrap();
    let Ok(Taken::Granted(mut grant)) = limit.take(9, 0) else {
        panic!("nothing is used");
    };
    limit.settle(&mut grant, 2, 50).unwrap();
    assert_eq!(limit.remaining(50), Ok(8));
    limit.settle(&mut grant, 15, 50).unwrap();
    assert_eq!(
        (limit.remaining(50), limit.take(1, 50)),
        (Ok(0), Ok(wait(50)))
    );
    limit.settle(&mut grant, 3, 150).unwrap();
    assert_eq!(limit.remaining(150), Ok(10));
}

#[test]
fn what_starts_too_late_or_adds_up_too_high_is_refused() {
    let mut limit = WindowLimit::new(1, MAX_MS).unwrap();
    assert_eq!(limit.take(1, 0), Ok(granted(1, 0)));
    assert_eq!(limit.reserve(1, MAX_MS, 0), Ok(granted(1, MAX_MS)));
    let before = limit.clone();
    assert_eq!(limit.reserve(1, MAX_MS, MAX_MS), Ok(wait(MAX_MS)));
    let mut limit_of_all = WindowLimit::new(MAX_WHOLE, 100).unwrap();
    let Ok(Taken::Granted(mut grant)) = limit_of_all.take(1, 0) else {
        panic!("nothing is used");
    };
    assert_eq!(limit_of_all.reserve(MAX_WHOLE, 100, 0), Ok(wait(100)));
    assert_eq!(
        limit_of_all.reserve(MAX_WHOLE - 1, 100, 0),
        Ok(granted(MAX_WHOLE - 1, 0))
    );
    let error = limit_of_all.settle(&mut grant, 2, 0).unwrap_err();
    assert_eq!(error.bound(), "a whole number from 0 to 1");
    assert_eq!(limit, before);
}

#[test]
fn a_grant_whose_group_was_given_back_counts_again_when_it_is_settled() {
    let mut limit = WindowLimit::new(5, 4_800).unwrap();
    assert_eq!(limit.take(5, 0), Ok(granted(5, 0)));
    let [first, second] = [2, 3].map(|cost| limit.reserve(cost, 4_800, 0));
    let (Ok(Taken::Granted(mut first)), Ok(Taken::Granted(mut second))) = (first, second) else {
        panic!("both can wait");
    };
    limit.settle(&mut first, 0, 0).unwrap();
    assert_eq!(limit.cancel(&mut second, 0), Ok(Cancelled::Returned));
    limit.settle(&mut first, 4, 4_800).unwrap();
    assert_eq!(limit.remaining(9_599), Ok(1));
    assert_eq!(limit.remaining(9_600), Ok(5));
}

#[test]
fn no_more_than_fifty_groups_are_ever_counted() {
    let mut limit = WindowLimit::new(1_000_000, 1_000).unwrap();
    for now_ms in 0..5_000 {
        assert_eq!(limit.take(1, now_ms), Ok(granted(1, now_ms)));
        assert!(limit.groups.len() <= 50);
    }
}

/// Of 10 in 4,800 ms: 1 at 0, 3 at 1,000, and 4 more booked for 4,800, when the 1 has left.
fn used() -> WindowLimit {
    let mut limit = WindowLimit::new(10, 4_800).unwrap();
    assert_eq!(limit.take(1, 0), Ok(granted(1, 0)));
    assert_eq!(limit.take(3, 1_000), Ok(granted(3, 1_000)));
    assert_eq!(limit.reserve(7, 4_800, 1_000), Ok(granted(7, 4_800)));
    limit
}

#[test]
fn a_changed_window_goes_on_with_what_it_inherits() {
    // Where another could be granted next: behind the booking at 4,800 in any case.
    for (inherit, at_5_799, at_5_800, at_9_599) in [
        // The 3 stay until 5,800, the 7 until 9,600.
        (Inherit::Keep, 10, 13, 13),
        // 4 of 10 are 8 of 20, and the 3 among them 6.
        (Inherit::Proportional, 7, 13, 13),
        (Inherit::Full, 13, 13, 13),
        // 9 more of 20 at 2,000 with the 4 and the 7; these leave at 6,800.
        (Inherit::Empty, 1, 4, 13),
    ] {
        let mut limit = used();
        limit.change(20, 4_800, inherit, 2_000).unwrap();
        let left = [5_799, 5_800, 9_599].map(|now_ms| limit.remaining(now_ms).unwrap());
        assert_eq!(left, [at_5_799, at_5_800, at_9_599], "{inherit:?}");
        assert_eq!(limit.remaining(9_600), Ok(20), "{inherit:?}");
    }
}

#[test]
fn a_longer_window_counts_what_it_still_knows_and_a_shorter_one_forgets() {
    for (window_ms, left) in [(9_600, 3), (1_500, 3), (1_000, 3), (500, 3)] {
        let mut limit = WindowLimit::new(4, 4_800).unwrap();
        assert_eq!(limit.take(1, 0), Ok(granted(1, 0)));
        limit.change(4, window_ms, Inherit::Keep, 400).unwrap();
        assert_eq!(limit.remaining(window_ms - 1), Ok(left));
        assert_eq!(limit.remaining(window_ms), Ok(4));
    }
}

#[test]
fn what_a_change_has_forgotten_counts_no_more_whatever_it_is_settled_to() {
    let mut limit = WindowLimit::new(10, 4_800).unwrap();
    let Ok(Taken::Granted(mut old)) = limit.take(8, 0) else {
        panic!("nothing is used");
    };
    limit.change(9, 4_800, Inherit::Full, 200).unwrap();
    assert_eq!(limit.take(5, 200), Ok(granted(5, 200)));
    for actual in [2, 100, 0] {
        limit.settle(&mut old, actual, 200).unwrap();
        assert_eq!(limit.remaining(200), Ok(4));
    }
}

#[test]
fn what_had_left_a_shorter_window_is_not_taken_off_what_counts_now() {
    let mut limit = WindowLimit::new(10, 1_000).unwrap();
    let Ok(Taken::Granted(mut old)) = limit.take(10, 0) else {
        panic!("nothing is used");
    };
    limit.change(10, 5_000, Inherit::Keep, 1_000).unwrap();
    assert_eq!(limit.take(9, 1_000), Ok(granted(9, 1_000)));
    for actual in [0, 3] {
        limit.settle(&mut old, actual, 1_000).unwrap();
        assert_eq!(limit.take(2, 1_000), Ok(wait(5_000)));
    }
}

#[test]
fn a_share_is_of_the_sum_and_not_of_each_group() {
    // 5 of 10, a group each: one half of 4 is 2, not 5.
    let mut limit = WindowLimit::new(10, 4_800).unwrap();
    for now_ms in [0, 100, 200, 300, 400] {
        assert_eq!(limit.take(1, now_ms), Ok(granted(1, now_ms)));
    }
    limit.change(4, 4_800, Inherit::Proportional, 400).unwrap();
    assert_eq!(limit.remaining(400), Ok(2));
    // The newest 3 of the 5 are 1.2 of 4, so 2; the newest 2 are 0.8, so 1.
    assert_eq!(limit.remaining(4_999), Ok(2));
    assert_eq!(limit.remaining(5_000), Ok(3));
    assert_eq!(limit.remaining(5_199), Ok(3));
    assert_eq!(limit.remaining(5_200), Ok(4));
}

#[test]
fn bookings_are_kept_in_so_many_groups_and_no_more() {
    let mut limit = WindowLimit::new(1, 48).unwrap();
    let most = MAX_BOOKED as u64;
    for group in 0..most {
        assert_eq!(limit.reserve(1, MAX_MS, 0), Ok(granted(1, 48 * group)));
    }
    let before = limit.clone();
    assert_eq!(limit.reserve(1, MAX_MS, 0), Ok(wait(48 * most)));
    assert_eq!(limit, before);
    assert_eq!(limit.reserve(1, MAX_MS, 48), Ok(granted(1, 48 * most)));
}

#[test]
fn a_booking_at_the_end_of_a_group_that_is_too_long_now_joins_it_and_can_be_cancelled() {
    let mut limit = WindowLimit::new(3, 4_800).unwrap();
    for now_ms in [0, 99, 100] {
        assert_eq!(limit.take(1, now_ms), Ok(granted(1, now_ms)));
    }
    // The first group leaves at 4,899, the second at 4,900: one group again.
    assert_eq!(limit.reserve(2, 4_800, 100), Ok(granted(2, 4_899)));
    assert_eq!(limit.reserve(1, 4_800, 100), Ok(granted(1, 4_900)));
    // Of a window of 48 each group is an instant.
    limit.change(8, 48, Inherit::Keep, 100).unwrap();
    let Ok(Taken::Granted(mut booked)) = limit.reserve(5, 4_800, 100) else {
        panic!("it can wait");
    };
    assert_eq!(booked.starts_at_ms(), 4_900);
    assert_eq!(limit.cancel(&mut booked, 100), Ok(Cancelled::Returned));
    assert_eq!(limit.remaining(4_900), Ok(5));
}

#[test]
fn groups_that_leave_together_make_room_together() {
    let mut limit = WindowLimit::new(10, 4_800).unwrap();
    assert_eq!(limit.take(4, 0), Ok(granted(4, 0)));
    // 16 of 20 are taken at 0 as well; 3 of 30 at 200.
    limit.change(20, 4_800, Inherit::Empty, 0).unwrap();
    limit.change(30, 4_800, Inherit::Keep, 200).unwrap();
    assert_eq!(limit.take(3, 200), Ok(granted(3, 200)));
    assert_eq!(limit.take(27, 200), Ok(wait(4_600)));
    assert_eq!(limit.take(28, 200), Ok(wait(4_800)));
}

#[test]
fn a_charge_of_which_a_change_left_less_may_grow_by_less() {
    // Of the 8 at 0 the change leaves `counted`; the other half of the largest number is booked.
    const HALF: u64 = MAX_WHOLE / 2;
    for (inherit, counted) in [(Inherit::Keep, 8), (Inherit::Proportional, 4)] {
        let mut limit = WindowLimit::new(16, 100).unwrap();
        let Ok(Taken::Granted(mut grant)) = limit.take(8, 0) else {
            panic!("nothing is used");
        };
        limit.change(8, 100, inherit, 10).unwrap();
        limit.change(MAX_WHOLE, 100, Inherit::Keep, 10).unwrap();
        assert_eq!(limit.take(HALF, 20), Ok(granted(HALF, 20)));
        let most = MAX_WHOLE - HALF;
        let error = limit.settle(&mut grant, most + 1, 20).unwrap_err();
        assert_eq!(
            error.bound(),
            format!("a whole number from 0 to {most}"),
            "{inherit:?}"
        );
        assert_eq!(
            limit.remaining(20),
            Ok(MAX_WHOLE - HALF - counted),
            "{inherit:?}"
        );
        limit.settle(&mut grant, most, 20).unwrap();
        assert_eq!(limit.remaining(20), Ok(0));
    }
}
