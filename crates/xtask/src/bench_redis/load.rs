//! Connections that keep a server busy with the same calls, and what the server spent on them.

use crate::command::Outcome;
use std::collections::BTreeMap;
use tests::harness::resp::{Answer, Client, encoded};

/// Stands in an argument for a number of twelve digits that no call before had.
pub const ID: &str = "__id__";

/// As `redis-benchmark -c 50 -P 16`: so many connections, each with so many calls on their way.
pub const CONNECTIONS: usize = 50;
pub const DEPTH: usize = 16;

/// Commands that are sent one after the other, again and again.
pub struct Load {
    steps: Vec<Step>,
}

struct Step {
    bytes: Vec<u8>,
    /// Where the digits of an id stand in them.
    ids_at: Vec<usize>,
    /// The first word of each reply, where it matters.
    word: Option<&'static str>,
}

impl Load {
    /// One command a step, and the first word of its reply; without one any reply but an error will do.
    pub fn new(commands: &[(Vec<Vec<u8>>, Option<&'static str>)]) -> Self {
        let step = |(args, word): &(Vec<Vec<u8>>, Option<&'static str>)| Step::new(args, *word);
        Self {
            steps: commands.iter().map(step).collect(),
        }
    }
}

impl Step {
    fn new(args: &[Vec<u8>], word: Option<&'static str>) -> Self {
        let digits = "0".repeat(12);
        let filled: Vec<Vec<u8>> = args
            .iter()
            .map(|arg| match std::str::from_utf8(arg) {
                Ok(text) => text.replace(ID, &digits).into_bytes(),
                Err(_) => arg.clone(),
            })
            .collect();
        let mut ids_at = Vec::new();
        for (at, arg) in args.iter().enumerate() {
            if let Some(inside) = arg.windows(ID.len()).position(|part| part == ID.as_bytes()) {
                let before = encoded(&filled[..at]).len() - header(at);
                let own = format!("${}\r\n", filled[at].len()).len();
                ids_at.push(header(args.len()) + before + own + inside);
            }
        }
        Self {
            bytes: encoded(&filled),
            ids_at,
            word,
        }
    }

    fn write(&self, id: u64, batch: &mut Vec<u8>) {
        let begin = batch.len();
        batch.extend(&self.bytes);
        let digits = format!("{id:012}");
        for at in &self.ids_at {
            batch[begin + at..begin + at + 12].copy_from_slice(digits.as_bytes());
        }
    }
}

fn header(args: usize) -> usize {
    format!("*{args}\r\n").len()
}

/// The connections.
pub struct Driver {
    /// For what is not measured.
    control: Client,
    clients: Vec<Client>,
    next_id: u64,
}

impl Driver {
    /// Over as many connections as `connect` is asked for.
    pub fn new(connect: impl Fn() -> Client) -> Self {
        Self {
            control: connect(),
            clients: (0..CONNECTIONS).map(|_| connect()).collect(),
            next_id: 0,
        }
    }

    /// Sends a command, for what is not measured.
    pub fn ok<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Answer {
        self.control.ok(args)
    }

    /// Makes the server know a script, and returns its digest.
    pub fn load(&mut self, source: &str) -> String {
        self.control.ok(&["SCRIPT", "LOAD", source]).text()
    }

    /// Microseconds that one round of a load took, as the server's log of slow commands has it.
    pub fn slowest_us(&mut self, load: &Load) -> Outcome<f64> {
        self.control
            .ok(&["CONFIG", "SET", "slowlog-log-slower-than", "0"]);
        self.control.ok(&["SLOWLOG", "RESET"]);
        let sent = self.send(load, 1);
        let newest = self.control.ok(&["SLOWLOG", "GET", "1"]).array();
        self.control
            .ok(&["CONFIG", "SET", "slowlog-log-slower-than", "-1"]);
        sent?;
        match newest.into_iter().next() {
            Some(entry) => Ok(entry.array()[2].int() as f64),
            None => Err("the server has no log of slow commands".into()),
        }
    }

    /// Microseconds of the server's main thread for `times` rounds of a load.
    pub fn spend(&mut self, load: &Load, times: usize) -> Outcome<f64> {
        let before = self.used_us()?;
        self.send(load, times)?;
        Ok(self.used_us()? - before)
    }

    /// Which commands the scripts of a load call, and how often in each of its rounds.
    pub fn commands_inside(&mut self, load: &Load, times: usize) -> Outcome<Vec<(String, f64)>> {
        let before = self.calls();
        self.send(load, times)?;
        let mut inside = Vec::new();
        for (name, calls) in self.calls() {
            let more = calls - before.get(&name).copied().unwrap_or(0);
            if more > 0 && !["info", "evalsha"].contains(&name.as_str()) {
                inside.push((name.to_uppercase(), more as f64 / times as f64));
            }
        }
        Ok(inside)
    }

    fn send(&mut self, load: &Load, times: usize) -> Outcome<()> {
        let broken = |error| format!("the server is gone: {error}");
        let at_once = DEPTH.div_ceil(load.steps.len());
        let mut batch = Vec::new();
        let mut left = times;
        while left > 0 {
            let mut sent = Vec::new();
            for client in &mut self.clients {
                let rounds = left.min(at_once);
                left -= rounds;
                sent.push(rounds * load.steps.len());
                batch.clear();
                for _ in 0..rounds {
                    self.next_id += 1;
                    for step in &load.steps {
                        step.write(self.next_id, &mut batch);
                    }
                }
                client.send(&batch).map_err(broken)?;
            }
            for (client, sent) in self.clients.iter_mut().zip(sent) {
                for step in load.steps.iter().cycle().take(sent) {
                    check(&client.receive().map_err(broken)?, step.word)?;
                }
            }
        }
        Ok(())
    }

    fn used_us(&mut self) -> Outcome<f64> {
        let info = self.control.ok(&["INFO", "cpu"]).text();
        let used = |name: &str| {
            let line = info.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|value| value.parse::<f64>().ok())
                .ok_or_else(|| format!("INFO cpu has no {name}"))
        };
        let user = used("used_cpu_user_main_thread:")?;
        Ok((user + used("used_cpu_sys_main_thread:")?) * 1e6)
    }

    fn calls(&mut self) -> BTreeMap<String, u64> {
        let info = self.control.ok(&["INFO", "commandstats"]).text();
        info.lines()
            .filter_map(|line| {
                let (name, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
                let calls = rest.split(',').next()?.parse().ok()?;
                Some((name.to_string(), calls))
            })
            .collect()
    }
}

fn check(answer: &Answer, word: Option<&str>) -> Outcome<()> {
    let first = match answer {
        Answer::Array(elements) => elements.first(),
        other => Some(other),
    };
    let expected = match (first, word) {
        (Some(Answer::Error(_)), _) => false,
        (Some(Answer::Bytes(bytes)), Some(word)) => bytes == word.as_bytes(),
        (_, word) => word.is_none(),
    };
    match expected {
        true => Ok(()),
        false => Err(format!(
            "expected {}, got {answer:?}",
            word.unwrap_or("no error")
        )),
    }
}
