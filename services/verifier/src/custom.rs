//! Custom checkers: executables of the task or of the deployment, asked about a workspace in the sandbox.
//!
//! What a checker finds counts as any finding does. A checker that fails to answer says nothing about the workspace:
//! that is never a pass, and never the model's fault.

use crate::checks::not_run;
use crate::static_rules::contradiction;
use crate::toolbox::{Asked, Bench, CHECKERS, ToolError};
use bytes::Bytes;
use interlock_domain::check::{CheckAnswer, CheckResult, Findings, Ran};
use interlock_domain::task::Limits as TaskLimits;
use interlock_domain::{Digest, FailureClass, Finding, Location, Manifest};
use interlock_sandbox::{Arg, End, Limits, Observed, PYTHON_INSIDE, Profile, Sandbox};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Version of the conversation, and of the check.
const VERSION: u32 = 1;
/// Most findings of one checker.
const MOST_FINDINGS: usize = 1_000;
/// Longest message in characters.
const LONGEST_MESSAGE: usize = 2_000;
/// Room for the answer in bytes.
const ANSWER_BYTES: u64 = 4 << 20;

/// An executable that is asked.
#[derive(Clone, Debug)]
pub struct Checker {
    /// File name; without its ending, what its findings are called by.
    pub name: String,
    /// The file.
    pub content: Bytes,
}

#[derive(Serialize)]
struct Request<'a> {
    version: u32,
    workspace: &'a str,
    files: Vec<RequestFile<'a>>,
}

#[derive(Serialize)]
struct RequestFile<'a> {
    path: &'a str,
    owner: &'static str,
    sha256: String,
    size: u64,
}

#[derive(Deserialize)]
struct Answer {
    version: u32,
    findings: Vec<AnswerFinding>,
}

#[derive(Deserialize)]
struct AnswerFinding {
    file: String,
    message: String,
    #[serde(default)]
    line: u32,
    #[serde(default)]
    column: u32,
}

impl Checker {
    /// Identity of the check.
    pub fn check(&self) -> String {
        let stem = self.name.rsplit_once('.').map_or(self.name.as_str(), |(stem, _)| stem);
        format!("custom/{stem}")
    }

    /// What is said where something else has to be mended first.
    pub(crate) fn not_run(&self) -> CheckResult {
        not_run(&self.check(), VERSION)
    }

    /// The answer, with the class of the failure where the checker did not answer.
    pub async fn run(
        &self,
        bench: &Bench,
        sandbox: &Sandbox,
        manifest: &Manifest,
        limits: &TaskLimits,
        cancel: &CancellationToken,
    ) -> Result<(CheckResult, Option<FailureClass>), ToolError> {
        bench.add_checker(&self.name, &self.content)?;
        let request = Request {
            version: VERSION,
            // The working folder: where nothing is remapped, no other name of it is the checker's.
            workspace: ".",
            files: manifest
                .iter()
                .map(|(path, entry)| RequestFile {
                    path: path.as_str(),
                    owner: entry.owner.name(),
                    sha256: entry.digest.to_string(),
                    size: entry.size,
                })
                .collect(),
        };
        let failed = |e: serde_json::Error| ToolError::Rules(format!("{}: {e}", self.name));
        let own = Arg::inside(format!("{CHECKERS}/{}", self.name));
        let (program, args) = if self.name.ends_with(".py") {
            let words = ["-I", "-B"].map(Arg::text);
            (Arg::inside(PYTHON_INSIDE), words.into_iter().chain([own]).collect())
        } else {
            (own, Vec::new())
        };
        let asked = Asked {
            tool: "a custom checker",
            args,
            stdin: Some(serde_json::to_vec(&request).map_err(failed)?),
            limits: Limits {
                wall: Duration::from_secs(limits.wall_seconds),
                memory_bytes: limits.memory_mb << 20,
                processes: limits.processes,
                output_bytes: ANSWER_BYTES,
                output_total: ANSWER_BYTES,
                ..Limits::default()
            },
            profile: Profile::Strict,
        };
        let started = bench.run_program(sandbox, program, asked, cancel).await;
        let read = match started {
            Ok(seen) => self.read(&seen, manifest),
            // A file that the kernel cannot execute is the checker's fault, as any other failure to answer.
            Err(ToolError::Sandbox(error @ interlock_sandbox::SandboxError::NotStarted(_))) => Err(error.to_string()),
            Err(error) => return Err(error),
        };
        let digest = Digest::of(&self.content);
        Ok(match read {
            Ok(found) if found.is_empty() => {
                let what = format!("{} ({digest}) on {} files", self.name, manifest.iter().count());
                let ran = Ran::new(what, 0).map(CheckAnswer::Passed);
                (self.result(ran.unwrap_or_else(contradiction)), None)
            }
            Ok(found) => {
                let found = Findings::new(found).map(CheckAnswer::Failed);
                (
                    self.result(found.unwrap_or_else(contradiction)),
                    Some(FailureClass::Code),
                )
            }
            Err(why) => {
                let reason = format!("the checker {} did not answer: {why}", self.name);
                (
                    self.result(CheckAnswer::NotRun { reason }),
                    Some(FailureClass::Environment),
                )
            }
        })
    }

    /// What it found, or why that is no answer.
    fn read(&self, seen: &Observed, manifest: &Manifest) -> Result<Vec<Finding>, String> {
        let stderr = seen.stderr.to_text();
        let last = stderr.trim().lines().last().unwrap_or_default();
        match seen.end {
            End::Exited(0) => {}
            End::Exited(status) => return Err(format!("it ended with status {status}; {last}")),
            End::Signaled(signal) => return Err(format!("it died of signal {signal}")),
            End::Limit(limit) => return Err(format!("it reached the {} limit", limit.name())),
            End::Cancelled => return Err("it was cancelled".to_owned()),
        }
        let answer: Answer = serde_json::from_str(&seen.stdout.to_text())
            .map_err(|e| format!("its output is not the JSON object that is expected: {e}"))?;
        if answer.version != VERSION {
            return Err(format!("it speaks version {}; expected {VERSION}", answer.version));
        }
        if answer.findings.len() > MOST_FINDINGS {
            return Err(format!("it has more than {MOST_FINDINGS} findings"));
        }
        answer
            .findings
            .into_iter()
            .map(|found| self.finding(found, manifest))
            .collect()
    }

    fn finding(&self, found: AnswerFinding, manifest: &Manifest) -> Result<Finding, String> {
        if found.message.trim().is_empty() {
            return Err(format!("it has a finding about {:?} without a message", found.file));
        }
        if !manifest.iter().any(|(path, _)| path.as_str() == found.file) {
            return Err(format!(
                "it has a finding about {:?}, which the workspace has not",
                found.file
            ));
        }
        let at = Location {
            file: found.file,
            line: found.line,
            column: found.column,
        };
        let message: String = found.message.chars().take(LONGEST_MESSAGE).collect();
        Ok(Finding::new(self.check(), at, message))
    }

    fn result(&self, answer: CheckAnswer) -> CheckResult {
        CheckResult {
            check: self.check(),
            version: VERSION,
            answer,
        }
    }
}
