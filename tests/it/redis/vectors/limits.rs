use super::{Fields, Key, Subject, Told};
use serde_json::{Value, json};

pub fn make_bucket(new: &mut Fields, key: Key) -> Subject {
    let start: String = new.take("start");
    let [capacity, refill, period_ms] =
        ["capacity", "refill", "period_ms"].map(|field| new.take::<u64>(field).to_string());
    play(key, &start, ["bucket".into(), capacity, refill, period_ms])
}

pub fn make_window(new: &mut Fields, key: Key) -> Subject {
    let [capacity, window_ms] =
        ["capacity", "window_ms"].map(|field| new.take::<u64>(field).to_string());
    play(
        key,
        "full",
        ["window".into(), capacity, "0".into(), window_ms],
    )
}

fn play(mut key: Key, start: &str, rule: [String; 4]) -> Subject {
    let start = start.to_string();
    let mut taken = 0;
    Box::new(move |call, step| {
        let at_ms: u64 = step.take("at_ms");
        match call {
            "take" | "reserve" => {
                taken += 1;
                let id = step.maybe("as").unwrap_or_else(|| format!("take-{taken}"));
                let max_wait_ms = if call == "take" {
                    0
                } else {
                    step.take("max_wait_ms")
                };
                let cost: u64 = step.take("cost");
                let fixed = [
                    &id,
                    &*max_wait_ms.to_string(),
                    "1",
                    "keep",
                    &start,
                    "1",
                    "limit",
                ];
                let args = [&fixed.map(String::from)[..], &rule, &[cost.to_string()]].concat();
                match key.try_ask("take", at_ms, &args) {
                    Ok(told) => answer(&told),
                    Err(error) => refused(&error),
                }
            }
            "cancel" => {
                let told = key.ask("take_cancel", at_ms, &[step.take::<String>("grant")]);
                json!(told.word())
            }
            "settle" => {
                let grant: String = step.take("grant");
                let actual = step.take::<u64>("actual").to_string();
                let told = key.ask("take_settle", at_ms, &[&grant, "limit", &actual]);
                assert!(["settled", "gone"].contains(&told.word()), "{step}");
                Value::Null
            }
            "remaining" => {
                let remaining = key.fact_of("remaining", "limit", "limit", at_ms);
                // Before the first call there is no limit, and it will start so.
                let first = if start == "full" {
                    rule[1].parse().unwrap()
                } else {
                    0
                };
                json!(remaining.unwrap_or(first))
            }
            _ => panic!("{step}: unknown call"),
        }
    })
}

fn answer(told: &Told) -> Value {
    match told.word() {
        "granted" => json!({"outcome": "granted", "starts_at_ms": told.instant(2) + told.whole(4)}),
        "wait" => json!({"outcome": "wait", "retry_after_ms": told.whole(4)}),
        "never" => json!({"outcome": "never"}),
        other => panic!("{other}"),
    }
}

/// A refused argument by its name.
fn refused(error: &str) -> Value {
    let name = error
        .strip_prefix("POINTSMAN_ARG ")
        .and_then(|text| text.split(' ').next());
    json!({"error": name.unwrap_or_else(|| panic!("{error}"))})
}
