//! Import: every file under its real name, in the run's environment, inside the sandbox.
//!
//! A file that passed before, with everything that it can reach, is not imported again.

mod fresh;
mod report;
mod warm;

pub(crate) use report::Report;

use crate::reach::Reach;
use crate::static_rules::contradiction;
use crate::toolbox::{Bench, ToolError};
use crate::workshop::Workshop;
use fresh::Fresh;
use interlock_domain::check::{CheckAnswer, CheckResult, Findings, Ran};
use interlock_domain::owned::harness_digest;
use interlock_domain::{Digest, FailureClass, Finding};
use interlock_sandbox::{Environment, Sandbox};
use report::Outcome;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use warm::Asked;

/// Identity of the check.
pub const CHECK: &str = "import";
/// Version of the check.
pub const VERSION: u32 = 2;
/// Most files in flight at once, whatever the machine has: what `preflight.py` takes.
const MOST_PARALLEL: usize = 8;

/// The check's answer, with its failure class where it failed.
pub type Answer = (CheckResult, Option<FailureClass>);

/// What is to be imported.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The files, in the order of the plan's levels.
    pub files: &'a [String],
    /// Where they will run.
    pub environment: &'a Environment,
    /// What each of them depends on.
    pub reach: &'a Reach,
    /// Packages of the environment that are worth importing once for all.
    pub preload: &'a [String],
    /// Longest time for one file.
    pub each: Duration,
    /// Most memory of all of it in bytes.
    pub memory_bytes: u64,
}

/// The answer about every file.
pub async fn run(
    bench: &Bench,
    workshop: &Workshop,
    question: Question<'_>,
    cancel: &CancellationToken,
) -> Result<Answer, ToolError> {
    let mut new = Vec::new();
    for path in question.files {
        let key = key(workshop, question, path);
        if key.and_then(|key| workshop.known.get(&key)).is_none() {
            new.push((path.clone(), key));
        }
    }
    let files: Vec<String> = new.iter().map(|(path, _)| path.clone()).collect();
    let known = question.files.len() - files.len();
    let asked = if files.is_empty() {
        Asked::default()
    } else {
        let some = Question {
            files: &files,
            ..question
        };
        match warm::ask(bench, workshop, some, cancel).await? {
            Ok(asked) => asked,
            Err(answer) => return Ok(answer),
        }
    };
    let fresh = asked.fresh.iter().filter(|report| report.passed());
    for passed in asked.warm.iter().chain(fresh.map(|report| &report.path)) {
        let key = new.iter().find(|(path, _)| path == passed).and_then(|(_, key)| *key);
        if let Some(key) = key {
            workshop.known.learn(key, String::new());
        }
    }
    Ok(judge(&asked, known, question.files.len()))
}

/// The answer of fresh interpreters alone.
pub async fn cold(
    bench: &Bench,
    sandbox: &Sandbox,
    question: Question<'_>,
    cancel: &CancellationToken,
) -> Result<Answer, ToolError> {
    match fresh::ask(bench, sandbox, question, cancel).await? {
        Fresh::Reports(fresh) => {
            let asked = Asked {
                fresh,
                ..Asked::default()
            };
            Ok(judge(&asked, 0, question.files.len()))
        }
        Fresh::Ended(answer) => Ok(answer),
    }
}

/// Files in flight at once: one per processor (measured: two are 1.6 times as fast as one on two).
pub(crate) fn parallel() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(MOST_PARALLEL))
}

/// What the import of a file depends on; `None` where that cannot be said.
fn key(workshop: &Workshop, question: Question<'_>, path: &str) -> Option<Digest> {
    let reached = question.reach.digest(path)?.to_string();
    let limits = format!("{} {}", question.each.as_secs(), question.memory_bytes);
    let (version, harness) = (VERSION.to_string(), harness_digest().to_string());
    let environment = &question.environment.digest;
    let tier = workshop.sandbox.tier().name();
    let parts = [CHECK, &version, &harness, environment, tier, &limits, path, &reached];
    Some(Digest::of_parts(parts.map(str::as_bytes)))
}

/// The answer about `files` files, of which so many were known; a pass only if every one of them passed.
fn judge(asked: &Asked, known: usize, files: usize) -> Answer {
    let (passed, bad): (Vec<&Report>, Vec<&Report>) = asked.fresh.iter().partition(|report| report.passed());
    let warm = asked.warm.len();
    let mut findings: Vec<Finding> = bad.iter().map(|report| report.finding()).collect();
    findings.sort();
    findings.dedup();
    if findings.is_empty() {
        let seen = known + warm + passed.len();
        if seen != files {
            let reason = format!("{seen} of {files} files were imported");
            return (result(CheckAnswer::NotRun { reason }), Some(FailureClass::Harness));
        }
        let what = format!("import of {files} files: {warm} in a warm interpreter, {known} known from before");
        let ran = Ran::new(what, 0).map(CheckAnswer::Passed);
        return (result(ran.unwrap_or_else(contradiction)), None);
    }
    let answer = if bad.iter().all(|report| report.outcome == Outcome::TimedOut) {
        CheckAnswer::TimedOut {
            reason: "an import did not end in time".to_owned(),
            findings,
        }
    } else {
        Findings::new(findings)
            .map(CheckAnswer::Failed)
            .unwrap_or_else(contradiction)
    };
    (result(answer), Some(FailureClass::Code))
}

fn result(answer: CheckAnswer) -> CheckResult {
    CheckResult {
        check: CHECK.to_owned(),
        version: VERSION,
        answer,
    }
}
