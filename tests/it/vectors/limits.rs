use super::Subject;
use super::fields::{Fields, answer};
use super::limit::{bucket, cancelled, window};
use pointsman::{Grants, Inherit, Limit, Limits, TakenTogether};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn make(new: &mut Fields) -> Subject {
    let rules = new.list("limits").into_iter().map(|mut limit| {
        let made = made(&mut limit);
        limit.done();
        made
    });
    let mut limits = Limits::new(rules.collect()).unwrap();
    let mut grants = BTreeMap::new();
    Box::new(move |call, step| {
        let at_ms: u64 = step.take("at_ms");
        match call {
            "take" => {
                let taken = limits.take(&step.take::<Vec<_>>("costs"), at_ms);
                answer(taken, |taken| keep(&mut grants, step.maybe("as"), taken))
            }
            "reserve" => {
                let costs: Vec<u64> = step.take("costs");
                let taken = limits.reserve(&costs, step.take("max_wait_ms"), at_ms);
                answer(taken, |taken| keep(&mut grants, step.maybe("as"), taken))
            }
            "cancel" => {
                let grant = grants.get_mut(&step.take::<String>("grant")).unwrap();
                answer(limits.cancel(grant, at_ms), cancelled)
            }
            "settle" => {
                let grant = grants.get_mut(&step.take::<String>("grant")).unwrap();
                let settled = limits.settle(grant, &step.take::<Vec<_>>("actual"), at_ms);
                answer(settled, |()| Value::Null)
            }
            "remaining" => answer(limits.remaining(at_ms), |left| json!(left)),
            "change" => {
                let rules = step.list("limits").into_iter().map(|mut limit| {
                    let from: Option<usize> = limit.maybe("from");
                    let made = made(&mut limit);
                    limit.done();
                    (made, from)
                });
                let rules: Vec<_> = rules.collect();
                for grant in grants.values_mut() {
                    reorder(grant, rules.iter().map(|(_, from)| *from));
                }
                let changed = limits.change(rules, inherit(&step.take::<String>("inherit")), at_ms);
                answer(changed, |()| Value::Null)
            }
            _ => panic!("{step}: unknown call"),
        }
    })
}

fn made(limit: &mut Fields) -> Limit {
    match limit.take::<String>("kind").as_str() {
        "bucket" => Limit::Bucket(bucket(limit)),
        "window" => Limit::Window(window(limit)),
        _ => panic!("{limit}: unknown kind"),
    }
}

fn inherit(word: &str) -> Inherit {
    match word {
        "keep" => Inherit::Keep,
        "proportional" => Inherit::Proportional,
        "full" => Inherit::Full,
        "empty" => Inherit::Empty,
        _ => panic!("{word}: unknown"),
    }
}

/// A grant from before a change has its costs in the order of the new list.
fn reorder(grant: &mut Grants, places: impl Iterator<Item = Option<usize>>) {
    let old = grant.costs();
    let costs = places.map(|from| from.map_or(0, |from| old[from]));
    *grant = Grants::from_parts(costs.collect(), grant.starts_at_ms()).unwrap();
}

fn keep(
    grants: &mut BTreeMap<String, Grants>,
    name: Option<String>,
    taken: TakenTogether,
) -> Value {
    match taken {
        TakenTogether::Granted(grant) => {
            let written = json!({"outcome": "granted", "starts_at_ms": grant.starts_at_ms()});
            if let Some(name) = name {
                grants.insert(name, grant);
            }
            written
        }
        TakenTogether::Wait {
            retry_after_ms,
            limit,
        } => json!({"outcome": "wait", "retry_after_ms": retry_after_ms, "limit": limit}),
        TakenTogether::Never { limit } => json!({"outcome": "never", "limit": limit}),
        other => panic!("{other:?} is not in the vectors"),
    }
}
