//! Syntax: the run's own interpreter decides, by `compile`.

use crate::fork_servers::Request;
use crate::import::Report;
use crate::static_rules::contradiction;
use crate::toolbox::{Asked, Bench, ToolError};
use crate::workshop::Workshop;
use interlock_domain::check::{CheckAnswer, CheckResult, Findings, Ran};
use interlock_domain::owned::harness_digest;
use interlock_domain::{Digest, Finding, Location};
use interlock_sandbox::{End, Environment, Limits, Profile, Sandbox};
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
/// Longest time and most memory of all files together in a warm interpreter; a fresh one takes each by itself.
const WARM_SECONDS: u64 = 20;
const WARM_MEMORY: u64 = 1 << 30;
/// Room for the answer; findings are short.
const ANSWER_BYTES: u64 = 16 << 20;

/// What is to be compiled.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The files with their text.
    pub files: &'a BTreeMap<String, String>,
    /// Where they will run.
    pub environment: &'a Environment,
    /// Packages that a warm interpreter has, or will need.
    pub preload: &'a [String],
}

/// The check's answer, and the version of the interpreter that gave it.
pub type Answer = (CheckResult, String);

#[derive(Serialize)]
struct Input<'a> {
    files: Vec<RequestFile<'a>>,
}

#[derive(Serialize)]
struct RequestFile<'a> {
    path: &'a str,
    text: &'a str,
}

#[derive(Deserialize)]
struct Output {
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

/// The answer, and the version of the interpreter that gave it. A file that was compiled before is not compiled again,
/// and what a warm interpreter does not pass, a fresh one decides.
pub async fn run(
    bench: &Bench,
    workshop: &Workshop,
    question: Question<'_>,
    cancel: &CancellationToken,
) -> Result<Answer, ToolError> {
    let key = |path: &str, text: &str| {
        let harness = harness_digest().to_string();
        let environment = &question.environment.digest;
        let version = VERSION.to_string();
        Digest::of_parts([CHECK, &version, &harness, environment, path, text].map(str::as_bytes))
    };
    let keys = question.files.iter().map(|(path, text)| (path, key(path, text)));
    let mut interpreter = None;
    let mut new = Vec::new();
    for (path, key) in keys {
        match workshop.known.get(&key) {
            Some(version) => interpreter = Some(version),
            None => new.push((path.clone(), key)),
        }
    }
    if !new.is_empty() || interpreter.is_none() {
        let request = Request {
            folder: bench.folder().to_owned(),
            files: Vec::new(),
            compile: new.iter().map(|(path, _)| path.clone()).collect(),
            timeout: WARM_SECONDS,
            memory: WARM_MEMORY,
        };
        let servers = &workshop.servers;
        let said = servers
            .ask(question.environment, question.preload, request, cancel)
            .await;
        let Some(said) = said.filter(|said| said.reports.iter().all(Report::passed)) else {
            return cold(bench, &workshop.sandbox, question.files, cancel).await;
        };
        if said.reports.len() != usize::from(!new.is_empty()) {
            return cold(bench, &workshop.sandbox, question.files, cancel).await;
        }
        for (_, key) in new {
            workshop.known.learn(key, said.interpreter.clone());
        }
        interpreter = Some(said.interpreter);
    }
    let interpreter = interpreter.unwrap_or_default();
    Ok((passed(question.files.len(), &interpreter), interpreter))
}

fn passed(files: usize, interpreter: &str) -> CheckResult {
    let ran = Ran::new(format!("compile() of {files} files in Python {interpreter}"), 0);
    result(ran.map(CheckAnswer::Passed).unwrap_or_else(contradiction))
}

/// The answer of a fresh interpreter.
pub async fn cold(
    bench: &Bench,
    sandbox: &Sandbox,
    files: &BTreeMap<String, String>,
    cancel: &CancellationToken,
) -> Result<Answer, ToolError> {
    let failed = |why: String| ToolError::Answer { tool: TOOL, why };
    let request = Input {
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
    let answer: Output = serde_json::from_str(&seen.stdout.to_text()).map_err(|e| failed(e.to_string()))?;
    let mut answered: Vec<&str> = answer.results.iter().map(|file| file.path.as_str()).collect();
    answered.sort_unstable();
    if !answered.iter().copied().eq(files.keys().map(String::as_str)) {
        return Err(failed(
            "it did not answer about exactly the files it was asked about".to_owned(),
        ));
    }
    let findings: Vec<Finding> = answer.results.iter().filter(|file| !file.ok).map(finding).collect();
    if findings.is_empty() {
        return Ok((passed(files.len(), &answer.python), answer.python));
    }
    let failed = Findings::new(findings).map(CheckAnswer::Failed);
    Ok((result(failed.unwrap_or_else(contradiction)), answer.python))
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
