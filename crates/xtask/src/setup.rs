//! What the chores need from the machine, found or installed.

use crate::command::{Outcome, patiently, quietly};
use crate::step;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest Node.js that the package supports, and so the oldest that builds it.
const NODE: u32 = 20;

/// Debian's compiler, cargo and the sources of the standard library.
const DEBIAN: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// A compiler that can build std for WebAssembly from its sources.
pub struct Compiler {
    pub cargo: PathBuf,
    pub rustc: PathBuf,
    pub linker: PathBuf,
}

/// The toolchain in use, if rustup has or can fetch its library sources; else Debian's.
pub fn compiler() -> Outcome<Compiler> {
    let sysroot = PathBuf::from(quietly(Command::new("rustc").args(["--print", "sysroot"]))?);
    let linker = lld(&sysroot)?;
    let debian_is_there = DEBIAN.iter().all(|package| installed(package));
    if has_sources(&sysroot) || !debian_is_there && add_sources() && has_sources(&sysroot) {
        return Ok(Compiler {
            cargo: sysroot.join("bin/cargo"),
            rustc: sysroot.join("bin/rustc"),
            linker,
        });
    }
    debian_packages(&DEBIAN)?;
    Ok(Compiler {
        cargo: "/usr/bin/cargo".into(),
        rustc: "/usr/bin/rustc".into(),
        linker,
    })
}

/// Makes sure of Node.js and npm.
pub fn node() -> Outcome<()> {
    let wanted = format!("Node.js {NODE} or later, with npm, is needed");
    let version = quietly(Command::new("node").arg("--version")).map_err(|_| wanted.clone())?;
    let major = version.trim_start_matches('v').split('.').next();
    match major.and_then(|major| major.parse::<u32>().ok()) {
        Some(major) if major >= NODE => Ok(()),
        _ => Err(format!("{wanted}: this is {version}")),
    }
}

/// The browser that the tests drive.
pub fn chromium() -> Outcome<PathBuf> {
    let known = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ];
    if let Some(found) = known.iter().map(Path::new).find(|path| path.exists()) {
        return Ok(found.into());
    }
    debian_packages(&["chromium"])?;
    Ok("/usr/bin/chromium".into())
}

/// Installs Debian packages that are missing, or says how to.
pub fn debian_packages(wanted: &[&str]) -> Outcome<()> {
    let missing: Vec<&str> = wanted
        .iter()
        .copied()
        .filter(|name| !installed(name))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let line = format!(
        "apt-get install -y --no-install-recommends {}",
        missing.join(" ")
    );
    let root = quietly(Command::new("id").arg("-u")).is_ok_and(|id| id == "0");
    if !root || quietly(Command::new("apt-get").arg("--version")).is_err() {
        return Err(format!(
            "missing: {}\ninstall it with: {line}",
            missing.join(", ")
        ));
    }
    step(&line);
    patiently(|| {
        quietly(Command::new("apt-get").arg("update"))?;
        let mut install = Command::new("sh");
        quietly(
            install
                .args(["-c", &line])
                .env("DEBIAN_FRONTEND", "noninteractive"),
        )
    })?;
    Ok(())
}

fn installed(package: &str) -> bool {
    let query = ["-W", "-f=${Status}", package];
    quietly(Command::new("dpkg-query").args(query))
        .is_ok_and(|status| status.ends_with(" installed"))
}

fn has_sources(sysroot: &Path) -> bool {
    sysroot
        .join("lib/rustlib/src/rust/library/Cargo.lock")
        .exists()
}

fn add_sources() -> bool {
    step("rustup component add rust-src");
    let mut rustup = Command::new("rustup");
    let added = patiently(|| quietly(rustup.args(["component", "add", "rust-src"])));
    if added.is_err() {
        println!("   not to be had: Debian's compiler will do");
    }
    added.is_ok()
}

/// The linker that every rustup toolchain carries.
fn lld(sysroot: &Path) -> Outcome<PathBuf> {
    let version = quietly(Command::new("rustc").arg("-vV"))?;
    let host = (version.lines())
        .find_map(|line| line.strip_prefix("host: "))
        .ok_or("rustc -vV names no host")?;
    let lld = sysroot.join("lib/rustlib").join(host).join("bin/rust-lld");
    match lld.exists() {
        true => Ok(lld),
        false => Err(format!(
            "{} is missing: install Rust with rustup",
            lld.display()
        )),
    }
}
