use super::Subject;
use super::fields::{Fields, answer};
use pointsman::{Join, LeastUsed, Picked};
use serde_json::{Value, json};

pub fn make(new: &mut Fields) -> Subject {
    let mut table = LeastUsed::new(new.take("draw")).unwrap();
    Box::new(move |call, step| match call {
        "add" => {
            let (upstream, weight) = (step.take::<String>("upstream"), step.take("weight"));
            let added = table.add(&upstream, weight, join(step));
            answer(added, |()| Value::Null)
        }
        "remove" => json!(table.remove(&step.take::<String>("upstream"))),
        "pick" => {
            let excluded: Vec<String> = step.take("excluded");
            answer(table.pick(&excluded), |picked| match picked {
                Picked::Upstream(upstream) => json!({"outcome": "upstream", "upstream": upstream}),
                Picked::AllExcluded => json!({"outcome": "all_excluded"}),
                Picked::Empty => json!({"outcome": "empty"}),
                other => panic!("{other:?} is not in the vectors"),
            })
        }
        "count" => json!(table.count(&step.take::<String>("upstream"))),
        "record" => {
            let upstream: String = step.take("upstream");
            answer(table.record(&upstream, step.take("times")), |known| {
                json!(known)
            })
        }
        _ => panic!("{step}: unknown call"),
    })
}

fn join(step: &mut Fields) -> Join {
    match step.take::<String>("join").as_str() {
        "floor" => Join::Floor,
        "keep" => Join::Keep,
        "zero" => Join::Zero,
        _ => panic!("{step}: unknown join"),
    }
}
