//! One key of a server: a hash with an expiry.

use std::collections::HashMap;

/// The commands of a hash, as Redis answers them.
#[derive(Debug, Clone, Default)]
pub struct Hash {
    fields: HashMap<Vec<u8>, Vec<u8>>,
    expires_ms: Option<u64>,
}

impl Hash {
    /// Whether it is there at this instant.
    pub fn exists(&self, now_ms: u64) -> bool {
        let is_alive = self.expires_ms.is_none_or(|expires_ms| now_ms < expires_ms);
        is_alive && !self.fields.is_empty()
    }

    /// When it goes.
    pub fn expires_ms(&self) -> Option<u64> {
        self.expires_ms
    }

    /// The value of a field.
    pub fn value(&self, field: &[u8]) -> Option<&[u8]> {
        self.fields.get(field).map(Vec::as_slice)
    }

    /// All fields.
    pub fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.fields
            .iter()
            .map(|(field, value)| (&**field, &**value))
    }

    /// Sets a field; whether it is a new one.
    pub fn set(&mut self, field: Vec<u8>, value: Vec<u8>) -> bool {
        self.fields.insert(field, value).is_none()
    }

    /// Removes a field; whether it was there. Without fields there is no key.
    pub fn remove(&mut self, field: &[u8]) -> bool {
        let was_there = self.fields.remove(field).is_some();
        if self.fields.is_empty() {
            self.expires_ms = None;
        }
        was_there
    }

    /// Sets when it goes; whether there is something to go.
    pub fn expire(&mut self, at_ms: u64) -> bool {
        if self.fields.is_empty() {
            return false;
        }
        self.expires_ms = Some(at_ms);
        true
    }
}
