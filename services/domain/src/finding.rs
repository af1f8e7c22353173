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

/// Longest message and longest name of a file in a record, in bytes.
const MAX_MESSAGE_BYTES: usize = 32 * 1024;
const MAX_FILE_BYTES: usize = 1024;

/// As many findings as fit into `room` bytes, the first one always; the last one that is kept says how many are not.
///
/// Texts and counts come from what a model wrote: whoever puts findings on a record has to bound them, or the record
/// can be too large to be written.
pub fn bounded(findings: Vec<Finding>, room: usize) -> Vec<Finding> {
    let all = findings.len();
    let mut left = room;
    let mut kept: Vec<Finding> = Vec::new();
    for mut finding in findings {
        cut(&mut finding.message, MAX_MESSAGE_BYTES);
        cut(&mut finding.at.file, MAX_FILE_BYTES);
        if let Some(other) = &mut finding.other {
            cut(&mut other.file, MAX_FILE_BYTES);
        }
        let other = finding.other.as_ref().map_or(0, |other| other.file.len());
        // The rest is a rule's name, numbers and the encoding's own bytes.
        let size = 128 + finding.message.len() + finding.at.file.len() + other;
        if size > left && !kept.is_empty() {
            break;
        }
        left = left.saturating_sub(size);
        kept.push(finding);
    }
    let lost = all - kept.len();
    if let Some(last) = kept.last_mut().filter(|_| lost > 0) {
        last.message
            .push_str(&format!("\n(and {lost} more findings, left out)"));
    }
    kept
}

/// Cuts a text that is longer than `most` bytes, at a character's boundary, and marks it.
fn cut(text: &mut String, most: usize) {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push_str(" <cut>");
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn finding(message: &str) -> Finding {
        Finding::new("a/rule", Location::file("src/a.py"), message)
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let all = vec![finding("one"), finding("two")];
        assert_eq!(bounded(all.clone(), 1000), all);
        assert_eq!(bounded(Vec::new(), 0), []);
    }

    #[test]
    fn what_does_not_fit_is_counted_and_the_first_is_always_kept() {
        let kept = bounded((0..10).map(|n| finding(&n.to_string())).collect(), 300);
        assert_eq!(kept.len(), 2);
        assert_eq!(kept[1].message, "1\n(and 8 more findings, left out)");
        assert_eq!(kept[1].fingerprint(), finding("1").fingerprint());
        assert_eq!(bounded(vec![finding("one"), finding("two")], 0).len(), 1);
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let mut long = finding(&"\u{20ac}".repeat(20_000));
        long.at.file = "f".repeat(5_000);
        long.other = Some(Location::file("o".repeat(5_000)));
        let kept = bounded(vec![long], 0);
        assert!(kept[0].message.ends_with(" <cut>") && kept[0].message.len() <= MAX_MESSAGE_BYTES + 6);
        let other = kept[0].other.as_ref().map_or(0, |other| other.file.len());
        assert_eq!((kept[0].at.file.len(), other), (MAX_FILE_BYTES + 6, MAX_FILE_BYTES + 6));
    }
}
