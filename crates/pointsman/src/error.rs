use alloc::string::{String, ToString};
use core::fmt;

/// An argument that cannot be used: which one, what it was, and what it must be.
///
/// Nothing has changed where this is returned. "Not now" and "never" are outcomes, not errors.
///
/// ```
/// let error = pointsman::pick("", &["a", "b"]).unwrap_err();
/// assert_eq!(error.to_string(), "key is empty, but must be 1 to 1048576 bytes long");
/// assert_eq!(error.argument(), "key");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    argument: &'static str,
    value: String,
    bound: String,
}

impl Error {
    /// The argument, by its name in Rust.
    pub fn argument(&self) -> &str {
        self.argument
    }

    /// What the argument was, shortened where it is long.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// What the argument must be.
    pub fn bound(&self) -> &str {
        &self.bound
    }

    pub(crate) fn new(
        argument: &'static str,
        value: impl fmt::Display,
        bound: impl fmt::Display,
    ) -> Self {
        Self {
            argument,
            value: value.to_string(),
            bound: bound.to_string(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.argument)?;
        f.write_str(" is ")?;
        f.write_str(&self.value)?;
        f.write_str(", but must be ")?;
        f.write_str(&self.bound)
    }
}

impl core::error::Error for Error {}
