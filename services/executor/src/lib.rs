//! The executor: runs verified workspaces in the sandbox and judges what was seen.
//!
//! Has a sandbox and compute; has no access to the model and gives no verdict on code.

pub mod artifacts;
pub mod checkpoints;
pub mod classify;
pub mod doubts;
pub mod execute;
pub mod folders;
pub mod handler;
pub mod judge;
pub mod logs;
pub mod program;
pub mod recorded;
pub mod result_file;
pub mod score;
pub mod telling;
pub mod testimony;

pub use interlock_sandbox::RunnerSettings as Settings;

use checkpoints::Checkpoints;
use interlock_domain::Stage;
use interlock_sandbox::{Sandbox, remove_tree};
use interlock_stage::{Config, ServiceError, connect};
use std::sync::Arc;
use std::time::SystemTime;
use tokio_util::sync::CancellationToken;

/// Runs the service until `shutdown`. Without a sandbox that holds, it does not start.
pub async fn run(config: Config<Settings>, shutdown: CancellationToken) -> Result<(), ServiceError> {
    let settings = &config.service;
    let sandbox = Sandbox::probe(settings.sandbox.config())
        .await
        .map_err(|e| ServiceError::Setup(e.to_string()))?;
    let sandbox = sandbox
        .with_devices(&settings.sandbox.devices)
        .map_err(|e| ServiceError::Setup(e.to_string()))?;
    tracing::info!(tier = %sandbox.tier(), "the sandbox holds");
    let environments = settings.environments.environments();
    let scratch = settings.sandbox.scratch.join("executions");
    // An executor that was killed had no time to clear away, and its executions are over: they died with it.
    if let Err(error) = remove_tree(&scratch) {
        tracing::warn!(folder = %scratch.display(), %error, "what an earlier executor left could not be removed");
    }
    let checkpoints = Checkpoints::below(&settings.sandbox.scratch);
    checkpoints.tidy(SystemTime::now());
    let handler = handler::Executor {
        sandbox,
        environments,
        scratch,
        checkpoints,
    };
    let service = connect(Stage::Executor, &config.broker).await?;
    service.run(Arc::new(handler), config.slots, shutdown).await
}
