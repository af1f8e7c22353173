//! An API key: read from a file or the environment, sent to the model server, shown to nobody.

use std::fmt;

/// A value that no debug output, log line or error message contains.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes the value as it is.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value, for the request header and nothing else.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// `text` without this value: servers have been seen to quote the key they reject.
    pub(crate) fn redact(&self, text: &str) -> String {
        if self.0.is_empty() {
            return text.to_owned();
        }
        text.replace(&self.0, "[key]")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
