//! redis-py, with which the tests run the Python of `lua/README.md`, in a folder of its own.

use crate::command::{Outcome, patiently, quietly};
use crate::step;
use std::path::Path;
use std::process::Command;

const VERSION: &str = "8.1.0";

/// Makes sure of it below this folder, for the Python that is there.
pub fn install(servers: &Path) -> Outcome<()> {
    let place = servers.join("redis-py");
    let mut version = Command::new("python3");
    version
        .args(["-c", "import redis; print(redis.__version__)"])
        .env("PYTHONPATH", &place);
    if place.exists() && quietly(&mut version).is_ok_and(|found| found == VERSION) {
        return Ok(());
    }
    let package = format!("redis=={VERSION}");
    step(&format!("pip install {package}, into {}", place.display()));
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--upgrade", "--target"])
        .arg(&place)
        .arg(package);
    patiently(|| quietly(&mut pip)).map(|_| ())
}
