//! What a check answered. A pass cannot be built without saying what was run.

use crate::finding::Finding;

/// The answer of one check about one candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckResult {
    /// Identity of the check, such as `imports/relative`.
    pub check: String,
    /// Version of the check; part of every cache key.
    pub version: u32,
    /// The answer.
    pub answer: CheckAnswer,
}

/// The four answers. Only the first is a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckAnswer {
    /// It ran and found nothing wrong.
    Passed(Ran),
    /// It ran and found at least one thing wrong.
    Failed(Findings),
    /// It ran out of time, which is a failure.
    TimedOut {
        /// What took too long, and how long.
        reason: String,
        /// Where, when it is known.
        findings: Vec<Finding>,
    },
    /// It did not run.
    NotRun {
        /// Why.
        reason: String,
    },
}

/// What a passing check really ran: never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    what: String,
    /// How often the check could not know and held its tongue.
    pub no_opinion: u64,
}

/// The findings of a failed check: never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings {
    list: Vec<Finding>,
    /// How often the check could not know and held its tongue.
    pub no_opinion: u64,
}

/// An answer that contradicts itself.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CheckError {
    /// A pass that says of nothing that it ran.
    #[error("a check that passed has to say what it ran")]
    PassedWithoutRunning,
    /// A failure without a finding.
    #[error("a check that failed has to say what it found")]
    FailedWithoutFinding,
}

impl Ran {
    /// Refuses an empty description.
    pub fn new(what: impl Into<String>, no_opinion: u64) -> Result<Self, CheckError> {
        let what = what.into();
        if what.trim().is_empty() {
            return Err(CheckError::PassedWithoutRunning);
        }
        Ok(Self { what, no_opinion })
    }

    /// What was run, for people.
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl Findings {
    /// Sorted and without repeats; refuses an empty list.
    pub fn new(mut findings: Vec<Finding>) -> Result<Self, CheckError> {
        if findings.is_empty() {
            return Err(CheckError::FailedWithoutFinding);
        }
        findings.sort();
        findings.dedup();
        Ok(Self {
            list: findings,
            no_opinion: 0,
        })
    }

    /// The same, of a check that could not know so often.
    #[must_use]
    pub fn with_no_opinion(self, no_opinion: u64) -> Self {
        Self { no_opinion, ..self }
    }

    /// The findings in order.
    pub fn as_slice(&self) -> &[Finding] {
        &self.list
    }
}

impl CheckResult {
    /// Whether this is a pass.
    pub const fn passed(&self) -> bool {
        matches!(self.answer, CheckAnswer::Passed(_))
    }

    /// How often it could not know and held its tongue; `None` where it did not come to an end.
    pub const fn no_opinion(&self) -> Option<u64> {
        match &self.answer {
            CheckAnswer::Passed(ran) => Some(ran.no_opinion),
            CheckAnswer::Failed(findings) => Some(findings.no_opinion),
            CheckAnswer::TimedOut { .. } | CheckAnswer::NotRun { .. } => None,
        }
    }

    /// What was found, if anything.
    pub fn findings(&self) -> &[Finding] {
        match &self.answer {
            CheckAnswer::Failed(findings) => findings.as_slice(),
            CheckAnswer::TimedOut { findings, .. } => findings,
            CheckAnswer::Passed(_) | CheckAnswer::NotRun { .. } => &[],
        }
    }
}
