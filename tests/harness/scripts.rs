//! The scripts as they are shipped, from `lua/bundle.json`.

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A script as it is sent.
#[derive(Debug)]
pub struct Script {
    /// Its operation: the file's name without `.lua`.
    pub name: String,
    /// Its text.
    pub source: String,
    /// The digest by which EVALSHA knows it.
    pub sha1: String,
    /// The names of its arguments, in their order.
    pub args: Vec<String>,
    /// How many of them, the last ones, come together any number of times.
    pub repeating: usize,
    /// The words that its replies begin with.
    pub outcomes: Vec<String>,
}

/// Every script there is, by name.
pub fn all() -> &'static [Script] {
    static ALL: OnceLock<Vec<Script>> = OnceLock::new();
    ALL.get_or_init(|| {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../lua/bundle.json");
        let text = fs::read_to_string(path).expect("lua/bundle.json: run `cargo xtask bundle`");
        let bundle: Value = serde_json::from_str(&text).expect("lua/bundle.json is JSON");
        list(&bundle).iter().map(script).collect()
    })
}

/// The script of this operation.
pub fn named(name: &str) -> &'static Script {
    let found = all().iter().find(|script| script.name == name);
    found.unwrap_or_else(|| panic!("{name} is not in lua/bundle.json: run `cargo xtask bundle`"))
}

fn script(described: &Value) -> Script {
    let text = |field: &str| text(&described[field]);
    let args = list(&described["args"]);
    Script {
        name: text("name"),
        source: text("source"),
        sha1: text("sha1"),
        args: args.iter().map(|arg| self::text(&arg["name"])).collect(),
        outcomes: words_after(&text("returns"), "{\""),
        repeating: args.iter().filter(|arg| arg["repeats"] == true).count(),
    }
}

/// The words of letters that follow a mark.
fn words_after(text: &str, mark: &str) -> Vec<String> {
    let is_letter = |c: &char| c.is_ascii_lowercase() || *c == '_';
    let after = text.split(mark).skip(1);
    after
        .map(|rest| rest.chars().take_while(is_letter).collect())
        .collect()
}

fn text(value: &Value) -> String {
    let text = value.as_str();
    text.expect("lua/bundle.json has a text there").into()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("lua/bundle.json has a list there")
}
