use super::{Fields, Key, Subject, Told};
use serde_json::{Value, json};

/// One limit by its own file: the same calls, with one cost and no place.
pub fn make_one(new: &mut Fields, key: Key) -> Subject {
    let start = new.maybe("start");
    let mut taker = Taker::new(key, vec![Rule::read(new)], start);
    Box::new(move |call, step| {
        let at_ms: u64 = step.take("at_ms");
        match call {
            "take" | "reserve" => {
                let costs = [step.take("cost")];
                let mut answer = taker.take(step, at_ms, &costs);
                answer.as_object_mut().unwrap().remove("limit");
                answer
            }
            "cancel" => taker.cancel(at_ms, &step.take::<String>("grant")),
            "settle" => taker.settle(at_ms, &step.take::<String>("grant"), &[step.take("actual")]),
            "remaining" => json!(taker.remaining(at_ms)[0]),
            _ => panic!("{step}: unknown call"),
        }
    })
}

pub fn make(new: &mut Fields, key: Key) -> Subject {
    let (rules, start) = rules_of(new);
    let rules = rules.into_iter().map(|(rule, _)| rule).collect();
    let mut taker = Taker::new(key, rules, start);
    Box::new(move |call, step| {
        let at_ms: u64 = step.take("at_ms");
        match call {
            "take" | "reserve" => {
                let costs: Vec<u64> = step.take("costs");
                taker.take(step, at_ms, &costs)
            }
            "cancel" => taker.cancel(at_ms, &step.take::<String>("grant")),
            "settle" => {
                let actual: Vec<u64> = step.take("actual");
                taker.settle(at_ms, &step.take::<String>("grant"), &actual)
            }
            "remaining" => json!(taker.remaining(at_ms)),
            "change" => {
                let (rules, start) = rules_of(step);
                taker.change(rules, start, step.take("inherit"))
            }
            _ => panic!("{step}: unknown call"),
        }
    })
}

/// Limits that go on from the one at a place, and how those that are new start: in Redis all alike.
fn rules_of(fields: &mut Fields) -> (Vec<(Rule, Option<usize>)>, Option<String>) {
    let (mut rules, mut start) = (Vec::new(), None);
    for mut limit in fields.list("limits") {
        let from = limit.maybe("from");
        if let Some(own) = limit.maybe("start").filter(|_| from.is_none()) {
            assert!(start.is_none_or(|other| own == other), "{limit}: one start");
            start = Some(own);
        }
        rules.push((Rule::read(&mut limit), from));
        limit.done();
    }
    (rules, start)
}

/// A limit, named, as `take` is told of it.
struct Rule {
    name: String,
    words: [String; 4],
}

impl Rule {
    fn read(fields: &mut Fields) -> Self {
        let capacity = fields.take::<u64>("capacity").to_string();
        let (kind, refill, period_ms) = match fields.maybe::<u64>("window_ms") {
            Some(window_ms) => ("window", 0, window_ms),
            None => ("bucket", fields.take("refill"), fields.take("period_ms")),
        };
        let own: Option<String> = fields.maybe("kind");
        assert!(own.is_none_or(|own| own == kind), "{fields}");
        Self {
            name: String::new(),
            words: [
                kind.into(),
                capacity,
                refill.to_string(),
                period_ms.to_string(),
            ],
        }
    }
}

/// Takes with the rules that are in force, or will be with the next take.
struct Taker {
    key: Key,
    rules: Vec<Rule>,
    start: String,
    inherit: String,
    version: u64,
    named: u64,
    taken: u64,
}

impl Taker {
    fn new(key: Key, rules: Vec<Rule>, start: Option<String>) -> Self {
        let mut made = Self {
            key,
            rules: Vec::new(),
            start: String::new(),
            inherit: String::new(),
            version: 0,
            named: 0,
            taken: 0,
        };
        let rules = rules.into_iter().map(|rule| (rule, None)).collect();
        made.change(rules, start, "keep".into());
        made
    }

    /// The next take brings the rules.
    fn change(
        &mut self,
        rules: Vec<(Rule, Option<usize>)>,
        start: Option<String>,
        inherit: String,
    ) -> Value {
        let named = rules.into_iter().map(|(rule, from)| {
            self.named += 1;
            let name = match from {
                Some(from) => self.rules[from].name.clone(),
                None => format!("limit {}", self.named),
            };
            Rule { name, ..rule }
        });
        self.rules = named.collect();
        self.start = start.unwrap_or_else(|| "full".into());
        self.inherit = inherit;
        self.version += 1;
        Value::Null
    }

    fn take(&mut self, step: &mut Fields, at_ms: u64, costs: &[u64]) -> Value {
        self.taken += 1;
        let id = (step.maybe("as")).unwrap_or_else(|| format!("take-{}", self.taken));
        let max_wait_ms: u64 = step.maybe("max_wait_ms").unwrap_or(0);
        let mut args = vec![
            id,
            max_wait_ms.to_string(),
            self.version.to_string(),
            self.inherit.clone(),
            self.start.clone(),
            self.rules.len().to_string(),
        ];
        for Rule { name, words } in &self.rules {
            args.push(name.clone());
            args.extend_from_slice(words);
        }
        args.extend(costs.iter().map(u64::to_string));
        match self.key.try_ask("take", at_ms, &args) {
            Ok(told) => self.answer(&told),
            Err(error) => refused(&error),
        }
    }

    fn answer(&self, told: &Told) -> Value {
        let place = |at| {
            let name = told.name(at);
            self.rules.iter().position(|rule| rule.name == name)
        };
        match told.word() {
            "granted" => {
                json!({"outcome": "granted", "starts_at_ms": told.instant(2) + told.whole(4)})
            }
            "wait" => {
                json!({"outcome": "wait", "retry_after_ms": told.whole(4), "limit": place(5)})
            }
            "never" => json!({"outcome": "never", "limit": place(4)}),
            other => panic!("{other}"),
        }
    }

    fn cancel(&mut self, at_ms: u64, grant: &str) -> Value {
        json!(self.key.ask("take_cancel", at_ms, &[grant]).word())
    }

    fn settle(&mut self, at_ms: u64, grant: &str, actual: &[u64]) -> Value {
        let mut args = vec![grant.to_string()];
        for (rule, actual) in self.rules.iter().zip(actual) {
            args.extend([rule.name.clone(), actual.to_string()]);
        }
        let told = self.key.ask("take_settle", at_ms, &args);
        assert!(["settled", "gone"].contains(&told.word()), "{grant}");
        Value::Null
    }

    fn remaining(&mut self, at_ms: u64) -> Vec<u64> {
        let key = &mut self.key;
        let left = self.rules.iter().map(|Rule { name, words }| {
            let left = key.fact_of("remaining", "limit", name, at_ms);
            // Before the first call there is no limit, and it will start so.
            let first = if self.start == "full" {
                words[1].parse().unwrap()
            } else {
                0
            };
            left.unwrap_or(first)
        });
        left.collect()
    }
}

/// A refused argument by its name.
fn refused(error: &str) -> Value {
    let name = error
        .strip_prefix("POINTSMAN_ARG ")
        .and_then(|text| text.split(' ').next());
    json!({"error": name.unwrap_or_else(|| panic!("{error}"))})
}
