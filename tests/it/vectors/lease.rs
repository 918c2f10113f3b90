use super::Subject;
use super::fields::{Fields, answer};
use pointsman::{Acquired, Choice, Error, LeaseCandidate, Leases, Released, Renewed};
use serde_json::{Value, json};

pub fn make(new: &mut Fields) -> Subject {
    let mut leases = Leases::new(new.take("draw")).unwrap();
    Box::new(move |call, step| {
        let at_ms: u64 = step.take("at_ms");
        match call {
            "acquire" => answer(acquire(&mut leases, step, at_ms), acquired),
            "renew" => {
                let lease_id: String = step.take("lease_id");
                answer(leases.renew(&lease_id, step.take("ttl_ms"), at_ms), renewed)
            }
            "release" => {
                let lease_id: String = step.take("lease_id");
                answer(leases.release(&lease_id, at_ms), released)
            }
            "in_flight" => {
                let upstream: String = step.take("upstream");
                answer(leases.in_flight(&upstream, at_ms), |count| json!(count))
            }
            _ => panic!("{step}: unknown call"),
        }
    })
}

fn acquire(leases: &mut Leases, step: &mut Fields, at_ms: u64) -> Result<Acquired, Error> {
    let listed: Vec<(String, u32)> = (step.list("candidates").into_iter())
        .map(|mut one| {
            let candidate = (one.take("upstream"), one.take("max_in_flight"));
            one.done();
            candidate
        })
        .collect();
    let candidates: Vec<LeaseCandidate<'_>> = (listed.iter())
        .map(|(upstream, max_in_flight)| LeaseCandidate {
            upstream,
            max_in_flight: *max_in_flight,
        })
        .collect();
    let choice = match step.take::<String>("choice").as_str() {
        "fewest" => Choice::Fewest,
        "first" => Choice::First,
        _ => panic!("{step}: unknown choice"),
    };
    let lease_id: String = step.take("lease_id");
    leases.acquire(&candidates, choice, &lease_id, step.take("ttl_ms"), at_ms)
}

fn acquired(acquired: Acquired) -> Value {
    match acquired {
        Acquired::Leased {
            upstream,
            fence,
            expires_ms,
            repeated,
        } => json!({
            "outcome": "leased", "upstream": upstream, "fence": fence,
            "expires_ms": expires_ms, "repeated": repeated,
        }),
        Acquired::Wait { retry_after_ms } => {
            json!({"outcome": "wait", "retry_after_ms": retry_after_ms})
        }
        Acquired::Empty => json!({"outcome": "empty"}),
        other => panic!("{other:?} is not in the vectors"),
    }
}

fn renewed(renewed: Renewed) -> Value {
    match renewed {
        Renewed::Until { expires_ms, fence } => {
            json!({"outcome": "renewed", "expires_ms": expires_ms, "fence": fence})
        }
        Renewed::Gone => json!({"outcome": "gone"}),
        other => panic!("{other:?} is not in the vectors"),
    }
}

fn released(released: Released) -> Value {
    match released {
        Released::Released { upstream } => json!({"outcome": "released", "upstream": upstream}),
        Released::Gone => json!({"outcome": "gone"}),
        other => panic!("{other:?} is not in the vectors"),
    }
}
