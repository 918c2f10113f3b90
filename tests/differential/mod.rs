//! Random histories, played to the core and to whatever runs the scripts: the same answers.

pub mod call;
pub mod clock;
pub mod driver;
pub mod lease;
pub mod least_used;
pub mod links;
pub mod no_repeat;
pub mod request_ids;
pub mod shuffle;
pub mod take;

use crate::seed::Draws;

/// Anything that runs a script of the bundle on one key.
pub trait Scripts {
    /// Runs a script, named as its file without `.lua`. An error reply is an `Err` with its text.
    fn run(&mut self, name: &str, key: &str, args: &[&[u8]]) -> Result<Vec<Reply>, String>;
}

/// An element of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// An integer.
    Int(i64),
    /// A string.
    Bytes(Vec<u8>),
}

/// A random history of one family of scripts, beside the core.
pub trait History {
    /// Asks the core and the scripts one more question of a random kind, and returns in one word
    /// what both answered. Panics where they differ, naming `draws`.
    fn step(&mut self, draws: &mut Draws, scripts: &mut dyn Scripts) -> &'static str;
}

/// A family of scripts: how its histories begin, and what must come out of them.
#[derive(Debug)]
pub struct Family {
    /// Its name, in reports.
    pub name: &'static str,
    /// Begins a history on a key that does not exist.
    pub begin: fn(key: &str, draws: &mut Draws) -> Box<dyn History>,
    /// Most steps of a history.
    pub steps: u64,
    /// What `step` may return that grants: together at least 30 % of all.
    pub grants: &'static [&'static str],
    /// What else it may return: each at least 5 % of all.
    pub others: &'static [&'static str],
}

/// Every family, each in its own file.
pub const FAMILIES: &[Family] = &[
    shuffle::FAMILY,
    least_used::FAMILY,
    no_repeat::FAMILY,
    links::FAMILY,
    lease::FAMILY,
    take::FAMILY,
];
