//! The verifier's own settings.

use interlock_sandbox::{SandboxConfig, Tier};
use serde::Deserialize;
use std::path::PathBuf;

/// The `[service]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// How checks are confined.
    pub sandbox: SandboxSettings,
    /// Where environments are built.
    pub environments: EnvironmentSettings,
}

/// The `[service.sandbox]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxSettings {
    /// The launcher's binary.
    pub launcher: PathBuf,
    /// The supervisor's binary.
    pub supervisor: PathBuf,
    /// Bubblewrap, where there is one.
    pub bwrap: Option<PathBuf>,
    /// The tier that has to hold; absent for the strongest that does.
    pub tier: Option<Tier>,
    /// Folder for the files of running checks.
    pub scratch: PathBuf,
}

/// The `[service.environments]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentSettings {
    /// Folder in which environments are kept.
    pub root: PathBuf,
    /// The `uv` binary.
    pub uv: PathBuf,
    /// The interpreter that environments are made from.
    pub python: PathBuf,
}

impl SandboxSettings {
    /// As the sandbox wants it.
    pub fn config(&self) -> SandboxConfig {
        SandboxConfig {
            launcher: self.launcher.clone(),
            supervisor: self.supervisor.clone(),
            bwrap: self.bwrap.clone(),
            tier: self.tier,
            scratch: self.scratch.join("sandbox"),
        }
    }
}
