//! What must hold of all fields of a key together: nothing is kept that is out of reach.

use super::hash::Hash;
use std::collections::HashSet;

/// What does not hold.
pub fn audit(hash: &Hash) -> Result<(), String> {
    let state = hash.value(b"s").map(String::from_utf8_lossy);
    let family = state.as_deref().and_then(|state| state.split(' ').next());
    match family {
        Some("links") => links(hash),
        Some("used") => ids(hash).and_then(|()| members(hash)),
        Some("repeat" | "shuffle" | "take") => ids(hash),
        Some("lease") => leases(hash),
        _ => Ok(()),
    }
}

/// Names of the fields with this beginning, without it.
fn names<'a>(hash: &'a Hash, beginning: &str) -> HashSet<&'a [u8]> {
    let fields = hash.fields().map(|(field, _)| field);
    fields
        .filter_map(|field| field.strip_prefix(beginning.as_bytes()))
        .collect()
}

/// `q:<number>` is `<instant> <id>`, `i:<id>` is `<number> <answer>`: each leads to the other.
fn ids(hash: &Hash) -> Result<(), String> {
    let numbers = names(hash, "q:");
    let ids = names(hash, "i:");
    let leads_back = |number: &&&[u8]| {
        let entry = hash.value(&[b"q:", **number].concat())?;
        let id = &entry[entry.iter().position(|byte| *byte == b' ')? + 1..];
        let answer = hash.value(&[b"i:", id].concat())?;
        Some(answer.split(|byte| *byte == b' ').next() == Some(**number))
    };
    let lost = numbers
        .iter()
        .filter(|number| leads_back(number) != Some(true))
        .count();
    match lost == 0 && ids.len() == numbers.len() {
        true => Ok(()),
        false => Err(format!(
            "{} ids, {} numbers, {lost} lead nowhere",
            ids.len(),
            numbers.len()
        )),
    }
}

/// `k` names those that have a field `u:`, a line each.
fn members(hash: &Hash) -> Result<(), String> {
    let lines = hash
        .value(b"k")
        .unwrap_or_default()
        .split(|byte| *byte == b'\n');
    let named: HashSet<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    match named == names(hash, "u:") {
        true => Ok(()),
        false => Err("the names in field k are not those of the fields u:".into()),
    }
}

/// From the first to the last, as many as field `s` says: each names the next.
fn links(hash: &Hash) -> Result<(), String> {
    let fields = names(hash, "m:").len();
    let state = String::from_utf8_lossy(hash.value(b"s").unwrap_or_default());
    let parts: Vec<&str> = state.split(' ').collect();
    let (held, first, last) = (parts[4], parts[6], parts[7]);
    let (mut link, mut count) = (first.to_string(), 0);
    while let Some(text) = hash.value(format!("m:{link}").as_bytes()) {
        count += 1;
        if link == last || count > fields {
            break;
        }
        let next = String::from_utf8_lossy(text)
            .split(' ')
            .nth(2)
            .map(str::to_string);
        link = next.unwrap_or_default();
    }
    match count == fields && held == fields.to_string() && (fields == 0 || link == last) {
        true => Ok(()),
        false => Err(format!(
            "{fields} links, {held} held, {count} from the first to {link}"
        )),
    }
}

/// Each lease stands once in field `u:` of its upstream, and the lines of field `s` count them.
fn leases(hash: &Hash) -> Result<(), String> {
    let state = String::from_utf8_lossy(hash.value(b"s").unwrap_or_default());
    let lines: Vec<Vec<&str>> = state
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let (mut counted, mut holding) = (0, 0);
    for line in lines.iter().filter(|line| line.len() == 3) {
        let (in_flight, upstream) = (line[0], line[1]);
        let entries = hash.value(format!("u:{upstream}").as_bytes());
        let ends = entries
            .unwrap_or(b"\n")
            .iter()
            .filter(|byte| **byte == b'\n');
        let held = ends.count() - 1;
        if in_flight != format!("{held:04}") {
            return Err(format!(
                "{held} leases of {upstream}, of which it says {in_flight}"
            ));
        }
        counted += held;
        holding += usize::from(held > 0);
    }
    let (leases, upstreams) = (names(hash, "l:").len(), names(hash, "u:").len());
    match leases == counted && upstreams == holding {
        true => Ok(()),
        false => Err(format!(
            "{leases} leases of {upstreams} upstreams, {counted} of {holding} in lines"
        )),
    }
}
