//! Why a local stack cannot be started or kept running.

use super::config::ConfigError;
use crate::client::ClientError;
use crate::home::HomeError;
use crate::locate::LocateError;
use interlock_domain::Disposition;
use std::io;
use std::path::PathBuf;

/// What went wrong with a local stack.
#[derive(Debug, thiserror::Error)]
pub enum StackError {
    /// The state folder.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// A program or tool that is missing.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// A service's configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A program that could not be started or asked.
    #[error("cannot run {program}: {source}")]
    Run {
        /// Which.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The broker is too old.
    #[error(
        "{program} is version {version}; 2.10 or newer is needed, because older ones lose acknowledged records when \
         power fails. Fetch the pinned one (make setup), or set INTERLOCK_NATS_SERVER"
    )]
    OldBroker {
        /// Which file.
        program: PathBuf,
        /// What it says of itself.
        version: String,
    },
    /// Bootstrap did not succeed.
    #[error("setting up the broker failed: {0}")]
    Bootstrap(String),
    /// A member that ended while it was waited for, or that ends again and again.
    #[error("{name} ended with {how}{again}. Its last words:\n{words}\nIts whole log: {log}")]
    Died {
        /// Which.
        name: String,
        /// How.
        how: String,
        /// Whether it was tried several times.
        again: &'static str,
        /// The end of its log.
        words: String,
        /// The log.
        log: PathBuf,
    },
    /// A member that is not ready in time.
    #[error("{name} was not ready within {seconds} s; its log: {log}")]
    Slow {
        /// Which.
        name: String,
        /// How long it was waited for.
        seconds: u64,
        /// The log.
        log: PathBuf,
    },
    /// The gateway does not answer.
    #[error(transparent)]
    Gateway(#[from] ClientError),
}

impl StackError {
    /// What the caller should do: only another stack on the same folder goes away with time.
    pub const fn disposition(&self) -> Disposition {
        match self {
            StackError::Home(HomeError::Taken { .. }) => Disposition::Retry,
            StackError::Home(HomeError::Nowhere | HomeError::File { .. })
            | StackError::Locate(_)
            | StackError::Config(_)
            | StackError::Run { .. }
            | StackError::OldBroker { .. } => Disposition::Refuse,
            StackError::Bootstrap(_) | StackError::Died { .. } | StackError::Slow { .. } | StackError::Gateway(_) => {
                Disposition::Escalate
            }
        }
    }
}
