//! The planner: asks the model for a plan, and proposes none that did not pass every check.
//!
//! It reads the task and writes one record. It must not write files, start processes, or approve.

mod answer;
mod ask;
mod attempts;
mod check;
mod handler;
mod importable;
mod material;
mod prompt;
mod settings;

pub use answer::plan_in;
pub use ask::{Ask, Asked};
pub use attempts::{MAX_ATTEMPTS, propose};
pub use check::checked;
pub use handler::Planner;
pub use material::Material;
pub use settings::Settings;

use interlock_domain::Stage;
use interlock_model::Client;
use interlock_stage::{Config, ServiceError, connect};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Runs the service until `shutdown`.
///
/// # Errors
/// A configuration that cannot be right, or a broker that refuses this stage.
pub async fn run(config: Config<Settings>, shutdown: CancellationToken) -> Result<(), ServiceError> {
    let client = Client::new(config.service.model.clone()).map_err(|e| ServiceError::Setup(e.to_string()))?;
    let service = connect(Stage::Planner, &config.broker).await?;
    let planner = Planner::new(client).map_err(|e| ServiceError::Setup(e.to_string()))?;
    service.run(Arc::new(planner), config.slots, shutdown).await
}
