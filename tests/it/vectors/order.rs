use super::fields::{Fields, answer};
use pointsman::{Error, Upstreams, order, pick};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub fn row(call: &str, row: &mut Fields) {
    assert_eq!(call, "order", "{row}");
    let key: String = row.take("key");
    let names: Vec<String> = row.take("upstreams");
    let weights: Option<Vec<u32>> = row.maybe("weights");
    let seed = row.seed();
    let expect: Value = row.take("expect");

    let plain = weights.is_none() && seed == 0;
    let distinct = names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let compare = |made: Result<Upstreams, Error>| {
        let ordered = made.and_then(|made| all_orders(&made, &key));
        assert_eq!(answer(ordered, |order| json!(order)), expect, "{row}");
    };
    let weights = weights.as_deref();
    compare(Upstreams::allowing_duplicates(&names, weights, seed));
    if distinct {
        compare(Upstreams::with_seed(&names, weights, seed));
    } else {
        assert!(
            Upstreams::with_seed(&names, weights, seed).is_err(),
            "{row}"
        );
    }
    if plain {
        let ordered = order(&key, &names);
        let first = ordered.clone().map(|order| order.first().copied());
        assert_eq!(pick(&key, &names), first, "{row}");
        assert_eq!(answer(ordered, |order| json!(order)), expect, "{row}");
    }
}

/// The order, by whichever way it is asked for: whole, its first, its first few.
fn all_orders(upstreams: &Upstreams, key: &str) -> Result<Vec<usize>, Error> {
    let order = upstreams.order(key)?;
    assert_eq!(upstreams.pick(key)?, order.first().copied());
    for limit in [0, 1, 2, order.len() / 2, order.len(), order.len() + 3] {
        let mut into = vec![u32::MAX; limit];
        let written = upstreams.order_into(key, &mut into)?;
        assert_eq!(written, limit.min(order.len()));
        let written = into[..written].iter().map(|&index| index as usize);
        assert!(written.eq(order.iter().copied().take(limit)), "{into:?}");
    }
    Ok(order)
}
