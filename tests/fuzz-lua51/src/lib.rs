//! Runs the scripts of the bundle in process: Lua as it is, `redis.call` in Rust, a hash a key.
//!
//! Every call is checked for what must hold of any: a refusal writes nothing, a write leaves an expiry,
//! and the others in `checks`.

mod audit;
mod checks;
mod hash;
mod sandbox;

pub mod run;

use checks::Run;
use hash::Hash;
use mlua::{Function, Lua, Table, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use tests::differential::{Reply, Scripts};

/// A reply, or the text of an error reply.
type Answer = Result<Vec<Reply>, String>;

/// How many keys are remembered: histories come one after the other.
const KEYS: usize = 16;

/// The scripts of a bundle, compiled, and the keys that they wrote.
pub struct InProcess {
    lua: Lua,
    globals: Table,
    scripts: BTreeMap<String, Function>,
    hashes: Vec<(String, Hash)>,
    run: Rc<RefCell<Run>>,
}

impl InProcess {
    /// Compiles every script of this `bundle.json`.
    pub fn new(bundle: &Path) -> Self {
        let text = std::fs::read(bundle)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", bundle.display()));
        let bundle: Vec<serde_json::Value> =
            serde_json::from_slice(&text).expect("bundle.json is an array");
        let lua = Lua::new();
        let run = Rc::new(RefCell::new(Run::default()));
        let globals = sandbox::globals(&lua, &run).expect("the sandbox is made");
        let compiled = |script: &serde_json::Value| {
            let text = |field: &str| script[field].as_str().expect("it is text").to_string();
            let chunk = lua
                .load(text("source"))
                .set_name(format!("={}", text("name")));
            let function = chunk.set_environment(globals.clone()).into_function();
            (text("name"), function.expect("every script compiles"))
        };
        let scripts = bundle.iter().map(compiled).collect();
        Self {
            lua,
            globals,
            scripts,
            hashes: Vec::new(),
            run,
        }
    }

    fn call(&self, name: &str, key: &str, args: &[&[u8]]) -> mlua::Result<Value> {
        let strings = |texts: &[&[u8]]| {
            let texts: mlua::Result<Vec<_>> = texts
                .iter()
                .map(|text| self.lua.create_string(text))
                .collect();
            self.lua.create_sequence_from(texts?)
        };
        self.globals.raw_set("KEYS", strings(&[key.as_bytes()])?)?;
        self.globals.raw_set("ARGV", strings(args)?)?;
        let script = self.scripts.get(name);
        script
            .unwrap_or_else(|| panic!("the bundle has no {name}"))
            .call(())
    }

    /// The hash of this key; of others only the latest are kept.
    fn take_hash(&mut self, key: &str) -> Hash {
        let known = self.hashes.iter().position(|(name, _)| name == key);
        if let Some(place) = known {
            return self.hashes.remove(place).1;
        }
        if self.hashes.len() == KEYS {
            self.hashes.remove(0);
        }
        Hash::default()
    }
}

impl InProcess {
    /// Runs a script on a hash, and checks what it did.
    fn run_on(
        &self,
        hash: Hash,
        now_ms: u64,
        name: &str,
        key: &str,
        args: &[&[u8]],
    ) -> (Hash, Answer) {
        *self.run.borrow_mut() = Run::new(key, hash, now_ms);
        let value = self.call(name, key, args);
        let run = self.run.take();
        let value = value.unwrap_or_else(|error| panic!("{name} failed: {error}"));
        let reply = sandbox::reply(value).unwrap_or_else(|error| panic!("{name}: {error}"));
        if let Err(broken) = run.check(name, &reply) {
            panic!("{name}: {broken}, at the reply {reply:?}");
        }
        (run.into_hash(), reply)
    }
}

impl Scripts for InProcess {
    /// Of some calls, always the same, the server's clock tells the instant; before others the same call
    /// comes too late.
    fn run(&mut self, name: &str, key: &str, args: &[&[u8]]) -> Answer {
        let mut hash = self.take_hash(key);
        let now = args.first().and_then(|now| std::str::from_utf8(now).ok());
        let now_ms: u64 = now
            .and_then(|now| now.parse().ok())
            .expect("an instant is first");
        let dice = args.iter().copied().flatten().fold(0_u32, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add((*byte).into())
        });
        let mut args = args.to_vec();
        if dice % 4 == 0 {
            args[0] = b"0";
        }
        // A deadline of 0 is none.
        if dice % 5 == 0 && now_ms > 1 {
            let before = (now_ms - 1).to_string();
            let late = [&[args[0], before.as_bytes()], &args[2..]].concat();
            let (unchanged, reply) = self.run_on(hash, now_ms, name, key, &late);
            let is_refused = reply.is_err_and(|text| text.starts_with("POINTSMAN_DEADLINE "));
            assert!(is_refused, "{name} runs after its deadline");
            hash = unchanged;
        }
        let (hash, reply) = self.run_on(hash, now_ms, name, key, &args);
        if dice % 64 == 0 {
            audit::audit(&hash).unwrap_or_else(|error| panic!("{name} left {error}"));
        }
        self.hashes.push((key.to_string(), hash));
        reply
    }
}
