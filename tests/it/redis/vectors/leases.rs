use super::{Fields, Key, SHIFT_MS, Subject};
use serde_json::{Value, json};

pub fn make(new: &mut Fields, mut key: Key) -> Subject {
    let draw = new.take::<u64>("draw").to_string();
    Box::new(move |call, step| {
        let at_ms: u64 = step.take("at_ms");
        let mut text = |field: &str| step.take::<String>(field);
        match call {
            "acquire" => {
                let (lease_id, choice) = (text("lease_id"), text("choice"));
                let ttl_ms = step.take::<u64>("ttl_ms").to_string();
                let mut args = vec![lease_id, ttl_ms, choice, draw.clone()];
                for mut one in step.list("candidates") {
                    args.push(one.take("upstream"));
                    args.push(one.take::<u64>("max_in_flight").to_string());
                    one.done();
                }
                let told = key.ask("lease", at_ms, &args);
                match told.word() {
                    "leased" => json!({
                        "outcome": "leased", "upstream": told.name(4), "fence": fence(told.whole(5)),
                        "expires_ms": told.instant(6), "repeated": told.whole(7) == 1,
                    }),
                    "wait" => json!({"outcome": "wait", "retry_after_ms": told.whole(4)}),
                    refused => json!({"outcome": refused}),
                }
            }
            "renew" => {
                let lease_id = text("lease_id");
                let ttl_ms = step.take::<u64>("ttl_ms").to_string();
                let told = key.ask("lease_renew", at_ms, &[lease_id, ttl_ms]);
                match told.word() {
                    "renewed" => json!({
                        "outcome": "renewed", "fence": fence(told.whole(4)), "expires_ms": told.instant(5),
                    }),
                    refused => json!({"outcome": refused}),
                }
            }
            "release" => {
                let told = key.ask("lease_release", at_ms, &[text("lease_id")]);
                match told.word() {
                    "released" => json!({"outcome": "released", "upstream": told.name(4)}),
                    refused => json!({"outcome": refused}),
                }
            }
            "in_flight" => {
                let upstream = text("upstream");
                json!(
                    key.fact_of("in_flight", "upstream", &upstream, at_ms)
                        .unwrap_or(0)
                )
            }
            _ => panic!("{step}: unknown call"),
        }
    })
}

/// A fence as the vectors have it. It is the instant times 1,000, but 1 at the instant 0, where the
/// first fence must be above none: the only place where a shift of all instants shows.
fn fence(shifted: u64) -> Value {
    let fence = shifted - 1_000 * SHIFT_MS;
    json!(if fence < 1_000 { fence + 1 } else { fence })
}
