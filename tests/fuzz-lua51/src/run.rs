//! The command line: how many steps, of which families, over which bundle.

use super::InProcess;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tests::differential::{FAMILIES, driver};

/// `[steps] [family] [bundle.json]`: plays the histories of all families, or of one.
pub fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let few = if driver::is_long() {
        10_000_000
    } else {
        1_000_000
    };
    let steps = args
        .first()
        .map_or(few, |steps| steps.parse().expect("steps is a number"));
    let wanted = args
        .get(1)
        .map(String::as_str)
        .filter(|name| *name != "all");
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lua/bundle.json");
    let mut scripts = InProcess::new(&args.get(2).map_or(tree, PathBuf::from));
    let families = FAMILIES
        .iter()
        .filter(|family| wanted.is_none_or(|name| name == family.name));
    let families: Vec<_> = families.collect();
    let begin = Instant::now();
    assert!(!families.is_empty(), "there is no such family");
    driver::play(&mut scripts, &families, steps);
    let rate = steps as f64 / begin.elapsed().as_secs_f64();
    println!("{steps} steps, {rate:.0} a second");
}
