//! The user of Redis that the README tells people to make.

use super::resp::Client;

/// What a user who runs the scripts must be allowed, as `lua/README.md` has it: commands inside a
/// script are checked one by one.
pub const COMMANDS: &str = "-@all +eval +evalsha +time +exists +hget +hmget +hset +hdel +pexpire";

/// Makes a user who may do that to one key, and no more. Ask with an administrator's connection.
pub fn make(administrator: &mut Client, name: &str, key: &str) {
    let key = format!("~{key}");
    let fixed = [
        "ACL",
        "SETUSER",
        name,
        "reset",
        "on",
        ">secret",
        "resetchannels",
        &key,
    ];
    let command: Vec<&str> = fixed.into_iter().chain(COMMANDS.split(' ')).collect();
    administrator.ok(&command);
}
