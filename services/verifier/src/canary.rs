//! At boot every check proves itself on a known-good and a known-bad file.
//!
//! A check that passes what is wrong, or refuses what is right, makes the verifier not ready.

use crate::import::{self, Question};
use crate::syntax;
use crate::toolbox::{Bench, ToolError};
use crate::workshop::Workshop;
use bytes::Bytes;
use interlock_domain::check::CheckResult;
use interlock_sandbox::Environment;
use interlock_stage::workspace::Sources;
use std::collections::BTreeMap;
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
        let (bench, files) = lay_out(scratch, environment, text)?;
        let (result, _) = syntax::run(&bench, sandbox, &files, &none).await?;
        expect(&result, is_good)?;
    }
    for (text, is_good) in [(GOOD, true), (BAD_IMPORT, false)] {
        let (bench, _) = lay_out(scratch, environment, text)?;
        let order = [PATH.to_owned()];
        let each = Duration::from_secs(30);
        let question = Question {
            files: &order,
            environment,
            preload: &[],
            each,
            memory_bytes: 1 << 30,
        };
        let (result, _) = import::run(&bench, workshop, question, &none).await?;
        expect(&result, is_good)?;
        let (result, _) = import::cold(&bench, sandbox, question, &none).await?;
        expect(&result, is_good)?;
    }
    Ok(())
}

fn lay_out(
    scratch: &Path,
    environment: &Environment,
    text: &'static str,
) -> Result<(Bench, BTreeMap<String, String>), ToolError> {
    let content = Bytes::from_static(text.as_bytes());
    let sources: Sources = PATH.parse().into_iter().map(|path| (path, content.clone())).collect();
    let files = BTreeMap::from([(PATH.to_owned(), text.to_owned())]);
    Ok((Bench::new(scratch, &sources, environment)?, files))
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
