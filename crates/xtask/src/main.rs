//! Repository chores. Each does its own set-up; run `cargo xtask` for the list.

mod command;
mod demo;
mod gates;
mod npm;
mod setup;
mod test;
mod wasm;

use command::Outcome;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask <chore>

  build   the npm package, with the core as WebAssembly and as JavaScript, into npm/dist
  test    build, then every test there is: Rust, JavaScript, browser
  demo    build, then replay the sample trace: a table, and an HTML report
  bench   build, then the benchmarks, Rust and JavaScript
  no-std  compile the core without std, for WebAssembly, from the sources of core and alloc
";

fn main() -> ExitCode {
    let chore = std::env::args().nth(1).unwrap_or_default();
    let outcome = match chore.as_str() {
        "build" => npm::build(),
        "test" => test::run_all(),
        "demo" => demo::run_all(),
        "bench" => test::bench(),
        "no-std" => wasm::prove_no_std(),
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The repository's root.
fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.join("../..").canonicalize().unwrap_or(here)
}

/// Says what is being done, one line a step.
fn step(what: &str) {
    println!("── {what}");
}

/// Reads a file, or says which one could not be read.
fn read(path: &std::path::Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Writes a file, its folder too, or says which one could not be written.
fn write(path: &std::path::Path, content: impl AsRef<[u8]>) -> Outcome<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, content))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}
