//! The Lua scripts as they are shipped: one text a script and one SHA-1, in three files.

mod globals;
mod header;
mod include;
mod outputs;
mod rules;
mod tokens;

use crate::command::Outcome;
use crate::{read, root, write};
use header::{Header, Input};
use include::{Fragment, Fragments};
use serde::Serialize;
use std::path::Path;

/// What a script can be refused with: the word behind `POINTSMAN_`.
const ERRORS: [&str; 7] = ["ARG", "KEYS", "TYPE", "KIND", "FORMAT", "DEADLINE", "DATA"];

/// A script, as `lua/bundle.json` has it.
#[derive(Serialize)]
struct Script {
    name: String,
    about: String,
    /// Of the bytes of `source`.
    sha1: String,
    key: Input,
    args: Vec<Input>,
    returns: String,
    errors: Vec<String>,
    source: String,
}

/// Writes the bundle, or with `is_check` fails if it is not what the scripts make.
pub fn run(is_check: bool) -> Outcome<()> {
    let scripts = scripts(&root().join("lua"))?;
    let outputs = [
        ("lua/bundle.json", outputs::json(&scripts)?),
        (
            "crates/pointsman-redis/src/bundle.rs",
            outputs::rust(&scripts),
        ),
        ("npm/src/redis/bundle.ts", outputs::typescript(&scripts)),
    ];
    for (path, text) in outputs {
        if !is_check {
            write(&root().join(path), text)?;
        } else if std::fs::read(root().join(path)).ok() != Some(text.into_bytes()) {
            return Err(format!("{path} is out of date: run `cargo xtask bundle`"));
        }
    }
    let bytes: usize = scripts.iter().map(|script| script.source.len()).sum();
    println!("{} scripts, {bytes} bytes", scripts.len());
    Ok(())
}

/// Every script of the folder, in the order of their names, checked.
fn scripts(folder: &Path) -> Outcome<Vec<Script>> {
    let mut fragments = Fragments::new();
    for (name, text) in sources(&folder.join("include"))? {
        let fragment =
            Fragment::read(&text).map_err(|error| format!("lua/include/{name}.lua: {error}"))?;
        fragments.insert(name, fragment);
    }
    let sources = sources(folder)?.into_iter();
    sources
        .map(|(name, text)| {
            script(&name, &text, &fragments).map_err(|error| format!("lua/{name}.lua: {error}"))
        })
        .collect()
}

fn script(name: &str, text: &str, fragments: &Fragments) -> Outcome<Script> {
    let header = Header::read(name, text)?;
    let source = include::expand(text, fragments)?;
    rules::check(name, &header, &source)?;
    Ok(Script {
        name: name.to_string(),
        about: header.about,
        sha1: sha1_smol::Sha1::from(&source).digest().to_string(),
        key: header.key,
        args: header.args,
        returns: header.returns,
        errors: header.errors,
        source,
    })
}

/// Name and text of each Lua file of a folder, in the order of their names.
fn sources(folder: &Path) -> Outcome<Vec<(String, String)>> {
    let failed = |error: std::io::Error| format!("cannot list {}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_stem().and_then(|stem| stem.to_str());
        if let (Some(name), Some("lua")) = (name, path.extension().and_then(|end| end.to_str())) {
            let text = String::from_utf8(read(&path)?);
            let text = text.map_err(|_| format!("{} is not UTF-8", path.display()))?;
            found.push((name.to_string(), text));
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shipped_has_one_comment_and_the_digest_of_its_exact_bytes() {
        let text = "\
-- x: about
--
-- KEYS[1] key hash about
-- ARGV[1] a int about
-- Returns {\"y\", 1, now_ms}
-- Errors POINTSMAN_ARG

-- Why.
local refuse = redis.call('TIME')
return {'y', 1, refuse('ARG')}
";
        let script = script("x", text, &Fragments::new()).unwrap();
        let shipped = "\
-- x: about
local refuse = redis.call('TIME')
return {'y', 1, refuse('ARG')}
";
        assert_eq!(script.source, shipped);
        // The shipped lines through sha1sum.
        assert_eq!(script.sha1, "8977f8ba0933d5812e959c8f0745613f5af3db50");
    }
}
