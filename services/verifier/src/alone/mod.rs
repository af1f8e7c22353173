//! The verifier on any folder, without a broker or a model: for people, and for other people's pipelines.
//!
//! The same checks as in a run, where they make sense: nobody planned these files, and none is the harness's. Writes
//! nothing into the folder.

mod arguments;
mod folder;
mod report;
mod sarif;

pub use arguments::Arguments;
pub use folder::{Folder, FolderError};

use crate::checks::{Texts, not_run, rules};
use crate::files::{self, python_files};
use crate::fork_servers::ForkLimits;
use crate::import::{self, Question};
use crate::reach::Reach;
use crate::syntax;
use crate::testing;
use crate::toolbox::{Bench, ToolError};
use crate::workshop::Workshop;
use interlock_domain::check::CheckResult;
use interlock_domain::task::Limits;
use interlock_pysource::Declared;
use interlock_sandbox::{Environment, EnvironmentError, Sandbox, SandboxError};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Why a folder could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum AloneError {
    /// How it was called.
    #[error("{0}")]
    Usage(String),
    /// The folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file that was named.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Which.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The environment.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// The sandbox.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A check.
    #[error(transparent)]
    Tool(#[from] ToolError),
}

/// What was found out about a folder.
#[derive(Debug)]
pub struct Report {
    /// Every check's answer, in the folder's own paths.
    pub checks: Vec<CheckResult>,
    /// Version of the interpreter.
    pub interpreter: String,
    /// Python files that were looked at.
    pub files: usize,
}

impl Report {
    /// 0 if everything passed, 1 if something was found, 2 if something could not be checked.
    pub fn exit(&self) -> u8 {
        if self.checks.iter().any(|check| !check.findings().is_empty()) {
            1
        } else if self.checks.iter().all(CheckResult::passed) && !self.checks.is_empty() {
            0
        } else {
            2
        }
    }
}

/// Checks the folder that the arguments name, and answers what is to be printed with the exit code.
///
/// # Errors
/// It could not be checked, which is exit code 2.
pub async fn run(arguments: &Arguments) -> Result<(String, u8), AloneError> {
    let folder = Folder::read(&arguments.folder, &arguments.source_root)?;
    let sandbox = Sandbox::probe(arguments.runner.sandbox.config()).await?;
    let workshop = Workshop::new(
        Arc::new(sandbox),
        arguments.runner.sandbox.scratch.join("checks"),
        ForkLimits::default(),
    );
    let lock = match &arguments.lock {
        Some(path) => std::fs::read(path).map_err(|source| AloneError::Read {
            path: path.clone(),
            source,
        })?,
        None => Vec::new(),
    };
    let environment = arguments.runner.environments.environments().ensure(&lock).await?;
    let report = check(arguments, &folder, &workshop, &environment).await;
    workshop.close().await;
    let report = report?;
    Ok((arguments.format.print(&report, &folder), report.exit()))
}

async fn check(
    arguments: &Arguments,
    folder: &Folder,
    workshop: &Workshop,
    environment: &Environment,
) -> Result<Report, AloneError> {
    let cancel = CancellationToken::new();
    let sandbox = &*workshop.sandbox;
    let bench = Bench::new(&workshop.scratch, folder.sources(), environment)?;
    let python = python_files(folder.sources()).map_err(ToolError::NotText)?;
    let mut checks = vec![files::formats(folder.sources())];
    let preload = files::preload(&python, environment);
    let compile = syntax::Question {
        files: &python,
        environment,
        preload: &preload,
    };
    let (syntax, interpreter) = syntax::run(&bench, workshop, compile, &cancel).await?;
    checks.push(syntax);
    let nobody_planned = Declared {
        unplanned: true,
        ..Declared::default()
    };
    let texts = Texts::of(&python, folder.sources());
    let mut surroundings = environment.clone();
    if arguments.only_static && arguments.lock.is_none() {
        // Nobody has said what the files run with, so what they import from elsewhere may be there.
        let own = folder.modules();
        let others = files::words(&python).into_iter().filter(|name| !own.contains(name));
        surroundings.modules.extend(others);
    }
    checks.extend(rules(&bench, sandbox, &surroundings, nobody_planned, texts, &cancel).await?);
    let limits = Limits::default();
    let importable = folder.importable();
    let tests = folder.tests();
    if arguments.only_static {
        return Ok(folder.report(checks, interpreter, python.len()));
    }
    if checks.iter().all(CheckResult::passed) {
        let question = Question {
            files: &importable,
            environment,
            reach: &Reach::of(folder.sources()),
            preload: &preload,
            each: Duration::from_secs(limits.import_seconds),
            memory_bytes: limits.memory_mb << 20,
        };
        if !importable.is_empty() {
            checks.push(import::run(&bench, workshop, question, &cancel).await?.0);
        }
    } else {
        checks.push(not_run(import::CHECK, import::VERSION));
    }
    if !tests.is_empty() && checks.iter().all(CheckResult::passed) {
        let question = testing::Question {
            files: &tests,
            plan: None,
            limits: &limits,
        };
        checks.push(testing::run(&bench, sandbox, question, &cancel).await?.0);
    }
    Ok(folder.report(checks, interpreter, python.len()))
}
