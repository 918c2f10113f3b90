//! `order`, `pick`, `chain` and `prefixBytes` for plain JavaScript values.

use crate::error::Fault;
use js_sys::{JsString, Uint8Array};
use wasm_bindgen::prelude::*;

/// The indices of `upstreams`, the strongest for `key` first.
#[wasm_bindgen]
pub fn order(key: &str, upstreams: Vec<String>) -> Result<Vec<u32>, Fault> {
    let order = pointsman::order(key, &upstreams)?;
    Ok(order.into_iter().map(|index| index as u32).collect())
}

/// The strongest of `upstreams` for `key`, or `undefined` for an empty list.
#[wasm_bindgen]
pub fn pick(key: &str, mut upstreams: Vec<String>) -> Result<Option<String>, Fault> {
    let picked = pointsman::pick(key, &upstreams)?;
    Ok(picked.map(|index| upstreams.swap_remove(index)))
}

/// One link of 16 hex digits for each entry, a string or a `Uint8Array`.
#[wasm_bindgen]
pub fn chain(entries: Vec<JsValue>) -> Result<Vec<String>, Fault> {
    let links = pointsman::chain(&as_bytes(entries)?)?;
    Ok(links.into_iter().map(|link| link.to_string()).collect())
}

/// The bytes of all entries together.
#[wasm_bindgen(js_name = prefixBytes)]
pub fn prefix_bytes(entries: Vec<JsValue>) -> Result<f64, Fault> {
    Ok(pointsman::prefix_bytes(&as_bytes(entries)?) as f64)
}

fn as_bytes(entries: Vec<JsValue>) -> Result<Vec<Vec<u8>>, Fault> {
    entries.into_iter().map(bytes_of).collect()
}

fn bytes_of(entry: JsValue) -> Result<Vec<u8>, Fault> {
    if let Some(text) = entry.dyn_ref::<JsString>() {
        return Ok(String::from(text).into_bytes());
    }
    match entry.dyn_ref::<Uint8Array>() {
        Some(bytes) => Ok(bytes.to_vec()),
        None => Err(Fault::of_type("entry", "a string or a Uint8Array")),
    }
}
