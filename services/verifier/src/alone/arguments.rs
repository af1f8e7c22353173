//! How the checks are asked for. `interlock check` fills in where its tools are.

use super::AloneError;
use super::report::Format;
use interlock_sandbox::RunnerSettings;
use std::ffi::OsString;
use std::path::PathBuf;

/// What is wanted.
#[derive(Clone, Debug)]
pub enum Wish {
    /// A folder is to be checked.
    Check(Box<Arguments>),
    /// A rule is to be explained; all of them where none is named.
    Explain(Option<String>),
}

/// What is to be checked, and with what.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// The folder.
    pub folder: PathBuf,
    /// The script that it is run as, whose folder is first on the module path.
    pub entry: Option<PathBuf>,
    /// The folder in it that is first on the module path, where there is no script.
    pub root: Option<PathBuf>,
    /// A lock file, an interpreter or a virtual environment; absent for the standard library alone.
    pub environment: Option<PathBuf>,
    /// The plan that it follows.
    pub plan: Option<PathBuf>,
    /// An earlier version: what is found in it as well does not count.
    pub base: Option<PathBuf>,
    /// Run nothing of the folder's code.
    pub only_static: bool,
    /// How to print.
    pub format: Format,
    /// Where the tools are, as a service's configuration says it.
    pub runner: RunnerSettings,
}

impl Wish {
    /// `explain [RULE]`, or `CONFIG DIR [--entry FILE | --root DIR] [--env FILE] [--plan FILE] [--base DIR] [--static]
    /// [--json|--sarif|--colour]`; CONFIG is a TOML file with the tables of [`RunnerSettings`].
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
        if config.as_os_str() == "explain" {
            let rule = next("").ok().map(|rule| rule.display().to_string());
            return Ok(Self::Explain(rule));
        }
        let folder = next("the folder")?;
        let text = std::fs::read_to_string(&config).map_err(|source| AloneError::Read {
            path: config.clone(),
            source,
        })?;
        let runner = toml::from_str(&text).map_err(|e| usage(format!("{}: {e}", config.display())))?;
        let mut arguments = Arguments {
            folder,
            entry: None,
            root: None,
            environment: None,
            plan: None,
            base: None,
            only_static: false,
            format: Format::Text { colour: false },
            runner,
        };
        while let Ok(word) = next("") {
            match word.to_str() {
                Some("--entry") => arguments.entry = Some(next("the file after --entry")?),
                Some("--root") => arguments.root = Some(next("the folder after --root")?),
                Some("--env") => arguments.environment = Some(next("the file after --env")?),
                Some("--plan") => arguments.plan = Some(next("the file after --plan")?),
                Some("--base") => arguments.base = Some(next("the folder after --base")?),
                Some("--static") => arguments.only_static = true,
                Some("--json") => arguments.format = Format::Json,
                Some("--sarif") => arguments.format = Format::Sarif,
                Some("--colour") => arguments.format = Format::Text { colour: true },
                Some(_) | None => return Err(usage(format!("{} is not understood", word.display()))),
            }
        }
        Ok(Self::Check(Box::new(arguments)))
    }
}
