//! The verifier: checks every candidate in the very environment that will run it.
//!
//! Has a sandbox without network; has no access to the model and writes no file of a workspace.

pub mod alone;
pub mod canary;
pub mod checks;
pub mod custom;
pub mod extra;
pub mod files;
pub mod fork_servers;
pub mod handler;
pub mod import;
pub mod known;
pub mod lint;
pub mod reach;
pub mod settings;
pub mod static_rules;
pub mod syntax;
pub mod testing;
pub mod toolbox;
pub mod tree;
pub mod types;
pub mod verdict;
pub mod workshop;

pub use settings::Settings;

use fork_servers::ForkLimits;
use interlock_domain::Stage;
use interlock_sandbox::{Sandbox, remove_tree};
use interlock_stage::{Config, ServiceError, connect};
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use workshop::Workshop;

/// Runs the service until `shutdown`. Without a sandbox that holds and checks that prove themselves,
/// it does not start.
pub async fn run(config: Config<Settings>, shutdown: CancellationToken) -> Result<(), ServiceError> {
    let settings = &config.service;
    let sandbox = Arc::new(Sandbox::probe(settings.sandbox.config()).await.map_err(setup)?);
    let environments = settings.environments.environments();
    let scratch = settings.sandbox.scratch.join("checks");
    // A verifier that was killed had no time to clear away, and its checks are over: they died with it.
    clear(&scratch);
    let bare = environments.ensure(b"").await.map_err(setup)?;
    let workshop = Arc::new(Workshop::new(sandbox, scratch, ForkLimits::default()));
    canary::prove(&workshop, &bare).await.map_err(setup)?;
    tracing::info!(tier = %workshop.sandbox.tier(), "the sandbox holds and every check has proved itself");
    let checkers = settings.checkers().map_err(setup)?;
    let handler = handler::Verifier {
        checkers,
        workshop: Arc::clone(&workshop),
        environments,
    };
    let service = connect(Stage::Verifier, &config.broker).await?;
    let ended = service.run(Arc::new(handler), config.slots, shutdown).await;
    workshop.close().await;
    clear(&workshop.scratch);
    ended
}

fn clear(scratch: &Path) {
    if let Err(error) = remove_tree(scratch) {
        tracing::warn!(folder = %scratch.display(), %error, "the files of earlier checks could not be removed");
    }
}

fn setup(error: impl std::fmt::Display) -> ServiceError {
    ServiceError::Setup(error.to_string())
}
