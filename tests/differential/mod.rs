//! Random histories, played to the core and to whatever runs the scripts: the same answers.

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
