//! Every test there is, and the benchmarks.

use crate::command::{Outcome, run};
use crate::setup::chromium;
use crate::{npm, root, step, wasm};
use std::process::Command;

/// Builds, then runs the tests of the workspace and of the npm package.
pub fn run_all() -> Outcome<()> {
    npm::build()?;
    wasm::build_values()?;
    let chromium = chromium()?;
    step("tests in Rust");
    // Without the chores: they have no tests, and their dependencies would be compiled once more.
    run(cargo().args(["test", "--workspace", "--exclude", "xtask"]))?;
    step("tests in JavaScript, the browser among them");
    run(npm::npm("npm")
        .args(["test", "--silent"])
        .env("CHROMIUM", chromium))?;
    cold_start()
}

/// Builds, then runs the benchmarks. Ratios count; absolute times are those of this machine.
pub fn bench() -> Outcome<()> {
    npm::build()?;
    npm::install("npm/bench")?;
    step("benchmarks in Rust");
    run(cargo().args(["bench", "--package", "pointsman"]))?;
    step("benchmarks in JavaScript");
    run(npm::npm("npm").args(["run", "--silent", "bench"]))?;
    cold_start()
}

fn cold_start() -> Outcome<()> {
    step("the first call of a fresh process");
    run(Command::new("node").arg(root().join("npm/scripts/cold-start.mjs")))
}

fn cargo() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root());
    cargo
}
