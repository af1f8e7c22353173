//! Why a run could not be observed at all. How a program ended is never an error: see [`crate::End`].

use std::io;
use std::path::PathBuf;

use interlock_domain::Disposition;

/// Why the sandbox could not run a program.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The caller's command cannot be carried out as written.
    #[error("bad command: {0}")]
    BadCommand(String),
    /// A folder or file that the command names is not there.
    #[error("{path}: {source}")]
    Missing {
        /// What is missing.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program itself could not be started inside the sandbox.
    #[error("the program could not be started: {0}")]
    NotStarted(String),
    /// No tier holds on this machine, or the demanded one does not.
    #[error("no sandbox: {0}")]
    NoTier(String),
    /// The walls could not be put up. Nothing ran.
    #[error("the sandbox could not be set up: {0}")]
    SetUp(String),
    /// The supervisor could not be started.
    #[error("cannot start {path}: {source}")]
    Spawn {
        /// The binary.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The supervisor went away without a report; what the program did is unknown.
    #[error("the supervisor left no report: {0}")]
    NoReport(String),
}

impl SandboxError {
    /// What the caller should do about it.
    pub fn disposition(&self) -> Disposition {
        match self {
            SandboxError::BadCommand(_) | SandboxError::Missing { .. } | SandboxError::NotStarted(_) => {
                Disposition::Refuse
            }
            SandboxError::Spawn { .. } => Disposition::Retry,
            SandboxError::NoTier(_) | SandboxError::SetUp(_) | SandboxError::NoReport(_) => Disposition::Escalate,
        }
    }
}
