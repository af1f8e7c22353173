//! An interpreter that somebody else made, used as it is. Writes nothing there, and vouches for nothing in it: what can be
//! imported is what a look from inside the sandbox shows.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::build::{INTERPRETER, json_of, words};
use super::{Environment, EnvironmentError, Interpreter};
use crate::command::{Arg, Command, Limits, Profile};
use crate::observed::End;
use crate::python::{PYTHON_INSIDE, python_mounts};
use crate::sandbox::Sandbox;

const EXISTING: &str = include_str!("../../python/existing.py");
/// Room for the list: a few bytes for each of thousands of modules.
const LIST_BYTES: u64 = 16 << 20;
/// The oldest Python whose modules can be named by itself.
const OLDEST: (u32, u32) = (3, 10);

#[derive(Deserialize)]
struct Seen {
    implementation: String,
    version: String,
    platform: String,
    cache_tag: String,
    packages: Vec<(String, String, String)>,
    modules: Vec<String>,
    standard_modules: Vec<String>,
}

/// The environment around the interpreter at `named`: the interpreter's file, a virtual environment's folder, or an
/// installation's. `scratch` is an empty folder of the caller's that has to last as long as the environment is used.
///
/// # Errors
/// There is no such interpreter, or it cannot be shown inside the sandbox.
pub async fn existing(named: &Path, sandbox: &Sandbox, scratch: &Path) -> Result<Environment, EnvironmentError> {
    let path = match virtual_environment(named) {
        Some(folder) => folder,
        None => around(&interpreter(named).await?, scratch)?,
    };
    let seen = look(&path, sandbox).await?;
    let mut hash = Sha256::new();
    hash.update(b"an interpreter that was there\n");
    for part in [&seen.implementation, &seen.version, &seen.platform, &seen.cache_tag] {
        hash.update(format!("{part}\n"));
    }
    for (name, version, record) in &seen.packages {
        hash.update(format!("{name}=={version} {record}\n"));
    }
    for module in &seen.modules {
        hash.update(format!("{module}\n"));
    }
    Ok(Environment {
        digest: hex::encode(hash.finalize()),
        python: path.join("bin/python"),
        path,
        packages: seen
            .packages
            .into_iter()
            .map(|(name, version, _)| (name, version))
            .collect(),
        modules: seen.modules.into_iter().collect(),
        standard_modules: seen.standard_modules.into_iter().collect(),
    })
}

/// The virtual environment that is named, by its folder or by an interpreter in it. The interpreter's link is not
/// followed: where it leads to is not the environment.
fn virtual_environment(named: &Path) -> Option<PathBuf> {
    let folder = if named.is_dir() {
        Some(named)
    } else {
        named.parent().and_then(Path::parent)
    };
    let folder = folder.filter(|folder| folder.join("pyvenv.cfg").is_file())?;
    let has_python = folder.join("bin/python").exists();
    has_python
        .then(|| folder.to_owned())
        .and_then(|folder| fs::canonicalize(folder).ok())
}

/// The real interpreter, as it says itself: what is named may be a link or a shim.
async fn interpreter(named: &Path) -> Result<Interpreter, EnvironmentError> {
    let file = if named.is_dir() {
        ["bin/python3", "bin/python"]
            .map(|name| named.join(name))
            .into_iter()
            .find(|file| file.exists())
    } else {
        Some(named.to_owned())
    };
    let runs =
        |file: &PathBuf| fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
    let unfit = |reason: String| EnvironmentError::NotAnInterpreter {
        path: named.to_owned(),
        reason,
    };
    let file = file
        .filter(runs)
        .ok_or_else(|| unfit("there is no program bin/python in it".to_owned()))?;
    let file = std::path::absolute(&file).map_err(|error| unfit(error.to_string()))?;
    let found: Result<Interpreter, _> = json_of(
        "asking the interpreter",
        &file,
        &words(&["-I", "-S", "-c", INTERPRETER]),
    )
    .await;
    let found = found.map_err(|error| unfit(format!("it does not answer as a Python would: {error}")))?;
    let mut numbers = found.version.split('.').map(|part| part.parse().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < OLDEST {
        let (major, minor) = OLDEST;
        return Err(unfit(format!(
            "it is Python {}; {major}.{minor} is the oldest that can be asked",
            found.version
        )));
    }
    Ok(found)
}

/// A virtual environment of our own that shows everything that the interpreter has, so that it can be mounted like any
/// other. Two entries make one; nothing is installed.
fn around(interpreter: &Interpreter, scratch: &Path) -> Result<PathBuf, EnvironmentError> {
    let folder = scratch.join("interpreter");
    let failed = |source| EnvironmentError::Store {
        path: folder.clone(),
        source,
    };
    let home = interpreter.executable.parent().unwrap_or(Path::new("/"));
    let config = format!("home = {}\ninclude-system-site-packages = true\n", home.display());
    fs::create_dir_all(folder.join("bin")).map_err(failed)?;
    fs::write(folder.join("pyvenv.cfg"), config).map_err(failed)?;
    symlink(&interpreter.executable, folder.join("bin/python")).map_err(failed)?;
    Ok(folder)
}

async fn look(environment: &Path, sandbox: &Sandbox) -> Result<Seen, EnvironmentError> {
    let unfit = |reason: String| EnvironmentError::NotAnInterpreter {
        path: environment.to_owned(),
        reason,
    };
    let command = Command {
        program: Arg::inside(PYTHON_INSIDE),
        args: ["-I", "-B", "-c", EXISTING].map(Arg::text).to_vec(),
        env: BTreeMap::new(),
        cwd: "/".to_owned(),
        mounts: python_mounts(environment).map_err(|error| unfit(error.to_string()))?,
        profile: Profile::Strict,
        limits: Limits {
            output_bytes: LIST_BYTES,
            ..Limits::default()
        },
        stdin: None,
    };
    let observed = sandbox.run(command, CancellationToken::new()).await;
    let observed = observed.map_err(|error| unfit(error.to_string()))?;
    if observed.end != End::Exited(0) {
        let said = observed.stderr.to_text();
        let last = said.trim().lines().next_back().unwrap_or_default().to_owned();
        return Err(unfit(format!(
            "it does not run inside the sandbox ({:?}): {last}",
            observed.end
        )));
    }
    serde_json::from_str(&observed.stdout.to_text()).map_err(|error| unfit(error.to_string()))
}
