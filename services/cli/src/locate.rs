//! Finds the programs that a stack is made of. Looks only; nothing is started here.

use std::env;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Looks up a variable; a value of its own so that tests need no global.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The variables of this process.
pub fn real_env(name: &str) -> Option<OsString> {
    env::var_os(name)
}

/// What is missing, where it was looked for, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum LocateError {
    /// A program that is built together with this one.
    #[error(
        "{program} is not in {dir}, where the rest of Interlock is; build it (make build), or set INTERLOCK_BIN_DIR"
    )]
    Program {
        /// Its name.
        program: String,
        /// Where it should be.
        dir: PathBuf,
    },
    /// A tool of other people.
    #[error("{tool} was not found ({looked}); {advice}")]
    Tool {
        /// Its name.
        tool: &'static str,
        /// Where it was looked for.
        looked: String,
        /// What to do.
        advice: &'static str,
    },
    /// This program's own place is not known.
    #[error("cannot tell where this program lies: {0}; set INTERLOCK_BIN_DIR")]
    Own(std::io::Error),
    /// Neither a cache folder nor a home is known.
    #[error("no cache folder: set INTERLOCK_CACHE to a folder of your own, or set HOME")]
    NoCache,
}

/// Where programs and tools are looked for.
pub struct Locator<'a> {
    env: Env<'a>,
    bin_dir: PathBuf,
}

impl<'a> Locator<'a> {
    /// Beside this program's own file, unless `INTERLOCK_BIN_DIR` says otherwise.
    pub fn new(env: Env<'a>) -> Result<Self, LocateError> {
        let bin_dir = match set(env, "INTERLOCK_BIN_DIR") {
            Some(dir) => dir,
            None => {
                let own = env::current_exe().map_err(LocateError::Own)?;
                own.parent().map(Path::to_owned).unwrap_or_default()
            }
        };
        let bin_dir = std::path::absolute(&bin_dir).map_err(LocateError::Own)?;
        Ok(Self { env, bin_dir })
    }

    /// One of Interlock's own programs.
    pub fn program(&self, name: &str) -> Result<PathBuf, LocateError> {
        let path = self.bin_dir.join(name);
        if is_program(&path) {
            return Ok(path);
        }
        Err(LocateError::Program {
            program: name.to_owned(),
            dir: self.bin_dir.clone(),
        })
    }

    /// The folder with everything that can be fetched or built again.
    pub fn cache(&self) -> Result<PathBuf, LocateError> {
        set(self.env, "INTERLOCK_CACHE")
            .or_else(|| set(self.env, "XDG_CACHE_HOME").map(|base| base.join("interlock")))
            .or_else(|| set(self.env, "HOME").map(|home| home.join(".cache/interlock")))
            .ok_or(LocateError::NoCache)
            .and_then(|path| std::path::absolute(path).map_err(LocateError::Own))
    }

    /// The broker.
    pub fn nats_server(&self) -> Result<PathBuf, LocateError> {
        self.tool("nats-server", "INTERLOCK_NATS_SERVER")
    }

    /// The builder of environments.
    pub fn uv(&self) -> Result<PathBuf, LocateError> {
        self.tool("uv", "INTERLOCK_UV")
    }

    /// Bubblewrap; without it only the landlock tier is left.
    pub fn bwrap(&self) -> Result<Option<PathBuf>, LocateError> {
        let chosen = self.chosen("INTERLOCK_BWRAP", "bwrap")?;
        Ok(chosen.or_else(|| self.on_path("bwrap")))
    }

    /// The interpreter that environments are made from. The system's own comes first: what version managers put on
    /// the PATH are wrappers that mean nothing inside a sandbox.
    pub fn python(&self) -> Result<PathBuf, LocateError> {
        if let Some(path) = self.chosen("INTERLOCK_PYTHON", "python3")? {
            return Ok(path);
        }
        let system = PathBuf::from("/usr/bin/python3");
        let found = if is_program(&system) {
            Some(system)
        } else {
            self.on_path("python3")
        };
        found.ok_or_else(|| LocateError::Tool {
            tool: "python3",
            looked: "INTERLOCK_PYTHON, /usr/bin/python3, PATH".to_owned(),
            advice: "install Python 3 with its venv module (make setup)",
        })
    }

    fn tool(&self, tool: &'static str, variable: &str) -> Result<PathBuf, LocateError> {
        if let Some(path) = self.chosen(variable, tool)? {
            return Ok(path);
        }
        let own = self.cache()?.join("tools/bin").join(tool);
        let found = if is_program(&own) {
            Some(own.clone())
        } else {
            self.on_path(tool)
        };
        found.ok_or_else(|| LocateError::Tool {
            tool,
            looked: format!("{variable}, {}, PATH", own.display()),
            advice: "fetch the pinned one (make setup)",
        })
    }

    /// What a variable names has to be there: falling back would use something else than what was asked for.
    fn chosen(&self, variable: &str, tool: &'static str) -> Result<Option<PathBuf>, LocateError> {
        match set(self.env, variable) {
            None => Ok(None),
            Some(path) if is_program(&path) => std::path::absolute(path).map(Some).map_err(LocateError::Own),
            Some(path) => Err(LocateError::Tool {
                tool,
                looked: format!("{variable}={}", path.display()),
                advice: "correct the variable, or unset it",
            }),
        }
    }

    fn on_path(&self, name: &str) -> Option<PathBuf> {
        let path = (self.env)("PATH")?;
        env::split_paths(&path)
            .filter(|dir| dir.is_absolute())
            .map(|dir| dir.join(name))
            .find(|file| is_program(file))
    }
}

fn set(env: Env<'_>, name: &str) -> Option<PathBuf> {
    env(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// A file that somebody may execute.
fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
