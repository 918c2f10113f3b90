//! Random histories over the scripts under Lua 5.1, as Redis has it.

fn main() {
    fuzz_lua51::run::main();
}
