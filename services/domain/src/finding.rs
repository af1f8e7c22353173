//! One machine-readable thing that is wrong, and where.

use crate::ids::Digest;
use std::fmt;

/// A place in a file. Line and column count from 1; 0 means that the whole file is meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file, as text: a finding may be about a path that no workspace path can be made of.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Location {
    /// The whole of a file.
    pub fn file(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line: 0,
            column: 0,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => f.write_str(&self.file),
            (line, 0) => write!(f, "{}:{line}", self.file),
            (line, column) => write!(f, "{}:{line}:{column}", self.file),
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where it is wrong.
    pub at: Location,
    /// Identity of the rule, such as `imports/relative`.
    pub rule: String,
    /// One sentence that says what is wrong and what would be right.
    pub message: String,
    /// The second place, where two files disagree.
    pub other: Option<Location>,
}

impl Finding {
    /// A finding about one place.
    pub fn new(rule: impl Into<String>, at: Location, message: impl Into<String>) -> Self {
        Self {
            at,
            rule: rule.into(),
            message: message.into(),
            other: None,
        }
    }

    /// What stays the same when the same fault comes back: not the line, which moves with every edit, and so not the
    /// traceback below the message's first line either.
    pub fn fingerprint(&self) -> Digest {
        let said = self.message.lines().next().unwrap_or_default();
        Digest::of_parts([self.rule.as_bytes(), self.at.file.as_bytes(), said.as_bytes()])
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.at, self.rule, self.message)?;
        match &self.other {
            Some(other) => write!(f, " (see {other})"),
            None => Ok(()),
        }
    }
}
