//! What a script can reach: a few globals, and `redis` with the commands of the bundle.

use super::checks::Run;
use super::hash::Hash;
use mlua::{Error, Lua, Result, Table, Value, Variadic};
use std::cell::RefCell;
use std::rc::Rc;
use tests::differential::Reply;

/// Whole numbers are exact below it.
const EXACT: i64 = 1 << 53;

/// From here on, whole numbers are sent as text.
const AS_TEXT: i64 = 1 << 52;

/// As a server protects them: reading what is not there and writing any are errors. Formatting a
/// number that is not whole, not exact or -0 is one too.
const GLOBALS: &str = "
local redis, nothing = ...
local function pick(library, names)
  local picked = {}
  for name in string.gmatch(names, '%a+') do picked[name] = library[name] end
  return picked
end
local format = string.format
local strings = pick(string, 'byte char find gmatch gsub match rep sub')
function strings.format(pattern, ...)
  for i = 1, select('#', ...) do
    local n = select(i, ...)
    if type(n) == 'number' and (n % 1 ~= 0 or n >= 2^53 or n <= -2^53 or n == 0 and 1 / n < 0) then
      error('the number ' .. format('%.17g', n) .. ' is formatted')
    end
  end
  return format(pattern, ...)
end
local globals = {
  redis = redis, string = strings, math = pick(math, 'ceil floor huge max min'),
  table = pick(table, 'concat insert remove unpack'), unpack = unpack or table.unpack,
  tonumber = tonumber, ipairs = ipairs, pairs = pairs, type = type, select = select,
}
return setmetatable(globals, {
  __index = function(_, name) error('the global ' .. name .. ' is read') end,
  __newindex = function(_, name) error('the global ' .. name .. ' is written') end,
})
";

/// The globals of every script; `run` is the one that runs.
pub fn globals(lua: &Lua, run: &Rc<RefCell<Run>>) -> Result<Table> {
    let redis = lua.create_table()?;
    for name in ["call", "pcall"] {
        let run = run.clone();
        let call =
            move |lua: &Lua, args: Variadic<Value>| command(lua, &mut run.borrow_mut(), &args);
        redis.set(name, lua.create_function(call)?)?;
    }
    let error = |lua: &Lua, text: mlua::String| {
        let reply = lua.create_table()?;
        reply.set("err", text)?;
        Ok(reply)
    };
    redis.set("error_reply", lua.create_function(error)?)?;
    lua.load(GLOBALS).call(redis)
}

/// What the script returned, as a client gets it; an error of the outer kind is a fault.
pub fn reply(value: Value) -> std::result::Result<std::result::Result<Vec<Reply>, String>, String> {
    let Value::Table(table) = value else {
        return Err(format!("the reply is {}", value.type_name()));
    };
    let fault = |error: Error| error.to_string();
    let error: Value = table.raw_get("err").map_err(fault)?;
    if let Value::String(text) = error {
        return Ok(Err(text.to_string_lossy()));
    }
    let elements = table
        .sequence_values::<Value>()
        .map(|value| element(value.map_err(fault)?));
    let elements = elements.collect::<std::result::Result<Vec<Reply>, String>>()?;
    match table.pairs::<Value, Value>().count() == elements.len() {
        true => Ok(Ok(elements)),
        false => Err(format!("the reply has something behind {elements:?}")),
    }
}

/// A float, even a whole one, would be text for a client of Dragonfly.
fn element(value: Value) -> std::result::Result<Reply, String> {
    match value {
        Value::Integer(n) if n.abs() < AS_TEXT => Ok(Reply::Int(n)),
        Value::Integer(n) => Err(format!("{n} is not sent as text")),
        Value::String(text) => Ok(Reply::Bytes(text.as_bytes().to_vec())),
        other => Err(format!("{other:?} is in the reply")),
    }
}

/// A number that is whole and exact.
fn whole(value: &Value) -> Option<i64> {
    match *value {
        Value::Integer(n) => Some(n),
        Value::Number(n) if n % 1.0 == 0.0 && n.abs() < EXACT as f64 => Some(n as i64),
        _ => None,
    }
}

/// An argument of a command: numbers become decimal, as on the server as long as they are whole.
fn argument(value: &Value) -> Result<Vec<u8>> {
    match (whole(value), value) {
        (Some(n), _) if n.abs() < EXACT => Ok(n.to_string().into_bytes()),
        (_, Value::String(text)) => Ok(text.as_bytes().to_vec()),
        _ => Err(fault(format!("{value:?} is an argument of a command"))),
    }
}

fn fault(text: impl Into<String>) -> Error {
    Error::runtime(text.into())
}

fn command(lua: &Lua, run: &mut Run, args: &[Value]) -> Result<Value> {
    let args = args.iter().map(argument).collect::<Result<Vec<_>>>()?;
    let [command, rest @ ..] = &args[..] else {
        return Err(fault("a call without a command"));
    };
    if command == b"TIME" {
        if std::mem::replace(&mut run.knows_time, true) {
            return Err(fault("TIME is asked twice"));
        }
        let seconds = (run.server_ms / 1000).to_string();
        let micros = (run.server_ms % 1000 * 1000 + 999).to_string();
        return Ok(Value::Table(lua.create_sequence_from([seconds, micros])?));
    }
    let [key, rest @ ..] = rest else {
        return Err(fault("a command without a key"));
    };
    if *key != run.key {
        return Err(fault("a command on another key"));
    }
    let command = std::str::from_utf8(command).map_err(|_| fault("a command is a word"))?;
    match command {
        "HSET" | "HDEL" | "PEXPIRE" => written(run, command, rest).map(Value::Integer),
        _ => read(lua, run, command, rest),
    }
}

fn written(run: &mut Run, command: &str, args: &[Vec<u8>]) -> Result<i64> {
    let count = |done: usize| Ok(done as i64);
    match (command, args) {
        ("HSET", [_, _, ..]) if args.len() % 2 == 0 => {
            run.write("HSET");
            let set = |pair: &&[Vec<u8>]| run.set(&pair[0], &pair[1]);
            count(args.chunks(2).filter(set).count())
        }
        ("HDEL", [_, ..]) => {
            run.write("HDEL");
            count(args.iter().filter(|field| run.hash.remove(field)).count())
        }
        ("PEXPIRE", [life]) => {
            run.write("PEXPIRE");
            let life_ms = std::str::from_utf8(life)
                .ok()
                .and_then(|text| text.parse::<u64>().ok());
            let life_ms = life_ms.filter(|life_ms| *life_ms > 0);
            let life_ms = life_ms.ok_or_else(|| fault("a life that is not above 0"))?;
            count(run.expire(life_ms).into())
        }
        _ => Err(fault(format!("{command} with {} arguments", args.len()))),
    }
}

fn read(lua: &Lua, run: &Run, command: &str, args: &[Vec<u8>]) -> Result<Value> {
    let nothing = Hash::default();
    let hash = if run.exists() { &run.hash } else { &nothing };
    let value = |field: &Vec<u8>| match hash.value(field) {
        Some(value) => lua.create_string(value).map(Value::String),
        None => Ok(Value::Boolean(false)),
    };
    match (command, args) {
        ("HGET", [field]) => value(field),
        ("HMGET", [_, ..]) => {
            let values = args.iter().map(value).collect::<Result<Vec<_>>>()?;
            lua.create_sequence_from(values).map(Value::Table)
        }
        ("HGETALL", []) => {
            let all = hash.fields().flat_map(|(field, value)| [field, value]);
            let all = all
                .map(|text| lua.create_string(text))
                .collect::<Result<Vec<_>>>()?;
            lua.create_sequence_from(all).map(Value::Table)
        }
        ("HLEN", []) => Ok(Value::Integer(hash.fields().count() as i64)),
        ("EXISTS", []) => Ok(Value::Integer(run.exists().into())),
        ("PTTL", []) => {
            let left = hash
                .expires_ms()
                .map(|expires_ms| (expires_ms - run.clock_ms) as i64);
            Ok(Value::Integer(left.unwrap_or(if run.exists() {
                -1
            } else {
                -2
            })))
        }
        ("TYPE", []) => {
            let status = lua.create_table()?;
            status.set("ok", if run.exists() { "hash" } else { "none" })?;
            Ok(Value::Table(status))
        }
        _ => Err(fault(format!(
            "{command} with {} arguments is not known",
            args.len()
        ))),
    }
}
