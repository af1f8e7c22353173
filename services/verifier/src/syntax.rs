//! Syntax: the run's own interpreter decides, by `compile`.

use crate::static_rules::contradiction;
use crate::toolbox::{Asked, Bench, ToolError};
use interlock_domain::check::{CheckAnswer, CheckResult, Findings, Ran};
use interlock_domain::{Finding, Location};
use interlock_sandbox::{End, Limits, Profile, Sandbox};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Identity of the check.
pub const CHECK: &str = "syntax";
const VERSION: u32 = 1;
const TOOL: &str = "compile_check.py";
/// Longest time for all files together.
const WALL: Duration = Duration::from_secs(60);
/// Room for the answer; findings are short.
const ANSWER_BYTES: u64 = 16 << 20;

#[derive(Serialize)]
struct Request<'a> {
    files: Vec<RequestFile<'a>>,
}

#[derive(Serialize)]
struct RequestFile<'a> {
    path: &'a str,
    text: &'a str,
}

#[derive(Deserialize)]
struct Answer {
    python: String,
    results: Vec<FileAnswer>,
}

#[derive(Deserialize)]
struct FileAnswer {
    path: String,
    ok: bool,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    message: String,
    line: Option<u32>,
    column: Option<u32>,
}

/// The answer, and the version of the interpreter that gave it.
pub async fn run(
    bench: &Bench,
    sandbox: &Sandbox,
    files: &BTreeMap<String, String>,
    cancel: &CancellationToken,
) -> Result<(CheckResult, String), ToolError> {
    let failed = |why: String| ToolError::Answer { tool: TOOL, why };
    let request = Request {
        files: files.iter().map(|(path, text)| RequestFile { path, text }).collect(),
    };
    let stdin = serde_json::to_vec(&request).map_err(|e| failed(e.to_string()))?;
    let limits = Limits {
        wall: WALL,
        output_bytes: ANSWER_BYTES,
        ..Limits::default()
    };
    let asked = Asked {
        tool: TOOL,
        args: Vec::new(),
        stdin: Some(stdin),
        limits,
        profile: Profile::Strict,
    };
    let seen = bench.run(sandbox, asked, cancel).await?;
    if let End::Limit(limit) = seen.end {
        let reason = format!("compiling reached the {} limit", limit.name());
        return Ok((
            result(CheckAnswer::TimedOut {
                reason,
                findings: Vec::new(),
            }),
            String::new(),
        ));
    }
    if seen.end != End::Exited(0) {
        return Err(failed(format!("{:?}: {}", seen.end, seen.stderr.to_text())));
    }
    let answer: Answer = serde_json::from_str(&seen.stdout.to_text()).map_err(|e| failed(e.to_string()))?;
    let mut answered: Vec<&str> = answer.results.iter().map(|file| file.path.as_str()).collect();
    answered.sort_unstable();
    if !answered.iter().copied().eq(files.keys().map(String::as_str)) {
        return Err(failed(
            "it did not answer about exactly the files it was asked about".to_owned(),
        ));
    }
    let findings: Vec<Finding> = answer.results.iter().filter(|file| !file.ok).map(finding).collect();
    let checked = if findings.is_empty() {
        Ran::new(
            format!("compile() of {} files in Python {}", files.len(), answer.python),
            0,
        )
        .map(CheckAnswer::Passed)
    } else {
        Findings::new(findings).map(CheckAnswer::Failed)
    };
    Ok((result(checked.unwrap_or_else(contradiction)), answer.python))
}

fn finding(file: &FileAnswer) -> Finding {
    let at = Location {
        file: file.path.clone(),
        line: file.line.unwrap_or(0),
        column: file.column.unwrap_or(0),
    };
    Finding::new(CHECK, at, format!("{}: {}", file.kind, file.message))
}

fn result(answer: CheckAnswer) -> CheckResult {
    CheckResult {
        check: CHECK.to_owned(),
        version: VERSION,
        answer,
    }
}
