//! The fields of an object in a vector file: taken one by one, and none may be left.

use pointsman::Error;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::fmt;

pub struct Fields {
    place: String,
    shown: String,
    left: Map<String, Value>,
}

impl Fields {
    pub fn new(place: &str, object: Value) -> Self {
        let shown = object.to_string().chars().take(300).collect();
        let Value::Object(left) = object else {
            panic!("{place}: {shown} is no object");
        };
        Self {
            place: place.into(),
            shown,
            left,
        }
    }

    /// Adds the name of a case to the place that a failure names.
    pub fn within(&mut self, name: &str) {
        self.place = format!("{}, \"{name}\"", self.place);
        self.shown.clear();
    }

    pub fn maybe<T: DeserializeOwned>(&mut self, field: &str) -> Option<T> {
        let value = self.left.remove(field)?;
        let read = serde_json::from_value(value);
        Some(read.unwrap_or_else(|error| panic!("{self}: {field}: {error}")))
    }

    pub fn take<T: DeserializeOwned>(&mut self, field: &str) -> T {
        let value = self.left.remove(field);
        let value = value.unwrap_or_else(|| panic!("{self}: {field} is missing"));
        let read = serde_json::from_value(value);
        read.unwrap_or_else(|error| panic!("{self}: {field}: {error}"))
    }

    pub fn object(&mut self, field: &str) -> Self {
        let value = self.take(field);
        Self::new(&self.place, value)
    }

    pub fn list(&mut self, field: &str) -> Vec<Self> {
        let values: Vec<Value> = self.take(field);
        (values.into_iter())
            .map(|value| Self::new(&self.place, value))
            .collect()
    }

    /// A whole number of 64 bits, written as 16 hex digits; 0 where it is left out.
    pub fn seed(&mut self) -> u64 {
        let digits: Option<String> = self.maybe("seed");
        digits.map_or(0, |digits| hex(&digits))
    }

    pub fn done(&self) {
        let left: Vec<_> = self.left.keys().collect();
        assert!(left.is_empty(), "{self}: unknown fields {left:?}");
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.shown)
    }
}

pub fn hex(digits: &str) -> u64 {
    assert_eq!(digits.len(), 16, "{digits}");
    u64::from_str_radix(digits, 16).unwrap()
}

/// An answer as a vector writes it; a refused argument by its name.
pub fn answer<T>(answer: Result<T, Error>, written: impl FnOnce(T) -> Value) -> Value {
    match answer {
        Ok(answer) => written(answer),
        Err(error) => json!({ "error": error.argument() }),
    }
}

/// What a vector calls bytes: a string, `{"hex": …}` or `{"sanity": n}` (see `hash.json`).
pub fn bytes_of(described: Value) -> Vec<u8> {
    if let Value::String(text) = described {
        return text.into_bytes();
    }
    let mut described = Fields::new("bytes", described);
    let bytes = match described.maybe::<String>("hex") {
        Some(digits) => (0..digits.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
            .collect(),
        None => sanity(described.take("sanity")),
    };
    described.done();
    bytes
}

fn sanity(bytes: usize) -> Vec<u8> {
    let mut generator = 2_654_435_761_u64;
    let next = |_| {
        let byte = (generator >> 56) as u8;
        generator = generator.wrapping_mul(11_400_714_785_074_694_797);
        byte
    };
    (0..bytes).map(next).collect()
}
