//! Random histories over the scripts, run in process by the million.

fn main() {}
