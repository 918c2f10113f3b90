use super::{Fields, Key, Subject};
use serde_json::{Value, json};

pub fn make(new: &mut Fields, mut key: Key) -> Subject {
    let [max_links, ttl_ms] =
        ["max_links", "ttl_ms"].map(|field| new.take::<u64>(field).to_string());
    let mut last_ms = 0;
    Box::new(move |call, step| {
        // What has no instant asks at the last one.
        let at_ms = step.maybe("at_ms").unwrap_or(last_ms);
        last_ms = at_ms;
        match call {
            "recall" => {
                let args = [vec![ttl_ms.clone()], links(step)].concat();
                let told = key.ask("recall", at_ms, &args);
                match told.word() {
                    "recalled" => json!(told.name(4)),
                    "nothing" => Value::Null,
                    other => panic!("{step}: {other}"),
                }
            }
            "remember" => {
                let upstream: String = step.take("upstream");
                let last = links(step).pop().unwrap_or_default();
                let told = key.ask("remember", at_ms, &[&max_links, &ttl_ms, &upstream, &last]);
                assert!(["remembered", "ignored"].contains(&told.word()), "{step}");
                Value::Null
            }
            "size" => json!(key.fact("links", at_ms).unwrap_or(0)),
            "evicted_live" => json!(key.fact("evicted_live", at_ms).unwrap_or(0)),
            _ => panic!("{step}: unknown call"),
        }
    })
}

fn links(step: &mut Fields) -> Vec<String> {
    let numbers: Vec<u64> = step.take("links");
    numbers
        .into_iter()
        .map(|link| format!("{link:016x}"))
        .collect()
}
