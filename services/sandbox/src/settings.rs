//! What a service's configuration file says about its sandbox and its environments.

use crate::command::Tier;
use crate::environment::Environments;
use crate::sandbox::SandboxConfig;
use serde::Deserialize;
use std::path::PathBuf;

/// The `[service]` table of a service that runs programs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunnerSettings {
    /// How programs are confined.
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
    /// Folder for the files of running programs.
    pub scratch: PathBuf,
    /// Devices that real runs may use beside the harmless ones, such as those of a GPU: `/dev/nvidia0`. Each of them is as
    /// safe as its driver.
    #[serde(default)]
    pub devices: Vec<PathBuf>,
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

impl EnvironmentSettings {
    /// The store that it names.
    pub fn environments(&self) -> Environments {
        Environments::new(self.root.clone(), self.uv.clone(), self.python.clone())
    }
}
