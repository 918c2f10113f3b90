//! Random histories over the scripts under Lua 5.4, as Dragonfly has it.

#[path = "../../fuzz-lua51/src/lib.rs"]
mod in_process;

fn main() {
    in_process::run::main();
}
