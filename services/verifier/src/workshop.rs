//! What every check of a verifier works with: the sandbox, a place for files, interpreters that are warm.

use crate::fork_servers::{ForkLimits, ForkServers};
use crate::known::Known;
use interlock_sandbox::Sandbox;
use std::path::PathBuf;
use std::sync::Arc;

/// One verifier's equipment, shared by all of its checks.
#[derive(Debug)]
pub struct Workshop {
    /// The sandbox, probed.
    pub sandbox: Arc<Sandbox>,
    /// Folder for the files of running checks.
    pub scratch: PathBuf,
    /// Interpreters that have loaded an environment's packages already.
    pub servers: ForkServers,
    /// What has passed before.
    pub known: Known,
}

impl Workshop {
    /// Checks in `sandbox` that keep their files below `scratch`.
    pub fn new(sandbox: Arc<Sandbox>, scratch: PathBuf, limits: ForkLimits) -> Self {
        Self {
            servers: ForkServers::new(Arc::clone(&sandbox), scratch.clone(), limits),
            sandbox,
            scratch,
            known: Known::default(),
        }
    }

    /// Ends what runs between checks, and waits until it is gone.
    pub async fn close(&self) {
        self.servers.close().await;
    }
}
