use super::{Fields, Key, Subject};
use serde_json::{Value, json};

const KEEP_MS: &str = "60000";

pub fn make(new: &mut Fields, key: Key) -> Subject {
    match new.take::<String>("rotation").as_str() {
        "shuffle" => shuffle(new.take("no_boundary_repeat"), key),
        "no_repeat" => no_repeat(new, key),
        _ => panic!("{new}: unknown rotation"),
    }
}

fn shuffle(no_boundary_repeat: bool, mut key: Key) -> Subject {
    let boundary = if no_boundary_repeat {
        "no_repeat"
    } else {
        "free"
    };
    Box::new(move |call, step| {
        assert_eq!(call, "next", "{step}");
        let draw = step.take::<u64>("draw").to_string();
        let mut args = ["", KEEP_MS, boundary, &draw].map(String::from).to_vec();
        args.extend(step.take::<Vec<String>>("upstreams"));
        let told = key.ask("next_shuffle", 0, &args);
        match told.word() {
            "picked" => json!(told.whole(4)),
            "empty" => Value::Null,
            other => panic!("{step}: {other}"),
        }
    })
}

fn no_repeat(new: &mut Fields, mut key: Key) -> Subject {
    let by: String = new.take("by");
    let only_one: String = new.take("only_one");
    let gap_ms = new.maybe::<u64>("gap_ms").unwrap_or(0).to_string();
    Box::new(move |call, step| {
        let at_ms: u64 = step.take("at_ms");
        if call == "observe" {
            let (upstream, exit): (String, String) = (step.take("upstream"), step.take("exit"));
            let told = key.ask("observe_exit", at_ms, &[KEEP_MS, &upstream, &exit]);
            assert_eq!(told.word(), "observed", "{step}");
            return Value::Null;
        }
        assert_eq!(call, "next", "{step}");
        let draw = step.take::<u64>("draw").to_string();
        let mut args = ["", KEEP_MS, &by, &only_one, &gap_ms, &draw]
            .map(String::from)
            .to_vec();
        for mut one in step.list("candidates") {
            args.push(one.take("upstream"));
            args.push(one.maybe("exit").unwrap_or_default());
            args.push(one.maybe::<u64>("weight").unwrap_or(1).to_string());
            one.done();
        }
        let told = key.ask("pick_no_repeat", at_ms, &args);
        match told.word() {
            "picked" => {
                let repeats = told.whole(6) == 1;
                json!({"outcome": "upstream", "index": told.whole(4), "repeated": repeats})
            }
            "wait" => json!({"outcome": "wait", "retry_after_ms": told.whole(4)}),
            refused => json!({"outcome": refused}),
        }
    })
}
