//! How the checks are asked for. `interlock check` fills in where its tools are.

use super::AloneError;
use super::report::Format;
use interlock_sandbox::RunnerSettings;
use std::ffi::OsString;
use std::path::PathBuf;

/// What is to be checked, and with what.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// The folder.
    pub folder: PathBuf,
    /// The folder in it that is first on the module path.
    pub source_root: PathBuf,
    /// The lock file of the environment; absent for the standard library alone.
    pub lock: Option<PathBuf>,
    /// Run nothing of the folder's code.
    pub only_static: bool,
    /// How to print.
    pub format: Format,
    /// Where the tools are, as a service's configuration says it.
    pub runner: RunnerSettings,
}

impl Arguments {
    /// `CONFIG DIR [--root DIR] [--lock FILE] [--static] [--json|--sarif]`; CONFIG is a TOML file with the tables of
    /// [`RunnerSettings`].
    ///
    /// # Errors
    /// Words that are missing or not understood, by name.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, AloneError> {
        let usage = |why: String| AloneError::Usage(why);
        let mut words = words.into_iter();
        let mut next = |what: &str| {
            words
                .next()
                .map(PathBuf::from)
                .ok_or_else(|| AloneError::Usage(format!("{what} is missing")))
        };
        let config = next("the configuration")?;
        let folder = next("the folder")?;
        let text = std::fs::read_to_string(&config).map_err(|source| AloneError::Read {
            path: config.clone(),
            source,
        })?;
        let runner = toml::from_str(&text).map_err(|e| usage(format!("{}: {e}", config.display())))?;
        let default_root = if folder.join("src").is_dir() { "src" } else { "." };
        let mut arguments = Self {
            folder,
            source_root: PathBuf::from(default_root),
            lock: None,
            only_static: false,
            format: Format::Text,
            runner,
        };
        while let Ok(word) = next("") {
            match word.to_str() {
                Some("--root") => arguments.source_root = next("the folder after --root")?,
                Some("--lock") => arguments.lock = Some(next("the file after --lock")?),
                Some("--static") => arguments.only_static = true,
                Some("--json") => arguments.format = Format::Json,
                Some("--sarif") => arguments.format = Format::Sarif,
                Some(_) | None => return Err(usage(format!("{} is not understood", word.display()))),
            }
        }
        Ok(arguments)
    }
}
