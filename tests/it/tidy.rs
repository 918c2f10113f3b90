//! What a reviewer should not have to look for.

use std::path::PathBuf;
use std::process::Command;

/// Longest that a file written by hand may be.
const LINES: usize = 400;

/// Longest that the README may be.
const README_LINES: usize = 150;

/// Names that say nothing about what is inside.
const BANNED: [&str; 8] = [
    "common", "helper", "helpers", "manager", "misc", "types", "util", "utils",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every file under version control or about to be, but the folder of build outputs.
fn files() -> Vec<String> {
    let list = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git")
        .current_dir(root())
        .args(list)
        .output()
        .expect("git lists files");
    assert!(output.status.success(), "git ls-files failed");
    let all = String::from_utf8(output.stdout).expect("paths are UTF-8");
    let there = all.lines().filter(|path| root().join(path).exists());
    let files: Vec<String> = there.map(str::to_string).collect();
    assert!(files.len() > 50, "git lists only {} files", files.len());
    files
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What comes after `before` in the first line that has it, up to `until`.
fn after<'a>(text: &'a str, before: &str, until: char) -> &'a str {
    let (_, rest) = text
        .split_once(before)
        .unwrap_or_else(|| panic!("nothing after {before:?}"));
    rest.split(until).next().expect("a split has a first part")
}

/// `path:line` of each line of these files that `is_bad`.
fn places(files: &[String], is_bad: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for path in files {
        for (index, line) in text(path).lines().enumerate() {
            if is_bad(line) {
                found.push(format!("{path}:{}: {}", index + 1, line.trim()));
            }
        }
    }
    found
}

fn is_generated(path: &str) -> bool {
    path.ends_with("lock")
        || path.ends_with("package-lock.json")
        || path == "lua/bundle.json"
        || path.starts_with("tests/") && path.ends_with(".json")
        || path.ends_with(".jsonl")
}

#[test]
fn versions_are_equal() {
    let cargo = text("Cargo.toml");
    let version = after(&cargo, "[workspace.package]\nversion = \"", '"');
    let npm = text("npm/package.json");
    let lockfile = text("npm/package-lock.json");
    let changelog = text("CHANGELOG.md");
    let versions = [
        after(
            &cargo,
            "pointsman = { path = \"crates/pointsman\", version = \"",
            '"',
        ),
        after(&npm, "\"version\": \"", '"'),
        after(&lockfile, "\"version\": \"", '"'),
        after(&changelog, "\n## ", ' '),
    ];
    assert_eq!(versions, [version; 4]);
}

#[test]
fn the_readme_is_short() {
    let lines = text("README.md").lines().count();
    assert!(lines <= README_LINES, "README.md has {lines} lines");
}

#[test]
fn no_file_is_long() {
    let long: Vec<String> = files()
        .into_iter()
        .filter(|path| !is_generated(path))
        .map(|path| (text(&path).lines().count(), path))
        .filter(|(lines, _)| *lines > LINES)
        .map(|(lines, path)| format!("{path} has {lines} lines"))
        .collect();
    assert_eq!(long, [""; 0]);
}

#[test]
fn no_file_has_a_name_that_says_nothing() {
    let mut named = files();
    named.retain(|path| {
        let mut parts = path.split('/');
        parts.any(|part| BANNED.contains(&part.split('.').next().unwrap_or(part)))
    });
    assert_eq!(named, [""; 0]);
}

#[test]
fn no_test_is_skipped_or_sleeps() {
    let in_rust = [concat!("#[", "ignore"), concat!("sleep", "(")];
    let in_javascript = [
        concat!(".", "skip("),
        concat!("skip", ": true"),
        concat!(".", "todo("),
        concat!("set", "Timeout("),
    ];
    let bad_in = |endings: &[&str], words: &[&str]| {
        let mut tests = files();
        tests.retain(|path| endings.iter().any(|ending| path.ends_with(ending)));
        places(&tests, |line| words.iter().any(|word| line.contains(word)))
    };
    assert_eq!(bad_in(&[".rs"], &in_rust), [""; 0]);
    assert_eq!(bad_in(&[".mjs", ".cjs"], &in_javascript), [""; 0]);
}

#[test]
fn no_file_names_a_registry_host_or_a_machine() {
    let words = [
        concat!("registry", ".npmjs"),
        concat!("index", ".crates.io"),
        concat!("static", ".crates.io"),
        concat!("files.", "pythonhosted"),
        concat!("deb", ".debian.org"),
        concat!("\"resolved\"", ":"),
        concat!("/ro", "ot/"),
        concat!("/wo", "rk/"),
    ];
    let bad = places(&files(), |line| {
        words.iter().any(|word| line.contains(word))
    });
    assert_eq!(bad, [""; 0]);
}
