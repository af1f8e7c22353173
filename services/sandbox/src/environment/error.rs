//! Why an environment could not be built, and what to do about it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use interlock_domain::Disposition;

/// Why there is no environment.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// The lock file is not one that can be installed without trusting somebody.
    #[error("lock file, line {line}: {reason}")]
    BadLock {
        /// The first line of the entry, counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The installer says that these packages cannot be installed here: unknown, no wheel, or another hash.
    #[error("the packages cannot be installed: {0}")]
    NotInstallable(String),
    /// What was named as an interpreter cannot be used as one.
    #[error("{path} cannot be used as a Python environment: {reason}")]
    NotAnInterpreter {
        /// What was named.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The package index could not be reached.
    #[error("the package index cannot be reached: {0}")]
    Network(String),
    /// A step took too long.
    #[error("{step} took longer than {limit:?}")]
    TimedOut {
        /// Which step.
        step: &'static str,
        /// How long it may take.
        limit: Duration,
    },
    /// A tool is missing or failed for a reason that is not the lock file's.
    #[error("{step}: {reason}")]
    Tool {
        /// Which step.
        step: &'static str,
        /// What it said.
        reason: String,
    },
    /// The store of environments cannot be used.
    #[error("{path}: {source}")]
    Store {
        /// Which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl EnvironmentError {
    /// What the caller should do about it.
    pub fn disposition(&self) -> Disposition {
        match self {
            EnvironmentError::BadLock { .. }
            | EnvironmentError::NotInstallable(_)
            | EnvironmentError::NotAnInterpreter { .. } => Disposition::Refuse,
            EnvironmentError::Network(_) | EnvironmentError::TimedOut { .. } => Disposition::Retry,
            EnvironmentError::Tool { .. } | EnvironmentError::Store { .. } => Disposition::Escalate,
        }
    }
}
