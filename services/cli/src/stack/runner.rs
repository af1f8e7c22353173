//! Where a program that runs other programs finds its sandbox and its environments, as its configuration says it.

use super::ConfigError;
use crate::locate::{Env, Locator};
use serde::Serialize;
use std::path::PathBuf;

/// The two tables.
#[derive(Debug, Serialize)]
pub struct Runner {
    sandbox: Sandbox,
    environments: Environments,
}

#[derive(Debug, Serialize)]
struct Sandbox {
    launcher: PathBuf,
    supervisor: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    bwrap: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<String>,
    scratch: PathBuf,
}

#[derive(Debug, Serialize)]
struct Environments {
    root: PathBuf,
    uv: PathBuf,
    python: PathBuf,
}

/// With `scratch` as the folder for files of running programs.
///
/// # Errors
/// A program or tool that is missing.
pub fn runner(locator: &Locator<'_>, env: Env<'_>, scratch: PathBuf) -> Result<Runner, ConfigError> {
    let sandbox = Sandbox {
        launcher: locator.program("interlock-launcher")?,
        supervisor: locator.program("interlock-supervisor")?,
        bwrap: locator.bwrap()?,
        tier: text(env, "INTERLOCK_SANDBOX_TIER"),
        scratch,
    };
    let environments = Environments {
        root: locator.cache()?.join("environments"),
        uv: locator.uv()?,
        python: locator.python()?,
    };
    Ok(Runner { sandbox, environments })
}

/// A variable that is set to some text.
pub(super) fn text(env: Env<'_>, name: &str) -> Option<String> {
    env(name)
        .and_then(|value| value.into_string().ok())
        .filter(|value| !value.is_empty())
}
