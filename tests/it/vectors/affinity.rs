use super::Subject;
use super::fields::{Fields, answer};
use pointsman::{AffinityTable, Link, log_spaced};
use serde_json::{Value, json};

pub fn row(call: &str, row: &mut Fields) {
    assert_eq!(call, "log_spaced", "{row}");
    let expect: Vec<usize> = row.take("expect");
    assert_eq!(log_spaced(row.take("links")), expect, "{row}");
}

pub fn make(new: &mut Fields) -> Subject {
    let mut table = AffinityTable::new(new.take("max_links"), new.take("ttl_ms")).unwrap();
    Box::new(move |call, step| {
        let at_ms = step.take("at_ms");
        match call {
            "recall" => {
                let recalled = table.recall(&links(step), at_ms);
                answer(recalled, |upstream| json!(upstream))
            }
            "remember" => {
                let upstream: String = step.take("upstream");
                let remembered = table.remember(&links(step), &upstream, at_ms);
                answer(remembered, |()| Value::Null)
            }
            "size" => json!(table.len()),
            "evicted_live" => json!(table.evicted_live()),
            _ => panic!("{step}: unknown call"),
        }
    })
}

fn links(step: &mut Fields) -> Vec<Link> {
    let numbers: Vec<u64> = step.take("links");
    numbers.into_iter().map(Link::from).collect()
}
