//! Every outcome that a script has, each with the whole reply. The values are worked out by hand.

mod inspect;
mod leases;
pub mod limits;
pub mod links;
pub mod rotation;
pub mod used;

/// A call, after some others on the same key, and what it answers.
pub struct Row {
    pub before: &'static [&'static str],
    pub call: &'static str,
    /// The elements of the reply: integers as they are, texts as they are, or in quotes where they
    /// would look like integers.
    pub reply: &'static str,
    pub writes: bool,
}

const fn writes(before: &'static [&'static str], call: &'static str, reply: &'static str) -> Row {
    Row {
        before,
        call,
        reply,
        writes: true,
    }
}

const fn refuses(before: &'static [&'static str], call: &'static str, reply: &'static str) -> Row {
    Row {
        before,
        call,
        reply,
        writes: false,
    }
}

/// Every row.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    let families = [
        used::ROWS,
        leases::ROWS,
        rotation::ROWS,
        links::ROWS,
        limits::ROWS,
        limits::SEVERAL,
        inspect::ROWS,
    ];
    families.into_iter().flatten()
}
