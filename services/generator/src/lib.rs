//! The generator: has the model write the files of the plan, one at a time, and takes nothing that is not a whole file.
//!
//! It writes what the plan names and the model owns. It must not start processes, judge a file, or approve anything.

mod ask;
mod attempts;
mod context;
pub mod extract;
mod handler;
mod mend;
mod prompt;
mod settings;
mod turn;
mod which;

pub use ask::{Ask, Asked};
pub use attempts::{Accepted, Job, MAX_ATTEMPTS, write_file};
pub use context::{Context, Dependency, PROMPT_SOURCE_BYTES, Sources, dependencies_of};
pub use extract::file_in;
pub use handler::Generator;
pub use mend::{at_fault, findings_about};
pub use prompt::Brief;
pub use settings::Settings;
pub use turn::{Turn, take};

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
    let service = connect(Stage::Generator, &config.broker).await?;
    let generator = Generator::new(client).map_err(|e| ServiceError::Setup(e.to_string()))?;
    service.run(Arc::new(generator), config.slots, shutdown).await
}
