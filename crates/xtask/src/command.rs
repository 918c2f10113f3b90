//! Running other programs.

use std::process::Command;

/// What went wrong, for a person to read.
pub type Outcome<T> = Result<T, String>;

/// Runs a program whose output is for the person who waits.
pub fn run(command: &mut Command) -> Outcome<()> {
    let status = command
        .status()
        .map_err(|error| format!("cannot run {}: {error}", shown(command)))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("failed: {}", shown(command))),
    }
}

/// Runs a program whose output matters only if it fails, and returns what it printed.
pub fn quietly(command: &mut Command) -> Outcome<String> {
    let output = command
        .output()
        .map_err(|error| format!("cannot run {}: {error}", shown(command)))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    match output.status.success() {
        true => Ok(stdout.trim().to_string()),
        false => Err(format!(
            "{stdout}{}failed: {}",
            String::from_utf8_lossy(&output.stderr),
            shown(command)
        )),
    }
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
