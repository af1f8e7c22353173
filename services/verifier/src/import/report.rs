//! What was said about one file that was imported, and the finding that follows from it.

use super::CHECK;
use interlock_domain::{Finding, Location};
use serde::Deserialize;

/// Frames of a traceback that a finding tells, the innermost last.
const FRAMES: usize = 3;

/// The report on one file.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Report {
    pub(crate) path: String,
    pub(crate) outcome: Outcome,
    pub(crate) exception: Option<Exception>,
    #[serde(default)]
    traceback: Vec<Frame>,
}

/// How an import ended.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Passed,
    Failed,
    Exited,
    TimedOut,
    Killed,
    /// The file was not imported, and that is not its fault.
    NotRun,
}

/// What was raised, or stands for it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Exception {
    #[serde(rename = "type")]
    kind: String,
    pub(crate) message: String,
    file: Option<String>,
    line: Option<u32>,
}

#[derive(Clone, Debug, Deserialize)]
struct Frame {
    file: String,
    line: Option<u32>,
    function: String,
}

impl Report {
    /// About a file of which nothing is known yet.
    pub(super) fn unknown(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            outcome: Outcome::NotRun,
            exception: None,
            traceback: Vec::new(),
        }
    }

    pub(crate) fn passed(&self) -> bool {
        self.outcome == Outcome::Passed
    }

    /// Whether this file fails for the reason for which the other one does: the same place raised the same.
    pub(crate) fn same_cause(&self, other: &Self) -> bool {
        let cause = |report: &Self| {
            let raised = report.exception.as_ref();
            raised.map(|e| (e.kind.clone(), e.file.clone(), e.line))
        };
        let both_raised = self.outcome == Outcome::Failed && other.outcome == Outcome::Failed;
        both_raised && cause(self).is_some_and(|own| own.1.is_some() && Some(own) == cause(other))
    }

    /// The finding points at the file that is really at fault, which need not be the one that was imported.
    pub(crate) fn finding(&self) -> Finding {
        let Some(exception) = &self.exception else {
            return Finding::new(
                CHECK,
                Location::file(&self.path),
                "its import did not end as an import has to",
            );
        };
        let at = Location {
            file: exception.file.clone().unwrap_or_else(|| self.path.clone()),
            line: exception.line.unwrap_or(0),
            column: 0,
        };
        let said = &exception.message;
        let mut message = match self.outcome {
            Outcome::Exited => {
                format!("importing it ended the process ({said}); a module must not exit when it is imported")
            }
            Outcome::TimedOut => format!("{said}; do the work in a function, not at import"),
            Outcome::Killed | Outcome::Failed | Outcome::Passed | Outcome::NotRun => {
                format!("importing it raises {}: {said}", exception.kind)
            }
        };
        for frame in self.traceback.iter().rev().take(FRAMES) {
            message.push_str(&format!(
                "\n  at {}:{} in {}",
                frame.file,
                frame.line.unwrap_or(0),
                frame.function
            ));
        }
        Finding::new(CHECK, at, message)
    }
}
