use super::{Fields, Key, Subject};
use serde_json::{Value, json};

/// The list in force, as the steps change it: each change is a new version of the whole list.
struct Table {
    key: Key,
    draw: String,
    version: u64,
    listed: Vec<(String, u64)>,
}

impl Table {
    fn configure(&mut self, join: &str) {
        self.version += 1;
        let version = self.version.to_string();
        let mut args = vec![version, join.into(), "60000".into(), self.draw.clone()];
        for (upstream, weight) in &self.listed {
            args.extend([upstream.clone(), weight.to_string()]);
        }
        let told = self.key.ask("configure_least_used", 0, &args);
        assert_eq!(told.word(), "configured");
    }

    fn record(&mut self, upstream: &str, times: u64) -> Option<u64> {
        let times = times.to_string();
        let told = self
            .key
            .ask("record_least_used", 0, &["", upstream, &times]);
        match told.word() {
            "recorded" => Some(told.whole(4)),
            "unknown_upstream" => None,
            other => panic!("{other}"),
        }
    }
}

pub fn make(new: &mut Fields, key: Key) -> Subject {
    let mut table = Table {
        key,
        draw: new.take::<u64>("draw").to_string(),
        version: 0,
        listed: Vec::new(),
    };
    table.configure("floor");
    Box::new(move |call, step| match call {
        "add" => {
            let (upstream, weight) = (step.take("upstream"), step.take("weight"));
            table.listed.push((upstream, weight));
            table.configure(&step.take::<String>("join"));
            Value::Null
        }
        "remove" => {
            let upstream: String = step.take("upstream");
            let before = table.listed.len();
            table.listed.retain(|(listed, _)| *listed != upstream);
            let is_removed = table.listed.len() < before;
            if is_removed {
                table.configure("floor");
            }
            json!(is_removed)
        }
        "pick" => {
            let mut args = vec![String::new()];
            args.extend(step.take::<Vec<String>>("excluded"));
            let told = table.key.ask("pick_least_used", 0, &args);
            match told.word() {
                "picked" => json!({"outcome": "upstream", "upstream": told.name(4)}),
                refused => json!({"outcome": refused}),
            }
        }
        "count" => json!(table.record(&step.take::<String>("upstream"), 0)),
        "record" => {
            let upstream: String = step.take("upstream");
            json!(table.record(&upstream, step.take("times")).is_some())
        }
        _ => panic!("{step}: unknown call"),
    })
}
