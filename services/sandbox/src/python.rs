//! What a Python environment needs to be seen of inside the sandbox: itself and the interpreter it was made from.
//! Mounts nothing that could be somebody's home folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use interlock_domain::Disposition;

use crate::command::Mount;

/// Where the environment is mounted.
pub const ENVIRONMENT_INSIDE: &str = "/env";
/// The environment's interpreter, for [`crate::Arg::Inside`].
pub const PYTHON_INSIDE: &str = "/env/bin/python";

/// Folders that every sandbox shows anyway.
const ALWAYS_SEEN: [&str; 3] = ["/usr", "/bin", "/lib"];
/// Links from `bin/python` to the real interpreter: more than any real chain has.
const MAX_LINKS: usize = 16;

/// Why an environment cannot be mounted.
#[derive(Debug, thiserror::Error)]
pub enum PythonError {
    /// It is not an environment, or not readable.
    #[error("{path}: {source}")]
    Unreadable {
        /// What could not be read.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Its `pyvenv.cfg` does not say where the interpreter comes from.
    #[error("{0} names no `home`")]
    NoHome(PathBuf),
    /// The interpreter lies where mounting it would show more than an interpreter.
    #[error("the interpreter's prefix {0} is too broad to be shown to a program")]
    TooBroad(PathBuf),
    /// `bin/python` leads to a place that is not shown.
    #[error("bin/python leads through {0}, which no mount shows")]
    Unseen(PathBuf),
}

impl PythonError {
    /// What the caller should do about it.
    pub fn disposition(&self) -> Disposition {
        match self {
            PythonError::Unreadable { .. } => Disposition::Retry,
            PythonError::NoHome(_) | PythonError::TooBroad(_) | PythonError::Unseen(_) => Disposition::Escalate,
        }
    }
}

/// The mounts for a virtual environment: itself at [`ENVIRONMENT_INSIDE`], and the interpreter's own prefix at its own
/// path unless it belongs to the system. Run [`PYTHON_INSIDE`] in it.
///
/// # Errors
/// If the folder is no virtual environment, or its interpreter cannot be shown safely.
pub fn python_mounts(environment: &Path) -> Result<Vec<Mount>, PythonError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| PythonError::Unreadable { path, source }
    };
    let config = environment.join("pyvenv.cfg");
    let text = fs::read_to_string(&config).map_err(unreadable(&config))?;
    let home = home(&text).ok_or(PythonError::NoHome(config))?;
    let mut mounts = vec![Mount {
        host: environment.to_owned(),
        inside: ENVIRONMENT_INSIDE.to_owned(),
        writable: false,
    }];
    // Python looks for its library beside `home` as written, the system loads the binary that links lead to.
    let real_home = fs::canonicalize(&home).map_err(unreadable(&home))?;
    for bin in [home, real_home] {
        let prefix = bin.parent().unwrap_or(&bin).to_owned();
        if seen(&mounts, &prefix) {
            continue;
        }
        if too_broad(&prefix) {
            return Err(PythonError::TooBroad(prefix));
        }
        let Some(inside) = prefix.to_str().map(str::to_owned) else {
            return Err(PythonError::Unseen(prefix));
        };
        mounts.push(Mount {
            host: prefix,
            inside,
            writable: false,
        });
    }
    follow(environment, &mounts)?;
    Ok(mounts)
}

fn home(config: &str) -> Option<PathBuf> {
    let value = config
        .lines()
        .find_map(|line| line.split_once('=').filter(|(key, _)| key.trim() == "home"));
    value
        .map(|(_, value)| PathBuf::from(value.trim()))
        .filter(|path| path.is_absolute())
}

/// Whether a path is shown under its own name.
fn seen(mounts: &[Mount], path: &Path) -> bool {
    ALWAYS_SEEN.iter().any(|shown| path.starts_with(shown))
        || mounts.iter().any(|mount| path.starts_with(&mount.inside))
}

/// A prefix of one step (`/opt`, `/root`) or somebody's home is not an interpreter's.
fn too_broad(prefix: &Path) -> bool {
    let depth = prefix.components().count() - 1;
    depth < 2 || (depth == 2 && (prefix.starts_with("/home") || prefix.starts_with("/root")))
}

/// Every link from `bin/python` on leads to something that is shown.
fn follow(environment: &Path, mounts: &[Mount]) -> Result<(), PythonError> {
    let mut at = environment.join("bin/python");
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&at) else { break };
        at = at.parent().unwrap_or(Path::new("/")).join(target);
        if !at.starts_with(environment) && !seen(mounts, &at) {
            return Err(PythonError::Unseen(at));
        }
    }
    match fs::metadata(&at) {
        Ok(_) => Ok(()),
        Err(source) => Err(PythonError::Unreadable { path: at, source }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn homes_are_too_broad() {
        for path in ["/", "/opt", "/root", "/home", "/home/ann", "/root/x"] {
            assert!(too_broad(Path::new(path)), "{path}");
        }
        for path in ["/opt/python", "/root/.pyenv/versions/3.11", "/home/ann/python"] {
            assert!(!too_broad(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn home_is_read() {
        assert_eq!(home("a = b\nhome = /usr/bin \n"), Some(PathBuf::from("/usr/bin")));
        assert_eq!(home("home = relative\n"), None);
        assert_eq!(home("homes = /usr\n"), None);
    }
}
