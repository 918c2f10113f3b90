//! The npm package: its dependencies, and what `npm/scripts/build.mjs` makes.

use crate::command::{Outcome, patiently, quietly, run};
use crate::{gates, read, root, setup, step, wasm, write};
use std::path::PathBuf;
use std::process::Command;

/// Builds the core, then `npm/dist`.
pub fn build() -> Outcome<()> {
    setup::node()?;
    install("npm")?;
    wasm::build()?;
    step("npm run build");
    patiently(|| run(npm("npm").args(["run", "--silent", "build"])))?;
    gates::sizes()
}

/// Installs exactly what the lockfile of a folder says, unless that is there already.
pub fn install(folder: &str) -> Outcome<()> {
    let lockfile = read(&folder_of(folder).join("package-lock.json"))?;
    let installed = folder_of(folder).join("node_modules/.installed-lockfile");
    if std::fs::read(&installed).is_ok_and(|known| known == lockfile) {
        return Ok(());
    }
    step(&format!("npm ci in {folder}"));
    patiently(|| quietly(npm(folder).args(["ci", "--no-audit", "--no-fund"])))?;
    write(&installed, lockfile)
}

/// npm, in a folder of the repository.
pub fn npm(folder: &str) -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(folder_of(folder));
    npm
}

fn folder_of(folder: &str) -> PathBuf {
    root().join(folder)
}
