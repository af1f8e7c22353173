//! The environment that `--env` names: packages to be installed, or an interpreter that is used as it is.

use super::AloneError;
use interlock_sandbox::{Environment, EnvironmentError, RunnerSettings, Sandbox, existing};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// How to make a lock of requirements.
const MAKE_A_LOCK: &str =
    "only pinned packages with hashes are installed; make a lock with: uv pip compile --generate-hashes";
/// Files of other tools that people name as requirements, and how to make a lock of them.
const OTHER_FORMATS: [(&str, &str); 5] = [
    (
        "pyproject.toml",
        "uv pip compile --generate-hashes pyproject.toml -o requirements.lock",
    ),
    ("uv.lock", "uv export --no-emit-project -o requirements.lock"),
    ("poetry.lock", "poetry export -o requirements.lock"),
    ("Pipfile.lock", "pipenv requirements --hash > requirements.lock"),
    (
        "environment.yml",
        "name the interpreter of the installed environment instead",
    ),
];

/// What is known of where the checks are run.
#[derive(Debug)]
pub(super) struct Surroundings {
    /// The environment.
    pub(super) environment: Environment,
    /// Who made it.
    pub(super) origin: Origin,
}

/// Who made an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nothing beside the interpreter's own library.
    StandardLibrary,
    /// Built from a lock: the same everywhere.
    Lock,
    /// It was there, and nobody vouches for what is in it.
    Existing,
}

impl Origin {
    /// The word in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Origin::StandardLibrary => "standard library",
            Origin::Lock => "lock",
            Origin::Existing => "existing interpreter",
        }
    }
}

/// The environment that is named, or that of the standard library alone.
///
/// # Errors
/// It is neither a lock nor an interpreter, or cannot be had.
pub(super) async fn surroundings(
    named: Option<&Path>,
    runner: &RunnerSettings,
    sandbox: &Sandbox,
) -> Result<Surroundings, AloneError> {
    let environments = runner.environments.environments();
    let Some(path) = named else {
        let environment = environments.ensure(b"").await?;
        return Ok(Surroundings {
            environment,
            origin: Origin::StandardLibrary,
        });
    };
    let meta = fs::metadata(path).map_err(|source| AloneError::Read {
        path: path.to_owned(),
        source,
    })?;
    if meta.is_dir() || meta.permissions().mode() & 0o111 != 0 && !is_text(path) {
        let environment = existing(path, sandbox, &runner.sandbox.scratch).await?;
        return Ok(Surroundings {
            environment,
            origin: Origin::Existing,
        });
    }
    let unfit = |reason: String| AloneError::Requirements {
        path: path.to_owned(),
        reason,
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if let Some((_, how)) = OTHER_FORMATS.iter().find(|(other, _)| *other == name) {
        return Err(unfit(format!("it is no list of requirements; make one with: {how}")));
    }
    let lock = fs::read(path).map_err(|source| AloneError::Read {
        path: path.to_owned(),
        source,
    })?;
    match environments.ensure(&lock).await {
        Ok(environment) => Ok(Surroundings {
            environment,
            origin: Origin::Lock,
        }),
        Err(EnvironmentError::BadLock { line, reason }) => {
            let lock = PathBuf::from(path).with_extension("lock");
            let how = format!("{MAKE_A_LOCK} {} -o {}", path.display(), lock.display());
            Err(unfit(format!("line {line}: {reason}; {how}")))
        }
        Err(error) => Err(error.into()),
    }
}

/// A list of requirements may have been made executable by accident; an interpreter's shim is a script.
fn is_text(path: &Path) -> bool {
    let ends = |ending: &str| path.extension().is_some_and(|own| own == ending);
    ends("txt") || ends("lock") || ends("in") || ends("toml")
}
