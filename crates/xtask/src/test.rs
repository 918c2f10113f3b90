//! Every test there is, and the benchmarks.

use crate::command::{Outcome, run};
use crate::setup::chromium;
use crate::{npm, root, servers, step, wasm};
use std::process::Command;

/// Builds, then runs the tests of the workspace and of the npm package. `is_long`: random histories of
/// the full counts.
pub fn run_all(is_long: bool) -> Outcome<()> {
    npm::build()?;
    wasm::build_values()?;
    let chromium = chromium()?;
    servers::install()?;
    step("tests in Rust");
    // The chores by themselves: together, their dependencies would be compiled once more.
    let long = ("POINTSMAN_LONG", if is_long { "1" } else { "0" });
    let workspace = ["test", "--workspace", "--exclude", "xtask"];
    run(cargo().args(workspace).envs([long]))?;
    run(cargo().args(["test", "--package", "xtask"]))?;
    histories_in_process(long)?;
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

/// The scripts beside the core without a server, under both versions of Lua.
fn histories_in_process(long: (&str, &str)) -> Outcome<()> {
    step("random histories under Lua 5.1, in process");
    let optimised = ["run", "--quiet", "--locked", "--release"];
    run(cargo()
        .args(optimised)
        .args(["--package", "fuzz-lua51"])
        .envs([long]))?;
    step("random histories under Lua 5.4, in process");
    let manifest = ["--manifest-path", "tests/fuzz-lua54/Cargo.toml"];
    let target =
        std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| root().join("target").into());
    run(cargo()
        .args(optimised)
        .args(manifest)
        .envs([long])
        .env("CARGO_TARGET_DIR", target))
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
