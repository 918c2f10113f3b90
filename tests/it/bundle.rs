//! What is shipped: one text and one digest a script, in three files and in the packed crate.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use tests::harness::server::{Kind, Server};

/// Name, digest and text.
type Script = (String, String, String);

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

fn bundle() -> Vec<Script> {
    let bundle: Vec<Value> = serde_json::from_str(&read("lua/bundle.json")).unwrap();
    let text = |script: &Value, field: &str| script[field].as_str().unwrap().to_string();
    let scripts = bundle.iter().map(|script| {
        let [name, sha1, source] = ["name", "sha1", "source"].map(|field| text(script, field));
        (name, sha1, source)
    });
    scripts.collect()
}

/// The scripts of a generated file: its fields are string literals, one a line, as JSON has them.
fn literals(text: &str) -> Vec<Script> {
    let field = |name: &str| -> Vec<String> {
        let lines = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix(&format!("{name}: ")));
        lines
            .map(|literal| serde_json::from_str(literal.trim_end_matches(',')).unwrap())
            .collect()
    };
    let (names, digests, sources) = (field("name"), field("sha1"), field("source"));
    assert_eq!((names.len(), digests.len()), (sources.len(), sources.len()));
    let pairs = names.into_iter().zip(digests).zip(sources);
    pairs
        .map(|((name, sha1), source)| (name, sha1, source))
        .collect()
}

/// Runs a program in the repository, and returns what it printed.
fn run(program: &str, args: &[&str]) -> String {
    let output = Command::new(program)
        .current_dir(root())
        .args(args)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {told}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_same_bytes_are_in_the_bundle_and_in_both_packages() {
    let bundle = bundle();
    assert!(bundle.len() >= 15, "{} scripts", bundle.len());
    assert_eq!(
        literals(&read("crates/pointsman-redis/src/bundle.rs")),
        bundle
    );
    assert_eq!(literals(&read("npm/src/redis/bundle.ts")), bundle);
}

#[test]
fn the_packed_crate_holds_the_same_bytes() {
    let target = std::env::temp_dir().join(format!("pointsman-packed-{}", std::process::id()));
    let folder = target.to_str().unwrap();
    let packages = ["--package", "pointsman", "--package", "pointsman-redis"];
    let how = [
        "package",
        "--quiet",
        "--offline",
        "--no-verify",
        "--allow-dirty",
        "--target-dir",
        folder,
    ];
    run("cargo", &[&how[..], &packages].concat());
    let cargo = read("Cargo.toml");
    let (_, version) = cargo
        .split_once("[workspace.package]\nversion = \"")
        .unwrap();
    let name = format!("pointsman-redis-{}", version.split('"').next().unwrap());
    let archive = format!("{folder}/package/{name}.crate");
    let packed = run(
        "tar",
        &["-xzOf", &archive, &format!("{name}/src/bundle.rs")],
    );
    std::fs::remove_dir_all(target).unwrap();
    assert_eq!(literals(&packed), bundle());
}

#[test]
fn the_digest_is_the_one_by_which_a_server_knows_the_script() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    for (name, sha1, source) in bundle() {
        let known = client.command(&["SCRIPT", "LOAD", &source]).text();
        assert_eq!(known, sha1, "{name}");
    }
}
