//! At boot every check proves itself on a known-good and a known-bad file.
//!
//! A check that passes what is wrong, or refuses what is right, makes the verifier not ready.

use crate::files;
use crate::import;
use crate::reach::Reach;
use crate::syntax;
use crate::toolbox::{Bench, ToolError};
use crate::workshop::Workshop;
use bytes::Bytes;
use interlock_domain::check::CheckResult;
use interlock_sandbox::Environment;
use interlock_stage::workspace::Sources;
use std::path::Path;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const PATH: &str = "src/canary.py";
const GOOD: &str = include_str!("../canaries/good.py");
const BAD_SYNTAX: &str = include_str!("../canaries/bad_syntax.py.txt");
const BAD_IMPORT: &str = include_str!("../canaries/bad_import.py.txt");

/// Why the verifier is not ready.
#[derive(Debug, thiserror::Error)]
pub enum CanaryError {
    /// A check could not be run at all.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// A check gave the wrong answer.
    #[error("the check {0} gave the wrong answer about a file that is known to be {1}")]
    Wrong(String, &'static str),
    /// A static rule gave the wrong answer.
    #[error("static rules gave wrong answers: {0}")]
    Rules(String),
}

/// Runs every check on files whose answer is known.
pub async fn prove(workshop: &Workshop, environment: &Environment) -> Result<(), CanaryError> {
    interlock_pysource::canaries().map_err(|failures| CanaryError::Rules(format!("{failures:?}")))?;
    let (sandbox, scratch) = (&workshop.sandbox, &workshop.scratch);
    let none = CancellationToken::new();
    for (text, is_good) in [(GOOD, true), (BAD_SYNTAX, false)] {
        let (bench, sources) = lay_out(scratch, environment, text)?;
        let question = syntax::Question {
            files: &files::python_files(&sources).map_err(ToolError::NotText)?,
            environment,
            preload: &[],
        };
        expect(&syntax::run(&bench, workshop, question, &none).await?.0, is_good)?;
        expect(&syntax::cold(&bench, sandbox, question.files, &none).await?.0, is_good)?;
    }
    for (text, is_good) in [(GOOD, true), (BAD_IMPORT, false)] {
        let (bench, sources) = lay_out(scratch, environment, text)?;
        let question = import::Question {
            files: &[PATH.to_owned()],
            environment,
            reach: &Reach::of(&sources),
            preload: &[],
            each: Duration::from_secs(30),
            memory_bytes: 1 << 30,
        };
        expect(&import::run(&bench, workshop, question, &none).await?.0, is_good)?;
        expect(&import::cold(&bench, sandbox, question, &none).await?.0, is_good)?;
    }
    Ok(())
}

fn lay_out(scratch: &Path, environment: &Environment, text: &'static str) -> Result<(Bench, Sources), ToolError> {
    let content = Bytes::from_static(text.as_bytes());
    let sources: Sources = PATH.parse().into_iter().map(|path| (path, content.clone())).collect();
    Ok((Bench::new(scratch, &sources, environment)?, sources))
}

fn expect(result: &CheckResult, is_good: bool) -> Result<(), CanaryError> {
    if result.passed() == is_good {
        return Ok(());
    }
    Err(CanaryError::Wrong(
        result.check.clone(),
        if is_good { "right" } else { "wrong" },
    ))
}
