//! Calls of scripts, in one line each.

use tests::harness::resp::{Answer, Client, evaluation};
use tests::harness::scripts::{self, Script};

/// The key that most tests use.
pub const KEY: &[u8] = b"pool";

/// A script with its arguments.
#[derive(Debug, Clone)]
pub struct Call {
    pub script: &'static Script,
    pub args: Vec<Vec<u8>>,
}

/// Reads a call from its words: `_` is an empty argument.
pub fn call(line: &str) -> Call {
    let mut words = line.split_whitespace();
    let name = words.next().expect("a call begins with a script");
    Call {
        script: scripts::named(name),
        args: words.map(|word| argument(word).to_vec()).collect(),
    }
}

fn argument(word: &str) -> &[u8] {
    match word {
        "_" => b"",
        word => word.as_bytes(),
    }
}

impl Call {
    /// The same call with another argument at a place, counted from 0.
    pub fn with(&self, at: usize, arg: &[u8]) -> Self {
        let mut changed = self.clone();
        changed.args[at] = arg.to_vec();
        changed
    }

    /// As EVAL, which needs no other command before it.
    pub fn eval(&self, keys: &[&[u8]]) -> Vec<Vec<u8>> {
        evaluation("EVAL", &self.script.source, keys, &self.args)
    }

    /// As EVALSHA, of a script that the server knows.
    pub fn evalsha(&self, keys: &[&[u8]]) -> Vec<Vec<u8>> {
        evaluation("EVALSHA", &self.script.sha1, keys, &self.args)
    }

    /// Runs it on a key as a client does, whatever the server knows.
    pub fn run_on(&self, client: &mut Client, key: &[u8]) -> Answer {
        client.evaluate(self.script, &[key], &self.args)
    }

    /// Runs it on `KEY`.
    pub fn run(&self, client: &mut Client) -> Answer {
        self.run_on(client, KEY)
    }
}

/// Runs a call on `KEY`, which must not be refused with an error.
pub fn run(client: &mut Client, line: &str) -> Answer {
    let answer = call(line).run(client);
    assert_eq!(answer.error(), None, "{line}");
    answer
}

/// Makes `KEY` what it is after some calls, from nothing.
pub fn prepare<L: AsRef<str>>(client: &mut Client, before: &[L]) {
    client.ok(&["FLUSHDB"]);
    for line in before {
        run(client, line.as_ref());
    }
}

/// The word that a reply begins with.
pub fn outcome(answer: &Answer) -> String {
    match answer {
        Answer::Array(elements) => elements[0].text(),
        Answer::Error(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

/// What tells whether anything was written: what the key holds, how many keys there are, and how many
/// changes the server has counted. (Reading alone moves the fields of a large hash about, and so its
/// DUMP may differ: the fields are compared, and the bytes of what is no hash.)
pub fn traces(client: &mut Client) -> (Vec<Answer>, Answer, String) {
    let commands: [&[&[u8]]; 4] = [
        &[b"HGETALL", KEY],
        &[b"DUMP", KEY],
        &[b"DBSIZE"],
        &[b"INFO", b"persistence"],
    ];
    let commands = commands.map(|words| words.iter().map(|word| word.to_vec()).collect());
    let answers = client.pipeline(&commands);
    let [hash, dump, size, info] = answers.try_into().expect("four commands, four replies");
    let held = match hash {
        Answer::Map(_) => panic!("ask in RESP2"),
        Answer::Array(fields) => sorted(&fields),
        _ => vec![dump],
    };
    let info = info.text();
    let changes = info.lines().find(|line| line.starts_with("rdb_changes"));
    let changes = changes.expect("INFO counts changes").to_string();
    (held, size, changes)
}

fn sorted(fields: &[Answer]) -> Vec<Answer> {
    let mut pairs: Vec<&[Answer]> = fields.chunks(2).collect();
    pairs.sort_by_key(|pair| pair[0].text());
    pairs.concat()
}
