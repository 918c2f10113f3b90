//! Plays histories, counts what comes of them, and tells a difference so that it can be replayed.

use super::{Family, Reply, Scripts};
use crate::seed::Draws;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// How often a long run says how far it is.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many calls before a difference are shown.
const SHOWN: usize = 12;

/// How many other histories are tried for a shorter one that differs too.
const SHORTER: u64 = 2_000;

/// How often each word came out.
type Counts = BTreeMap<&'static str, u64>;

/// Where a difference was found.
struct Difference {
    seed: u64,
    step: u64,
    calls: Vec<String>,
    told: String,
}

/// Whether the full counts are wanted: `cargo xtask test --long` says so.
pub fn is_long() -> bool {
    std::env::var_os("POINTSMAN_LONG").is_some_and(|value| value == "1")
}

fn is_replay() -> bool {
    std::env::var_os("POINTSMAN_SEED").is_some()
}

/// Plays `steps` questions, as many of each family, to the scripts and to the core, and prints what
/// came out. Panics at a difference, and where an outcome is rarer than it must be.
pub fn play(scripts: &mut dyn Scripts, families: &[&Family], steps: u64) {
    for family in families {
        let seed = Draws::fresh(family.name).seed();
        let counts = play_family(scripts, family, seed, steps / families.len() as u64);
        println!("{}", table(family, &counts));
        let rare = too_rare(family, &counts);
        assert!(rare.is_empty(), "{}: too rare: {rare:?}", family.name);
    }
}

/// History after history until there are enough steps. Number i has the seed `seed` + i, so that
/// each can be replayed alone: as the first one, which is then long enough.
fn play_family(scripts: &mut dyn Scripts, family: &Family, seed: u64, steps: u64) -> Counts {
    let mut counts = Counts::new();
    let mut lengths = Draws::seeded(family.name, !seed);
    let (mut done, mut number) = (0, 0);
    let mut said = Instant::now();
    while done < steps {
        // The first ones are of full length, where that leaves most of the steps to others.
        let is_full = match is_replay() {
            true => number == 0,
            false => number < 3 && steps > 30 * family.steps,
        };
        let length = match is_full {
            true => family.steps,
            false => length(&mut lengths, family.steps.min(steps / 30)),
        };
        let seed = seed.wrapping_add(number);
        if let Err(difference) = history(scripts, family, seed, length, &mut counts) {
            report(scripts, family, number, difference);
        }
        done += length;
        number += 1;
        if said.elapsed() > PATIENCE {
            println!("   {}: {done} of {steps}", family.name);
            said = Instant::now();
        }
    }
    counts
}

/// Twice as many histories of half the length, and so on, so that a few long ones do not make the
/// table.
fn length(draws: &mut Draws, longest: u64) -> u64 {
    let halvings = (1 + draws.below(15)).ilog2();
    1 + draws.below(1 + (longest >> halvings))
}

/// One history of that many steps.
fn history(
    scripts: &mut dyn Scripts,
    family: &Family,
    seed: u64,
    steps: u64,
    counts: &mut Counts,
) -> Result<(), Difference> {
    let mut draws = Draws::seeded(family.name, seed);
    let key = format!("differential:{}:{seed:016x}", family.name);
    let mut history = (family.begin)(&key, &mut draws);
    let mut recorder = Recorder {
        scripts,
        calls: VecDeque::new(),
    };
    for step in 0..steps {
        let answer = catch_unwind(AssertUnwindSafe(|| history.step(&mut draws, &mut recorder)));
        let word = answer.map_err(|panic| Difference {
            seed,
            step,
            calls: recorder.shown(),
            told: told(panic),
        })?;
        *counts.entry(word).or_default() += 1;
    }
    Ok(())
}

/// Looks for a shorter history that differs, then panics with all that is needed to replay it.
fn report(scripts: &mut dyn Scripts, family: &Family, number: u64, first: Difference) -> ! {
    let mut shortest = first;
    for other in 1..=SHORTER {
        if shortest.step == 0 {
            break;
        }
        let seed = shortest.seed.wrapping_add(other);
        if let Err(found) = history(scripts, family, seed, shortest.step, &mut Counts::new()) {
            shortest = found;
        }
    }
    panic!(
        "{}, history {number}: a difference at step {} with POINTSMAN_SEED={}; the last calls:\n{}\n{}",
        family.name,
        shortest.step,
        shortest.seed,
        shortest.calls.join("\n"),
        shortest.told
    );
}

fn told(panic: Box<dyn std::any::Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => match panic.downcast::<&str>() {
            Ok(text) => text.to_string(),
            Err(panic) => resume_unwind(panic),
        },
    }
}

/// Words of the family that came too seldom, or that it does not name; few steps prove nothing.
fn too_rare(family: &Family, counts: &Counts) -> Vec<String> {
    let all: u64 = counts.values().sum();
    let count = |word: &&str| counts.get(word).copied().unwrap_or(0);
    let mut wrong: Vec<String> = (counts.keys())
        .filter(|word| !family.grants.contains(word) && !family.others.contains(word))
        .map(|word| format!("{word} is not named by the family"))
        .collect();
    if all < 10_000 {
        return wrong;
    }
    // A smaller sample wanders; the same histories are counted exactly where there are more.
    let nearly = if all < 100_000 { 90 } else { 100 };
    let grants: u64 = family.grants.iter().map(count).sum();
    if grants * 10_000 < all * 30 * nearly {
        wrong.push(format!("grants are {grants} of {all}"));
    }
    let rare = family
        .others
        .iter()
        .filter(|word| count(word) * 10_000 < all * 5 * nearly);
    wrong.extend(rare.map(|word| format!("{word} is {} of {all}", count(word))));
    wrong
}

fn table(family: &Family, counts: &Counts) -> String {
    let all: u64 = counts.values().sum();
    let share = |(word, count): (&&str, &u64)| {
        format!(
            "{word} {count} ({:.1} %)",
            100.0 * *count as f64 / all as f64
        )
    };
    let shares: Vec<String> = counts.iter().map(share).collect();
    format!("{}: {all} steps: {}", family.name, shares.join(", "))
}

/// A script, its arguments, and what it answered.
type Asked = (String, Vec<Vec<u8>>, Result<Vec<Reply>, String>);

/// Passes calls on, and remembers the last ones.
struct Recorder<'a> {
    scripts: &'a mut dyn Scripts,
    calls: VecDeque<Asked>,
}

impl Scripts for Recorder<'_> {
    fn run(&mut self, name: &str, key: &str, args: &[&[u8]]) -> Result<Vec<Reply>, String> {
        let reply = self.scripts.run(name, key, args);
        if self.calls.len() == SHOWN {
            self.calls.pop_front();
        }
        let args = args.iter().map(|arg| arg.to_vec()).collect();
        self.calls
            .push_back((name.to_string(), args, reply.clone()));
        reply
    }
}

impl Recorder<'_> {
    fn shown(&self) -> Vec<String> {
        let text = |bytes: &Vec<u8>| format!("\"{}\"", bytes.escape_ascii());
        let calls = self.calls.iter().map(|(name, args, reply)| {
            let args: Vec<String> = args.iter().map(text).collect();
            let reply = reply.as_ref().map(|elements| {
                let elements = elements.iter().map(|element| match element {
                    Reply::Int(n) => n.to_string(),
                    Reply::Bytes(bytes) => text(bytes),
                });
                elements.collect::<Vec<_>>().join(" ")
            });
            format!("  {name} {} -> {reply:?}", args.join(" "))
        });
        calls.collect()
    }
}
