//! Running other programs.

use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// What went wrong, for a person to read.
pub type Outcome<T> = Result<T, String>;

/// How often a long step says that it goes on.
const PATIENCE: Duration = Duration::from_secs(20);

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

/// Does something that may take minutes, and says so every now and then.
pub fn patiently<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let begin = Instant::now();
    let (done, finished) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while finished.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                println!("   … {} s", begin.elapsed().as_secs());
            }
        });
        let result = work();
        drop(done);
        result
    })
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
