//! Lint: the environment's `ruff` over the model's files, where the task asks for it.

use crate::static_rules::contradiction;
use crate::toolbox::{Asked, Bench, TOOLS, ToolError};
use interlock_domain::check::{CheckAnswer, CheckResult, Findings, Ran};
use interlock_domain::{FailureClass, Finding, Location};
use interlock_sandbox::{Arg, ENVIRONMENT_INSIDE, End, Limits, Profile, Sandbox, SandboxError};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Identity of the check.
pub const CHECK: &str = "lint";
/// Version of the check.
pub const VERSION: u32 = 1;
/// File name of the configuration.
pub const CONFIG: &str = "ruff.toml";
/// What is asked for where the workspace has no configuration of the user's.
pub const DEFAULTS: &str = include_str!("../policy/ruff.toml");
/// Longest time for all files.
const WALL: Duration = Duration::from_secs(120);
/// Room for the answer in bytes.
const ANSWER_BYTES: u64 = 16 << 20;

/// Files that a tool of the environment looks at.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The model's Python files.
    pub files: &'a BTreeSet<String>,
    /// Whether the workspace has a configuration of the user's own.
    pub configured: bool,
}

#[derive(Deserialize)]
struct Found {
    code: Option<String>,
    message: String,
    filename: String,
    location: Place,
}

#[derive(Deserialize)]
struct Place {
    row: u32,
    column: u32,
}

/// The answer, with its failure class where it did not pass.
pub async fn run(
    bench: &Bench,
    sandbox: &Sandbox,
    question: Question<'_>,
    cancel: &CancellationToken,
) -> Result<(CheckResult, Option<FailureClass>), ToolError> {
    let mut args: Vec<Arg> = ["check", "--no-cache", "--exit-zero", "--output-format", "json"]
        .map(Arg::text)
        .into();
    if !question.configured {
        args.extend([Arg::text("--config"), Arg::inside(format!("{TOOLS}/{CONFIG}"))]);
    }
    args.push(Arg::text("--"));
    args.extend(question.files.iter().map(Arg::text));
    let asked = Asked {
        tool: "ruff",
        args,
        stdin: None,
        limits: Limits {
            wall: WALL,
            output_bytes: ANSWER_BYTES,
            ..Limits::default()
        },
        profile: Profile::Strict,
    };
    let program = Arg::inside(format!("{ENVIRONMENT_INSIDE}/bin/ruff"));
    let seen = match bench.run_program(sandbox, program, asked, cancel).await {
        Ok(seen) => seen,
        Err(ToolError::Sandbox(SandboxError::NotStarted(_))) => {
            return Ok(not_run(
                "the environment has no ruff; add it to the lock file".to_owned(),
            ));
        }
        Err(error) => return Err(error),
    };
    if seen.end != End::Exited(0) {
        let said = seen.stderr.to_text();
        return Ok(not_run(format!(
            "ruff did not answer ({:?}): {}",
            seen.end,
            said.trim()
        )));
    }
    let found: Vec<Found> = match serde_json::from_str(&seen.stdout.to_text()) {
        Ok(found) => found,
        Err(error) => return Ok(not_run(format!("ruff's answer is not understood: {error}"))),
    };
    let findings: Vec<Finding> = found
        .iter()
        .filter_map(|found| finding(found, question.files))
        .collect();
    Ok(judge(CHECK, VERSION, "ruff", question.files.len(), findings))
}

/// `None` for a finding about a file that is not the model's.
fn finding(found: &Found, files: &BTreeSet<String>) -> Option<Finding> {
    let file = files.iter().find(|file| names(&found.filename, file))?;
    let at = Location {
        file: file.clone(),
        line: found.location.row,
        column: found.location.column,
    };
    let rule = format!("lint/{}", found.code.as_deref().unwrap_or("syntax"));
    Some(Finding::new(rule, at, found.message.clone()))
}

/// Whether a tool's path, absolute or not, is that of a file of the workspace.
pub(crate) fn names(path: &str, file: &str) -> bool {
    path == file || path.strip_suffix(file).is_some_and(|before| before.ends_with('/'))
}

/// A pass where a tool found nothing in the files.
pub(crate) fn judge(
    check: &str,
    version: u32,
    tool: &str,
    files: usize,
    findings: Vec<Finding>,
) -> (CheckResult, Option<FailureClass>) {
    let (answer, class) = if findings.is_empty() {
        let ran = Ran::new(format!("{tool} on {files} files"), 0);
        (ran.map(CheckAnswer::Passed), None)
    } else {
        (
            Findings::new(findings).map(CheckAnswer::Failed),
            Some(FailureClass::Code),
        )
    };
    let result = CheckResult {
        check: check.to_owned(),
        version,
        answer: answer.unwrap_or_else(contradiction),
    };
    (result, class)
}

fn not_run(reason: String) -> (CheckResult, Option<FailureClass>) {
    unanswered(CHECK, VERSION, reason)
}

/// What is said where a tool of the environment did not answer.
pub(crate) fn unanswered(check: &str, version: u32, reason: String) -> (CheckResult, Option<FailureClass>) {
    let result = CheckResult {
        check: check.to_owned(),
        version,
        answer: CheckAnswer::NotRun { reason },
    };
    (result, Some(FailureClass::Environment))
}
