//! The sizes that a release must keep to.

use crate::command::{Outcome, run};
use crate::{root, step};
use std::process::Command;

/// Prints sizes beside their bounds and fails beyond one.
pub fn sizes() -> Outcome<()> {
    step("sizes");
    run(Command::new("node").arg(root().join("npm/scripts/sizes.mjs")))
}
