//! The generator's own part of its configuration file.

use interlock_model::ModelConfig;
use serde::Deserialize;

/// The table `service`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The model that writes.
    pub model: ModelConfig,
}
