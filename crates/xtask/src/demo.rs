//! The sample trace under every policy.

use crate::command::{Outcome, run};
use crate::{npm, root, step};
use std::process::Command;

/// Builds, replays the sample trace, prints the table and writes the report.
pub fn run_all() -> Outcome<()> {
    npm::build()?;
    let report = root().join("target/replay.html");
    step("pointsman replay npm/examples/sample-trace.jsonl");
    run_replay(&report)?;
    println!("\nThe report, for a browser: {}", report.display());
    Ok(())
}

fn run_replay(report: &std::path::Path) -> Outcome<()> {
    let mut node = Command::new("node");
    node.current_dir(root())
        .args([
            "npm/dist/cli.js",
            "replay",
            "npm/examples/sample-trace.jsonl",
            "--html",
        ])
        .arg(report);
    run(&mut node)
}
