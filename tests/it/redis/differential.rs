//! Random histories on a server: it answers as the core does.

use tests::differential::{FAMILIES, Family, driver};
use tests::harness::server::{Kind, Server};

/// Questions to the server of the whole count; the others get a tenth.
fn steps() -> u64 {
    if driver::is_long() { 200_000 } else { 100_000 }
}

fn play(kind: Kind, steps: u64) {
    let server = Server::start(kind);
    let families: Vec<&Family> = FAMILIES.iter().collect();
    driver::play(&mut server.client(), &families, steps);
}

#[test]
fn redis_7_answers_as_the_core_does() {
    play(Kind::Redis7, steps());
}

#[test]
fn the_other_servers_answer_as_the_core_does() {
    for kind in Kind::ALL {
        if kind != Kind::Redis7 {
            println!("{kind:?}");
            play(kind, steps() / 10);
        }
    }
}
