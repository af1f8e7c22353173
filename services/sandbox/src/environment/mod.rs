//! Python environments by lock file: built once, named by what is in them, shared by every check and run. Trusts the
//! hashes in the lock file and nothing else; runs nothing of what it installs.

mod build;
mod error;
mod existing;
mod lock;
mod tool;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;

use build::Store;
pub use error::EnvironmentError;
pub use existing::existing;

/// An environment that is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// SHA-256, in hex, over the lock file, the interpreter and everything that was installed. The same on every
    /// machine with the same interpreter and platform.
    pub digest: String,
    /// The virtual environment's folder; see [`crate::python_mounts`].
    pub path: PathBuf,
    /// Its interpreter, on the host.
    pub python: PathBuf,
    /// Name and version of every installed package, sorted.
    pub packages: Vec<(String, String)>,
    /// The top-level modules that the packages bring.
    pub modules: BTreeSet<String>,
    /// The top-level modules of the interpreter's own library.
    pub standard_modules: BTreeSet<String>,
}

/// What is known of the base interpreter.
#[derive(Clone, Debug, Deserialize)]
struct Interpreter {
    implementation: String,
    version: String,
    platform: String,
    cache_tag: String,
    executable: PathBuf,
    standard_modules: BTreeSet<String>,
}

/// A folder of environments. Several processes may share it.
#[derive(Debug)]
pub struct Environments {
    store: Store,
    interpreter: OnceCell<Interpreter>,
}

impl Environments {
    /// Environments below `root`, installed by `uv` for the interpreter `python`.
    pub fn new(root: PathBuf, uv: PathBuf, python: PathBuf) -> Environments {
        Environments {
            store: Store { root, uv, python },
            interpreter: OnceCell::new(),
        }
    }

    /// The environment for a lock file (requirements with hashes, as `uv pip compile --generate-hashes` writes it).
    /// Built if it is not there yet, which may take minutes; otherwise a matter of milliseconds.
    ///
    /// # Errors
    /// See [`EnvironmentError`]; nothing is left half-built.
    pub async fn ensure(&self, lock: &[u8]) -> Result<Environment, EnvironmentError> {
        let packages = lock::check(lock)?;
        let interpreter = self.interpreter.get_or_try_init(|| self.store.interpreter()).await?;
        let key = key(lock, interpreter);
        self.store.ensure(&key, interpreter, lock, packages).await
    }
}

/// What an environment is built from, in one hash.
fn key(lock: &[u8], interpreter: &Interpreter) -> String {
    let Interpreter {
        implementation,
        version,
        platform,
        cache_tag,
        executable: _,
        standard_modules: _,
    } = interpreter;
    let mut hash = Sha256::new();
    hash.update(Sha256::digest(lock));
    for part in [implementation, version, platform, cache_tag] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hex::encode(hash.finalize())
}

/// The name of a folder of the store: the same key built from an interpreter elsewhere is another folder, because an
/// environment points to its interpreter.
fn folder_name(key: &str, python: &Path) -> String {
    let mut hash = Sha256::new();
    hash.update(key.as_bytes());
    hash.update(std::os::unix::ffi::OsStrExt::as_bytes(python.as_os_str()));
    hex::encode(hash.finalize())
}
