use super::*;
use crate::Start;
use alloc::vec;

fn requests_and_tokens() -> Limits {
    let requests = WindowLimit::new(2, 60_000).unwrap();
    let tokens = TokenBucket::new(10, 1, 1_000, Start::Full).unwrap();
    Limits::new([Limit::Window(requests), Limit::Bucket(tokens)].into()).unwrap()
}

fn granted(costs: &[u64], starts_at_ms: u64) -> TakenTogether {
    TakenTogether::Granted(Grants {
        costs: costs.to_vec(),
        starts_at_ms,
    })
}

#[test]
fn what_one_refuses_costs_nothing_at_the_others() {
    let mut limits = requests_and_tokens();
    assert_eq!(limits.take(&[1, 9], 0), Ok(granted(&[1, 9], 0)));
    let before = limits.clone();
    let wait = TakenTogether::Wait {
        retry_after_ms: 2_000,
        limit: 1,
    };
    assert_eq!(limits.take(&[1, 3], 0), Ok(wait));
    assert_eq!(
        limits.take(&[1, 11], 0),
        Ok(TakenTogether::Never { limit: 1 })
    );
    assert_eq!(limits, before);
    assert_eq!(limits.take(&[1, 3], 2_000), Ok(granted(&[1, 3], 2_000)));
}

#[test]
fn a_common_booking_does_not_overfill_the_bucket_that_was_not_in_the_way() {
    let mut limits = requests_and_tokens();
    assert_eq!(limits.take(&[2, 1], 0), Ok(granted(&[2, 1], 0)));
    assert_eq!(
        limits.reserve(&[1, 10], 90_000, 0),
        Ok(granted(&[1, 10], 60_000))
    );
    // The bucket was full long before 60,000. It is empty then, and not full again.
    assert_eq!(limits.remaining(60_000), Ok([1, 0].into()));
    let wait = TakenTogether::Wait {
        retry_after_ms: 1_000,
        limit: 1,
    };
    assert_eq!(limits.take(&[0, 1], 60_000), Ok(wait));
}

#[test]
fn cancelling_gives_back_to_all_and_settling_corrects_all() {
    let mut limits = requests_and_tokens();
    let fresh = limits.clone();
    assert_eq!(limits.take(&[2, 0], 0), Ok(granted(&[2, 0], 0)));
    let Ok(TakenTogether::Granted(mut booked)) = limits.reserve(&[1, 5], 60_000, 0) else {
        panic!("it can wait");
    };
    assert_eq!(limits.cancel(&mut booked, 59_999), Ok(Cancelled::Returned));
    assert_eq!(limits.remaining(60_000), fresh.remaining(60_000));
    let Ok(TakenTogether::Granted(mut grants)) = limits.take(&[1, 5], 60_000) else {
        panic!("all is there");
    };
    limits.settle(&mut grants, &[2, 1], 60_000).unwrap();
    assert_eq!(limits.remaining(60_000), Ok([0, 9].into()));
}

#[test]
fn a_limit_that_was_not_asked_can_be_settled() {
    let mut limits = requests_and_tokens();
    for costs in [[1, 0], [0, 1]] {
        let Ok(TakenTogether::Granted(mut grants)) = limits.take(&costs, 0) else {
            panic!("all is there");
        };
        limits.settle(&mut grants, &[1, 4], 0).unwrap();
    }
    assert_eq!(limits.remaining(0), Ok([0, 2].into()));
    let Ok(TakenTogether::Granted(mut booked)) = limits.reserve(&[1, 1], 90_000, 0) else {
        panic!("it can wait");
    };
    limits.settle(&mut booked, &[0, 0], 0).unwrap();
    assert_eq!(limits.cancel(&mut booked, 0), Ok(Cancelled::Returned));
}

#[test]
fn nothing_starts_after_the_last_instant() {
    let once = WindowLimit::new(1, MAX_MS).unwrap();
    let mut limits = Limits::new([Limit::Window(once)].into()).unwrap();
    assert_eq!(limits.take(&[1], 1), Ok(granted(&[1], 1)));
    let wait = TakenTogether::Wait {
        retry_after_ms: MAX_MS,
        limit: 0,
    };
    assert_eq!(limits.reserve(&[1], MAX_MS, 1), Ok(wait));
}

#[test]
fn misuse_names_the_argument() {
    let mut limits = requests_and_tokens();
    for (costs, argument) in [
        (&[1][..], "costs"),
        (&[0, 0], "cost"),
        (&[1, 1 << 53], "cost"),
    ] {
        assert_eq!(limits.take(costs, 0).unwrap_err().argument(), argument);
    }
    assert!(Limits::new(Vec::new()).is_err());
}

#[test]
fn a_list_can_change_and_each_limit_goes_on_from_the_one_it_names() {
    let mut limits = requests_and_tokens();
    assert_eq!(limits.take(&[1, 4], 0), Ok(granted(&[1, 4], 0)));
    let tokens = TokenBucket::new(20, 1, 1_000, Start::Full).unwrap();
    let daily = TokenBucket::new(9, 1, 1_000, Start::Empty).unwrap();
    let requests = WindowLimit::new(2, 60_000).unwrap();
    let list = vec![
        (Limit::Bucket(tokens), Some(1)),
        (Limit::Bucket(daily), None),
        (Limit::Window(requests), Some(0)),
    ];
    limits.change(list, Inherit::Keep, 500).unwrap();
    // 3.5 of 10 tokens are consumed: 4 of 20.
    assert_eq!(limits.remaining(500), Ok([16, 0, 1].into()));
    assert_eq!(limits.remaining(1_500), Ok([17, 1, 1].into()));
    // Time has moved for all of them: it does not go back.
    assert_eq!(limits.remaining(0), Ok([16, 0, 1].into()));
}

#[test]
fn a_limit_cannot_go_on_as_one_of_another_kind_or_from_nowhere() {
    let mut limits = requests_and_tokens();
    let before = limits.clone();
    for index in [1, 2] {
        let window = Limit::Window(WindowLimit::new(2, 60_000).unwrap());
        let error = limits.change(vec![(window, Some(index))], Inherit::Keep, 0);
        assert_eq!(error.unwrap_err().argument(), "index");
    }
    assert!(limits.change(Vec::new(), Inherit::Keep, 0).is_err());
    assert_eq!(limits, before);
}
