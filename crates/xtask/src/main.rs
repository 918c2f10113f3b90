//! Repository chores. Each does its own set-up; run `cargo xtask` for the list.

mod bench_redis;
mod bundle;
mod command;
mod demo;
mod gates;
mod npm;
mod redis_py;
mod servers;
mod setup;
mod test;
mod wasm;

use command::Outcome;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask <chore>

  build   the npm package, with the core as WebAssembly and as JavaScript, into npm/dist
  test    build, then every test there is: Rust, JavaScript, browser; with --long, random
          histories of ten times the length in process, and twice that on servers
  servers every server that the tests run against, into the target directory
  demo    build, then replay the sample trace: a table, and an HTML report
  bench   build, then the benchmarks, Rust and JavaScript
  bench-redis
          what each script costs a server beside `return 1`, and what the peers' cost; --quick
  bundle  the Lua scripts with their fragments, into lua/bundle.json and the two packages;
          with --check, fail if they are not what the scripts make
  no-std  compile the core without std, for WebAssembly, from the sources of core and alloc
";

fn main() -> ExitCode {
    let chore = std::env::args().nth(1).unwrap_or_default();
    let has = |flag: &str| std::env::args().skip(2).any(|given| given == flag);
    let outcome = match chore.as_str() {
        "build" => npm::build(),
        "test" => test::run_all(has("--long")),
        "servers" => servers::install(),
        "demo" => demo::run_all(),
        "bench" => test::bench(),
        "bench-redis" => bench_redis::run(has("--quick")),
        "bundle" => bundle::run(has("--check")),
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
