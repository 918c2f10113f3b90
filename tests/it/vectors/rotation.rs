use super::Subject;
use super::fields::{Fields, answer};
use pointsman::{
    Boundary, Candidate, Different, NoRepeat, OnlyOne, RepeatBy, RoundRobin, Shuffle, random,
    weighted_random,
};
use serde_json::{Value, json};

pub fn row(call: &str, row: &mut Fields) {
    let draw = row.take("draw");
    let chosen = match call {
        "random" => random(row.take("count"), draw),
        "weighted_random" => weighted_random(&row.take::<Vec<u32>>("weights"), draw),
        _ => panic!("{row}: unknown call"),
    };
    let expect: Value = row.take("expect");
    assert_eq!(answer(chosen, |index| json!(index)), expect, "{row}");
}

pub fn make(new: &mut Fields) -> Subject {
    match new.take::<String>("rotation").as_str() {
        "round_robin" => round_robin(),
        "shuffle" => shuffle(new.take("no_boundary_repeat")),
        "no_repeat" => no_repeat(by(new), only_one(new)),
        _ => panic!("{new}: unknown rotation"),
    }
}

fn round_robin() -> Subject {
    let mut rotation = RoundRobin::new();
    Box::new(move |call, step| {
        assert_eq!(call, "next", "{step}");
        let upstreams: Vec<String> = step.take("upstreams");
        json!(rotation.next(upstreams.len()))
    })
}

fn shuffle(no_boundary_repeat: bool) -> Subject {
    let mut shuffle = Shuffle::new(match no_boundary_repeat {
        true => Boundary::NoRepeat,
        false => Boundary::Free,
    });
    Box::new(move |call, step| {
        assert_eq!(call, "next", "{step}");
        let upstreams: Vec<String> = step.take("upstreams");
        let next = shuffle.next(&upstreams, step.take("draw"));
        answer(next, |index| json!(index))
    })
}

fn no_repeat(by: RepeatBy, only_one: OnlyOne) -> Subject {
    let mut rotation = NoRepeat::new(by, only_one).unwrap();
    Box::new(move |call, step| {
        let at_ms: u64 = step.take("at_ms");
        match call {
            "next" => {
                let listed: Vec<_> = step.list("candidates").into_iter().map(listed).collect();
                let candidates: Vec<_> = listed.iter().map(candidate).collect();
                let next = rotation.next(&candidates, step.take("draw"), at_ms);
                answer(next, different)
            }
            "observe" => {
                let (upstream, exit): (String, String) = (step.take("upstream"), step.take("exit"));
                answer(rotation.observe(&upstream, &exit), |()| Value::Null)
            }
            _ => panic!("{step}: unknown call"),
        }
    })
}

type Listed = (String, Option<String>, u32);

fn listed(mut one: Fields) -> Listed {
    let weight = one.maybe("weight").unwrap_or(1);
    let listed = (one.take("upstream"), one.maybe("exit"), weight);
    one.done();
    listed
}

fn candidate((upstream, exit, weight): &Listed) -> Candidate<'_> {
    Candidate {
        upstream,
        exit: exit.as_deref(),
        weight: *weight,
    }
}

fn different(different: Different) -> Value {
    match different {
        Different::Upstream { index, repeated } => {
            json!({"outcome": "upstream", "index": index, "repeated": repeated})
        }
        Different::NoDifferent => json!({"outcome": "no_different"}),
        Different::Wait { retry_after_ms } => {
            json!({"outcome": "wait", "retry_after_ms": retry_after_ms})
        }
        Different::Empty => json!({"outcome": "empty"}),
        other => panic!("{other:?} is not in the vectors"),
    }
}

fn by(new: &mut Fields) -> RepeatBy {
    match new.take::<String>("by").as_str() {
        "upstream" => RepeatBy::Upstream,
        "exit" => RepeatBy::Exit,
        _ => panic!("{new}: unknown kind of repeat"),
    }
}

fn only_one(new: &mut Fields) -> OnlyOne {
    match new.take::<String>("only_one").as_str() {
        "fail" => OnlyOne::Fail,
        "reuse" => OnlyOne::Reuse,
        "wait" => OnlyOne::Wait {
            gap_ms: new.take("gap_ms"),
        },
        _ => panic!("{new}: unknown answer to a single candidate"),
    }
}
