//! What a rule says: findings, and one report per rule. Says nothing about what happens next: that is policy.

use serde::{Deserialize, Serialize};

/// A place in a file. Line and column count from 1, the column in characters; 0 means the whole file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    /// Path as the workspace spells it, such as `src/data.py`.
    pub file: String,
    /// Line, from 1; 0 for the whole file.
    pub line: u32,
    /// Column in characters, from 1; 0 for the whole line.
    pub column: u32,
}

/// One thing that is wrong.
///
/// The message never contains a line number, so that it stays the same when an edit elsewhere moves the fault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where it is wrong.
    pub file: String,
    /// Line, from 1; 0 for the whole file.
    pub line: u32,
    /// Column in characters, from 1; 0 for the whole line.
    pub column: u32,
    /// Identity of the rule, such as `imports/relative`.
    pub rule: &'static str,
    /// What is wrong and, in the same sentence or the next, what would be right.
    pub message: String,
    /// The second place, where two places disagree.
    pub other: Option<Location>,
}

impl Finding {
    /// The finding's own place.
    pub fn location(&self) -> Location {
        Location {
            file: self.file.clone(),
            line: self.line,
            column: self.column,
        }
    }
}

/// How a rule ended. Only [`Status::Passed`] is a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Everything the rule could judge is right.
    Passed {
        /// Target files that were looked at.
        files: u64,
        /// Places that were judged.
        sites: u64,
        /// Places that could not be judged from the text alone.
        no_opinion: u64,
    },
    /// At least one thing is wrong; sorted and without duplicates.
    Failed {
        /// What is wrong.
        findings: Vec<Finding>,
        /// Places that could not be judged from the text alone.
        no_opinion: u64,
    },
    /// The rule could not look at everything it was asked to look at.
    NotRun {
        /// Which file, and why.
        reason: String,
    },
}

/// The answer of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleReport {
    /// Identity of the rule, such as `imports/relative`.
    pub rule: &'static str,
    /// Version of the rule: part of every cache key, raised whenever the rule may answer differently.
    pub version: u32,
    /// How it ended.
    pub status: Status,
}
