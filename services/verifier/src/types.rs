//! Types: the environment's `mypy` over the model's files, where the task asks for it.

use crate::lint::{Question, judge, names, unanswered};
use crate::toolbox::{Asked, Bench, TOOLS, ToolError};
use interlock_domain::check::CheckResult;
use interlock_domain::{FailureClass, Finding, Location};
use interlock_sandbox::{Arg, End, Limits, PYTHON_INSIDE, Profile, Sandbox};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Identity of the check.
pub const CHECK: &str = "types";
/// Version of the check.
pub const VERSION: u32 = 1;
/// File name of the configuration.
pub const CONFIG: &str = "mypy.ini";
/// What is asked for where the workspace has no configuration of the user's.
pub const DEFAULTS: &str = include_str!("../policy/mypy.ini");
/// Longest time for all files: stubs of large packages take minutes the first time.
const WALL: Duration = Duration::from_secs(600);
/// Room for the answer in bytes.
const ANSWER_BYTES: u64 = 16 << 20;
/// Most memory in bytes.
const MEMORY: u64 = 4 << 30;
/// Its exit statuses: nothing found, something found.
const ANSWERED: [i32; 2] = [0, 1];

#[derive(Deserialize)]
struct Found {
    file: String,
    line: i64,
    /// Counted from 0, and below that where it is not known.
    column: i64,
    message: String,
    code: Option<String>,
    severity: String,
}

/// The answer, with its failure class where it did not pass.
pub async fn run(
    bench: &Bench,
    sandbox: &Sandbox,
    question: Question<'_>,
    cancel: &CancellationToken,
) -> Result<(CheckResult, Option<FailureClass>), ToolError> {
    let mut args: Vec<Arg> = ["-B", "-m", "mypy", "--output", "json", "--cache-dir", "/dev/null"]
        .map(Arg::text)
        .into();
    if !question.configured {
        args.extend([Arg::text("--config-file"), Arg::inside(format!("{TOOLS}/{CONFIG}"))]);
    }
    args.push(Arg::text("--"));
    args.extend(question.files.iter().map(Arg::text));
    let asked = Asked {
        tool: "mypy",
        args,
        stdin: None,
        limits: Limits {
            wall: WALL,
            memory_bytes: MEMORY,
            output_bytes: ANSWER_BYTES,
            ..Limits::default()
        },
        profile: Profile::Strict,
    };
    let seen = bench
        .run_program(sandbox, Arg::inside(PYTHON_INSIDE), asked, cancel)
        .await?;
    let said = seen.stderr.to_text();
    if said.contains("No module named mypy") {
        return Ok(not_run(
            "the environment has no mypy; add it to the lock file".to_owned(),
        ));
    }
    let End::Exited(status) = seen.end else {
        return Ok(not_run(format!("mypy did not answer ({:?})", seen.end)));
    };
    if !ANSWERED.contains(&status) {
        return Ok(not_run(format!("mypy ended with status {status}: {}", said.trim())));
    }
    let stdout = seen.stdout.to_text();
    let lines = stdout.lines().filter(|line| !line.trim().is_empty());
    let found: Vec<Found> = match lines.map(serde_json::from_str).collect() {
        Ok(found) => found,
        Err(error) => return Ok(not_run(format!("mypy's answer is not understood: {error}"))),
    };
    let errors = found.iter().filter(|found| found.severity == "error");
    let theirs: Vec<Finding> = errors.filter_map(|found| finding(found, question.files)).collect();
    if status != 0 && found.is_empty() {
        return Ok(not_run("mypy found something and did not say what".to_owned()));
    }
    Ok(judge(CHECK, VERSION, "mypy", question.files.len(), theirs))
}

/// `None` for a finding about a file that is not the model's.
fn finding(found: &Found, files: &BTreeSet<String>) -> Option<Finding> {
    let file = files.iter().find(|file| names(&found.file, file))?;
    let at = Location {
        file: file.clone(),
        line: u32::try_from(found.line).unwrap_or(0),
        column: u32::try_from(found.column + 1).unwrap_or(0),
    };
    let rule = format!("types/{}", found.code.as_deref().unwrap_or("error"));
    Some(Finding::new(rule, at, found.message.clone()))
}

fn not_run(reason: String) -> (CheckResult, Option<FailureClass>) {
    unanswered(CHECK, VERSION, reason)
}
