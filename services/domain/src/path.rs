//! The only path type for files of a workspace.
//!
//! A value of this type is safe to join to a directory on any file system that Interlock supports:
//! everything in faults D2 is refused here, so that no caller has to remember to look.

use std::fmt;
use std::str::FromStr;

/// Longest path in bytes; well below every platform's limit once a root is joined.
pub const MAX_PATH_BYTES: usize = 240;
/// Longest single segment in bytes; the common file-system limit is 255.
pub const MAX_SEGMENT_BYTES: usize = 100;
/// Deepest nesting.
pub const MAX_DEPTH: usize = 12;

/// A relative, normalised, portable path inside a workspace, such as `src/data.py`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspacePath(String);

/// Why a text is no workspace path.
#[derive(Debug, thiserror::Error, PartialEq, Eq, Clone)]
#[error("path {path:?} is refused: {why}; expected a relative path such as src/data.py")]
pub struct PathError {
    path: String,
    why: &'static str,
}

impl WorkspacePath {
    /// The path as text, with `/` between segments.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last segment.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The segments, first to last.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// Whether this is a Python source file.
    pub fn is_python(&self) -> bool {
        self.0.ends_with(".py")
    }

    /// The key under which a case-blind file system would store this path.
    pub fn folded(&self) -> String {
        self.0.to_lowercase()
    }

    fn refusal(text: &str) -> Option<&'static str> {
        if text.is_empty() {
            return Some("it is empty");
        }
        if text.len() > MAX_PATH_BYTES {
            return Some("it is too long");
        }
        if text.starts_with('/') {
            return Some("it is absolute");
        }
        if text.contains('\\') {
            return Some("it contains a backslash");
        }
        // Letters of scripts are not needed for module names, and look-alikes and
        // normalisation forms would make two names of one file.
        if !text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"/._-+@".contains(&b))
        {
            return Some("it contains a character other than ASCII letters, digits and . _ - + @");
        }
        if text.split('/').count() > MAX_DEPTH {
            return Some("it is nested too deeply");
        }
        text.split('/').find_map(Self::segment_refusal)
    }

    fn segment_refusal(segment: &str) -> Option<&'static str> {
        if segment.is_empty() {
            return Some("it has an empty segment");
        }
        if segment == "." || segment == ".." {
            return Some("it contains . or ..");
        }
        if segment.len() > MAX_SEGMENT_BYTES {
            return Some("a segment is too long");
        }
        if segment.ends_with('.') {
            return Some("a segment ends with a dot, which some systems drop");
        }
        if segment.starts_with('-') {
            return Some("a segment starts with a dash, which programs take for an option");
        }
        let folded = segment.to_ascii_lowercase();
        if matches!(folded.as_str(), ".git" | ".hg" | ".svn" | ".interlock" | "__pycache__") {
            return Some("it lies in a folder that tools own");
        }
        let stem = folded.split('.').next().unwrap_or(&folded);
        let device = matches!(stem, "con" | "prn" | "aux" | "nul")
            || (stem.len() == 4
                && (stem.starts_with("com") || stem.starts_with("lpt"))
                && stem.ends_with(|c: char| c.is_ascii_digit()));
        if device {
            return Some("a segment is a device name on some systems");
        }
        None
    }
}

impl FromStr for WorkspacePath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match Self::refusal(text) {
            None => Ok(Self(text.to_owned())),
            Some(why) => Err(PathError {
                path: text.chars().take(120).collect(),
                why,
            }),
        }
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
