use super::Subject;
use super::fields::{Fields, answer};
use pointsman::{Cancelled, Error, Grant, Start, Taken, TokenBucket, WindowLimit};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn make_bucket(new: &mut Fields) -> Subject {
    play(Limit::Bucket(bucket(new)))
}

pub fn make_window(new: &mut Fields) -> Subject {
    play(Limit::Window(window(new)))
}

pub fn bucket(new: &mut Fields) -> TokenBucket {
    let start = match new.take::<String>("start").as_str() {
        "full" => Start::Full,
        "empty" => Start::Empty,
        _ => panic!("{new}: unknown start"),
    };
    let [capacity, refill, period_ms] =
        ["capacity", "refill", "period_ms"].map(|field| new.take(field));
    TokenBucket::new(capacity, refill, period_ms, start).unwrap()
}

pub fn window(new: &mut Fields) -> WindowLimit {
    let [capacity, window_ms] = ["capacity", "window_ms"].map(|field| new.take(field));
    WindowLimit::new(capacity, window_ms).unwrap()
}

/// The two kinds of limit: the same calls, the same answers.
enum Limit {
    Bucket(TokenBucket),
    Window(WindowLimit),
}

impl Limit {
    fn take(&mut self, cost: u64, at_ms: u64) -> Result<Taken, Error> {
        match self {
            Self::Bucket(bucket) => bucket.take(cost, at_ms),
            Self::Window(window) => window.take(cost, at_ms),
        }
    }

    fn reserve(&mut self, cost: u64, max_wait_ms: u64, at_ms: u64) -> Result<Taken, Error> {
        match self {
            Self::Bucket(bucket) => bucket.reserve(cost, max_wait_ms, at_ms),
            Self::Window(window) => window.reserve(cost, max_wait_ms, at_ms),
        }
    }

    fn cancel(&mut self, grant: &mut Grant, at_ms: u64) -> Result<Cancelled, Error> {
        match self {
            Self::Bucket(bucket) => bucket.cancel(grant, at_ms),
            Self::Window(window) => window.cancel(grant, at_ms),
        }
    }

    fn settle(&mut self, grant: &mut Grant, actual: u64, at_ms: u64) -> Result<(), Error> {
        match self {
            Self::Bucket(bucket) => bucket.settle(grant, actual, at_ms),
            Self::Window(window) => window.settle(grant, actual, at_ms),
        }
    }

    fn remaining(&self, at_ms: u64) -> Result<u64, Error> {
        match self {
            Self::Bucket(bucket) => bucket.remaining(at_ms),
            Self::Window(window) => window.remaining(at_ms),
        }
    }
}

fn play(mut limit: Limit) -> Subject {
    let mut grants = BTreeMap::new();
    Box::new(move |call, step| {
        let at_ms: u64 = step.take("at_ms");
        match call {
            "take" => {
                let taken = limit.take(step.take("cost"), at_ms);
                answer(taken, |taken| keep(&mut grants, step.maybe("as"), taken))
            }
            "reserve" => {
                let taken = limit.reserve(step.take("cost"), step.take("max_wait_ms"), at_ms);
                answer(taken, |taken| keep(&mut grants, step.maybe("as"), taken))
            }
            "cancel" => {
                let grant = grants.get_mut(&step.take::<String>("grant")).unwrap();
                answer(limit.cancel(grant, at_ms), cancelled)
            }
            "settle" => {
                let grant = grants.get_mut(&step.take::<String>("grant")).unwrap();
                let settled = limit.settle(grant, step.take("actual"), at_ms);
                answer(settled, |()| Value::Null)
            }
            "remaining" => answer(limit.remaining(at_ms), |remaining| json!(remaining)),
            _ => panic!("{step}: unknown call"),
        }
    })
}

fn keep(grants: &mut BTreeMap<String, Grant>, name: Option<String>, taken: Taken) -> Value {
    match taken {
        Taken::Granted(grant) => {
            let written = json!({"outcome": "granted", "starts_at_ms": grant.starts_at_ms()});
            if let Some(name) = name {
                grants.insert(name, grant);
            }
            written
        }
        Taken::Wait { retry_after_ms } => {
            json!({"outcome": "wait", "retry_after_ms": retry_after_ms})
        }
        Taken::Never => json!({"outcome": "never"}),
        other => panic!("{other:?} is not in the vectors"),
    }
}

pub fn cancelled(cancelled: Cancelled) -> Value {
    match cancelled {
        Cancelled::Returned => json!("returned"),
        Cancelled::Started => json!("started"),
    }
}
