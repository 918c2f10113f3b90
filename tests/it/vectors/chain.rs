use super::fields::{Fields, bytes_of};
use pointsman::{Chain, Link, chain, prefix_bytes};
use serde_json::Value;

pub fn row(call: &str, row: &mut Fields) {
    assert_eq!(call, "chain", "{row}");
    let entries: Vec<Value> = row.take("entries");
    let namespace: Option<Vec<String>> = row.maybe("namespace");
    let seed = row.seed();
    let links: Vec<String> = row.take("links");
    let bytes: Vec<u64> = row.take("bytes");

    let plain = namespace.is_none() && seed == 0;
    let mut pushed = Chain::in_namespace(&namespace.unwrap_or_default(), seed).unwrap();
    let mut whole = Vec::new();
    for entry in entries {
        let link = match parts_of(&entry) {
            Some(parts) => pushed.push_parts(&parts),
            None => {
                let entry = bytes_of(entry);
                let link = pushed.push(&entry);
                whole.push(entry);
                link
            }
        };
        assert_eq!(link.as_ref().ok(), pushed.links().last(), "{row}");
    }
    assert_eq!(written(pushed.links()), links, "{row}");
    assert_eq!(pushed.bytes(), bytes, "{row}");
    assert_eq!(pushed.len(), links.len(), "{row}");
    if whole.len() == links.len() {
        let sum = bytes.last().copied().unwrap_or(0);
        assert_eq!(prefix_bytes(&whole), sum, "{row}");
    }
    if plain && whole.len() == links.len() {
        assert_eq!(written(&chain(&whole).unwrap()), links, "{row}");
    }
    for link in &links {
        let read: Link = link.parse().unwrap();
        assert_eq!(read.to_string(), *link, "{row}");
    }
}

fn parts_of(entry: &Value) -> Option<Vec<Vec<u8>>> {
    let parts = entry.get("parts")?;
    let mut entry = Fields::new("entry", entry.clone());
    let _: Value = entry.take("parts");
    entry.done();
    let parts = parts.as_array().unwrap();
    Some(parts.iter().cloned().map(bytes_of).collect())
}

fn written(links: &[Link]) -> Vec<String> {
    links.iter().map(Link::to_string).collect()
}
