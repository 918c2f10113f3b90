//! Plays the golden vectors in `tests/vectors` to the library.
//!
//! An unknown file, field or call fails, and so does a file that has become shorter.

mod affinity;
mod chain;
pub mod fields;
mod hash;
mod lease;
mod least_used;
mod limit;
mod limits;
mod order;
mod rotation;

use fields::Fields;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// Plays one row, and compares.
type Row = fn(call: &str, row: &mut Fields);
/// Makes what a scenario is about.
type Make<'a> = &'a dyn Fn(&mut Fields) -> Subject;
/// Something that answers the steps of a scenario.
pub type Subject = Box<dyn FnMut(&str, &mut Fields) -> Value>;

/// A test for each file: how many rows and steps it has at least, and how they are played.
macro_rules! files {
    ($($test:ident: $file:literal, $at_least:literal, $row:path, $make:path;)*) => {
        const FILES: &[&str] = &[$($file),*];

        $(
            #[test]
            fn $test() {
                hold($file, $at_least, |_| true, $row, &$make);
            }
        )*
    };
}

files! {
    affinity_holds: "affinity.json", 490, affinity::row, affinity::make;
    bucket_holds: "bucket.json", 589, no_row, limit::make_bucket;
    chain_holds: "chain.json", 64, chain::row, no_scenario;
    hash_holds: "hash.json", 261, hash::row, no_scenario;
    lease_holds: "lease.json", 434, no_row, lease::make;
    least_used_holds: "least_used.json", 878, no_row, least_used::make;
    limits_holds: "limits.json", 1119, no_row, limits::make;
    order_holds: "order.json", 325, order::row, no_scenario;
    rotation_holds: "rotation.json", 535, rotation::row, rotation::make;
    window_holds: "window.json", 710, no_row, limit::make_window;
}

#[test]
fn every_file_of_vectors_has_a_runner() {
    let found: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json"))
        .collect();
    let known = FILES.iter().map(|file| file.to_string()).collect();
    assert_eq!(found, known);
}

/// Plays the cases of a file that are concerned: so many rows and steps at least.
pub fn hold(file: &str, at_least: usize, concerns: fn(&Value) -> bool, row: Row, make: Make) {
    let text = fs::read_to_string(folder().join(file)).unwrap();
    let mut vectors = Fields::new(file, serde_json::from_str(&text).unwrap());
    let about: String = vectors.take("about");
    assert!(!about.is_empty(), "{file}");
    let cases: Vec<Value> = vectors.take("cases");
    vectors.done();
    let played: usize = (cases.into_iter())
        .filter(concerns)
        .map(|case| play(Fields::new(file, case), row, make))
        .sum();
    assert!(played >= at_least, "{file}: {played} of {at_least} played");
    assert!(text.matches("\"by_hand\": ").count() >= 2, "{file}");
    println!("{file}: {played} rows and steps");
}

/// Plays a case and returns how many rows or steps it has.
fn play(mut case: Fields, row: Row, make: Make) -> usize {
    let name: String = case.take("name");
    case.within(&name);
    let _: Option<String> = case.maybe("by_hand");
    let played = match case.maybe::<String>("call") {
        Some(call) => play_rows(&mut case, &call, row),
        None => play_steps(&mut case, make),
    };
    case.done();
    assert!(played > 0, "{name} has no rows and no steps");
    played
}

fn play_rows(case: &mut Fields, call: &str, play: Row) -> usize {
    let rows = case.list("rows");
    let count = rows.len();
    for mut row in rows {
        let _: Option<String> = row.maybe("by_hand");
        play(call, &mut row);
        row.done();
    }
    count
}

fn play_steps(case: &mut Fields, make: Make) -> usize {
    let reason: String = case.take("reason");
    assert!(!reason.is_empty(), "{case}");
    let mut new = case.object("new");
    let mut subject = make(&mut new);
    new.done();
    let steps = case.list("steps");
    let count = steps.len();
    for mut step in steps {
        let _: Option<String> = step.maybe("reason");
        let call: String = step.take("call");
        let expect: Value = step.take("expect");
        let answer = subject(&call, &mut step);
        assert_eq!(answer, expect, "{step}");
        step.done();
    }
    count
}

pub fn no_row(call: &str, row: &mut Fields) {
    panic!("{row}: {call} is not played by rows");
}

fn no_scenario(new: &mut Fields) -> Subject {
    panic!("{new}: this file has no scenarios");
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("vectors")
}
