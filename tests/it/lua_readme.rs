//! What `lua/README.md` shows is run as it stands, and prints what stands there.

use std::fmt::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, process};
use tests::harness::server::{Kind, Server, servers};
use tests::harness::{scripts, user};

fn lua() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../lua")
}

fn readme() -> String {
    fs::read_to_string(lua().join("README.md")).unwrap()
}

/// The blocks of code that begin a line: language and text.
fn blocks(readme: &str) -> Vec<(&str, &str)> {
    let fenced = readme.split("\n```").skip(1).step_by(2);
    fenced
        .map(|block| block.split_once('\n').expect("a block has lines"))
        .collect()
}

/// A folder that looks like a clone, in which `redis-cli` speaks to this server, as in a terminal.
struct Terminal {
    folder: PathBuf,
    port: String,
}

impl Terminal {
    fn at(server: &Server) -> Self {
        let name = format!("pointsman-readme-{}", process::id());
        let folder = env::temp_dir().join(name);
        fs::create_dir_all(folder.join("bin")).unwrap();
        symlink(lua(), folder.join("lua")).unwrap();
        let port = server.address().port().to_string();
        let program = folder.join("bin/redis-cli");
        let installed = "/usr/bin/redis-cli";
        let there = Path::new(installed).exists();
        assert!(there, "no {installed}: run `cargo xtask servers`");
        let text = format!("#!/bin/sh\nexec {installed} -p {port} --no-raw \"$@\"\n");
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder, port }
    }

    /// Runs the commands of a block one after another, and returns it with what they print.
    fn played(&self, block: &str) -> String {
        let mut commands: Vec<String> = Vec::new();
        for line in block.lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                commands.push(command.into());
            } else if let Some(more) = line.strip_prefix("> ") {
                let command = commands.last_mut().expect("a command goes on");
                write!(command, "\n{more}").unwrap();
            }
        }
        let mut shown = String::new();
        for command in commands {
            writeln!(shown, "$ {}", command.replace('\n', "\n> ")).unwrap();
            let bin = self.folder.join("bin").display().to_string();
            let path = format!("{bin}:{}", env::var("PATH").unwrap());
            let mut shell = Command::new("sh");
            shell.args(["-c", &command]).env("PATH", path);
            shown += &self.printed(&mut shell);
        }
        shown
    }

    /// Runs a program in Python, and returns what it prints.
    fn python(&self, program: &str) -> String {
        let redis_py = servers().join("redis-py");
        let there = redis_py.join("redis").exists();
        assert!(
            there,
            "no {}: run `cargo xtask servers`",
            redis_py.display()
        );
        assert!(program.contains("6379"), "{program}");
        let program = program.replace("6379", &self.port);
        let mut python = Command::new("python3");
        python
            .args(["-c", &program])
            .env("PYTHONPATH", redis_py)
            .env("PYTHONDONTWRITEBYTECODE", "1");
        self.printed(&mut python)
    }

    fn printed(&self, command: &mut Command) -> String {
        let command = command.current_dir(&self.folder).stdin(Stdio::null());
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && told.is_empty(),
            "{command:?}: {told}"
        );
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let removed = fs::remove_dir_all(&self.folder);
        if let Err(error) = removed {
            eprintln!("{}: {error}", self.folder.display());
        }
    }
}

/// A text whose times are of no matter: `#` for each digit of a number of four or more.
fn timeless(text: &str) -> String {
    let parts = text.split_inclusive(|c: char| !c.is_ascii_digit());
    let hidden = parts.map(|part| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        match part.len() - rest.len() {
            digits @ 4.. => "#".repeat(digits) + rest,
            _ => part.into(),
        }
    });
    hidden.collect()
}

#[test]
fn every_block_prints_what_stands_there() {
    let readme = readme();
    let blocks = blocks(&readme);
    for kind in Kind::ALL {
        let server = Server::start(kind);
        let terminal = Terminal::at(&server);
        let (mut in_the_shell, mut in_python) = (0, 0);
        for (at, (language, text)) in blocks.iter().enumerate() {
            match *language {
                "console" => {
                    assert_eq!(timeless(&terminal.played(text)), timeless(&ended(text)));
                    in_the_shell += 1;
                }
                "python" => {
                    let (next, shown) = blocks[at + 1];
                    assert_eq!(next, "text");
                    assert_eq!(timeless(&terminal.python(text)), timeless(&ended(shown)));
                    in_python += 1;
                }
                "text" => {}
                other => panic!("a block in {other:?}"),
            }
        }
        assert!(in_the_shell >= 6 && in_python == 2, "{kind:?}");
    }
}

/// The text of a block with the end of its last line.
fn ended(text: &str) -> String {
    format!("{text}\n")
}

#[test]
fn each_script_and_each_outcome_and_each_error_is_told() {
    let readme = readme();
    let bundle = fs::read_to_string(lua().join("bundle.json")).unwrap();
    let bundle: Vec<serde_json::Value> = serde_json::from_str(&bundle).unwrap();
    let mut rows = readme.lines().filter(|line| line.starts_with("| `"));
    for script in &bundle {
        let [name, about] = ["name", "about"].map(|field| script[field].as_str().unwrap());
        assert_eq!(
            rows.next(),
            Some(format!("| `{name}` | {about} |").as_str())
        );
        for error in script["errors"].as_array().unwrap() {
            let row = format!("\n| `{}` |", error.as_str().unwrap());
            assert!(readme.contains(&row), "{row}");
        }
    }
    for outcome in scripts::all().iter().flat_map(|script| &script.outcomes) {
        assert!(readme.contains(&format!("`{outcome}`")), "{outcome}");
    }
}

#[test]
fn the_user_is_the_one_that_the_tests_are() {
    let line = format!(" ~limits:* {}\n", user::COMMANDS);
    assert!(readme().contains(&line), "{line}");
}
