//! What the verifier's configuration file says.

use crate::custom::Checker;
use bytes::Bytes;
use interlock_sandbox::{EnvironmentSettings, SandboxSettings};
use serde::Deserialize;
use std::path::PathBuf;

/// The `[service]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// How programs are confined.
    pub sandbox: SandboxSettings,
    /// Where environments are built.
    pub environments: EnvironmentSettings,
    /// Executables that are asked about every workspace; see `docs/custom.md`.
    #[serde(default)]
    pub checkers: Vec<PathBuf>,
}

/// A checker of the deployment that is not there.
#[derive(Debug, thiserror::Error)]
#[error("the checker {path} cannot be read: {source}; mend the path in the verifier's configuration")]
pub struct CheckerMissing {
    path: PathBuf,
    source: std::io::Error,
}

impl Settings {
    /// Reads the deployment's checkers.
    ///
    /// # Errors
    /// One of them cannot be read: without it nothing may pass.
    pub fn checkers(&self) -> Result<Vec<Checker>, CheckerMissing> {
        let read = self.checkers.iter().map(|path| {
            let content = std::fs::read(path).map_err(|source| CheckerMissing {
                path: path.clone(),
                source,
            })?;
            Ok(Checker {
                // A name that tells it from a checker of the task.
                name: format!("deployment-{}", path.file_name().unwrap_or_default().to_string_lossy()),
                content: Bytes::from(content),
            })
        });
        read.collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn settings(checker: &std::path::Path) -> Settings {
        let text = format!(
            "checkers = [{:?}]\n[sandbox]\nlauncher = \"l\"\nsupervisor = \"s\"\nscratch = \"x\"\n\
             [environments]\nroot = \"r\"\nuv = \"u\"\npython = \"p\"\n",
            checker
        );
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn a_deployments_checker_is_told_from_a_tasks_and_has_to_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("units.py");
        let missing = settings(&path).checkers().unwrap_err().to_string();
        assert!(
            missing.contains("units.py") && missing.contains("configuration"),
            "{missing}"
        );
        std::fs::write(&path, "pass\n").unwrap();
        let checkers = settings(&path).checkers().unwrap();
        let ids: Vec<String> = checkers.iter().map(Checker::check).collect();
        assert_eq!(ids, ["custom/deployment-units"]);
    }
}
