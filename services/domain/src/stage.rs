//! The five stages, and the one question every caller asks of an error.
//!
//! Holds no permissions: those stand in [`crate::authority`].

use std::fmt;
use std::str::FromStr;

/// A service that takes part in a run. The order is the order of a run's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Turns a task into a plan.
    Planner,
    /// Has the model write files.
    Generator,
    /// Checks candidates.
    Verifier,
    /// Runs verified candidates.
    Executor,
    /// Carries the human's word.
    Gateway,
}

impl Stage {
    /// Every stage, once.
    pub const ALL: [Stage; 5] = [
        Stage::Planner,
        Stage::Generator,
        Stage::Verifier,
        Stage::Executor,
        Stage::Gateway,
    ];

    /// The name used in subjects, file names and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Planner => "planner",
            Stage::Generator => "generator",
            Stage::Verifier => "verifier",
            Stage::Executor => "executor",
            Stage::Gateway => "gateway",
        }
    }

    /// The name used in stream and account names.
    pub const fn upper(self) -> &'static str {
        match self {
            Stage::Planner => "PLANNER",
            Stage::Generator => "GENERATOR",
            Stage::Verifier => "VERIFIER",
            Stage::Executor => "EXECUTOR",
            Stage::Gateway => "GATEWAY",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no stage.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0:?} is no stage; expected planner, generator, verifier, executor or gateway")]
pub struct UnknownStage(String);

impl FromStr for Stage {
    type Err = UnknownStage;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Stage::ALL
            .into_iter()
            .find(|stage| stage.name() == text)
            .ok_or_else(|| UnknownStage(text.to_owned()))
    }
}

/// What the caller of a failed operation should do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// The same call may succeed later: wait and try again, a bounded number of times.
    Retry,
    /// The input is wrong: say so to whoever sent it. Trying again changes nothing.
    Refuse,
    /// Neither the input nor time is the cause: a human has to look.
    Escalate,
}
