//! Has one file written: asks until an answer holds it, a bounded number of times.
//!
//! Knows neither bus nor chain: what asks is handed to it.

use crate::ask::Ask;
use crate::context::Context;
use crate::extract::file_in;
use crate::prompt::{self, Brief};
use interlock_domain::finding::bounded;
use interlock_domain::payload::{ModelCall, RefusedAnswer};
use interlock_domain::{FailureClass, Finding, Location, Plan, WorkspacePath, owned};
use interlock_pysource::shape_of_repair;
use interlock_stage::WorkError;

/// Answers that are asked for in one turn before a human is.
pub const MAX_ATTEMPTS: u32 = 3;
/// Room for what was wrong with one answer, in bytes: those of a whole level go on one record.
const MAX_FINDINGS_BYTES: usize = 8 * 1024;
/// Names that one answer is told to have lost: enough to learn from, and bounded on the record.
const TOLD_LOSSES: usize = 20;

/// A file to be written.
#[derive(Clone, Debug)]
pub struct Job {
    /// Which.
    pub path: WorkspacePath,
    /// Number of the first answer to ask for.
    pub first_attempt: u32,
    /// The file as it is, for a repair.
    pub current: Option<String>,
    /// What is wrong with it.
    pub findings: Vec<Finding>,
    /// Whether to write it afresh instead of editing it.
    pub rewrite: bool,
    /// The files that it imports from.
    pub dependencies: Context,
    /// The files that import from it, shown for a rewrite.
    pub dependents: Context,
}

/// A file that an answer held.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// Which.
    pub path: WorkspacePath,
    /// Its content.
    pub content: String,
    /// Number of the answer.
    pub attempt: u32,
    /// The call that gave it.
    pub call: ModelCall,
}

/// The file, or nothing where no answer held it; and every answer that could not be used.
///
/// # Errors
/// The model is not to be had, or the path is not the model's to write.
pub async fn write_file(
    ask: &impl Ask,
    brief: &Brief,
    plan: &Plan,
    job: &Job,
) -> Result<(Option<Accepted>, Vec<RefusedAnswer>), WorkError> {
    may_write(plan, &job.path)?;
    let mut refused: Vec<RefusedAnswer> = Vec::new();
    for attempt in (job.first_attempt..).take(MAX_ATTEMPTS as usize) {
        let before = refused
            .last()
            .map(|answer| answer.findings.as_slice())
            .unwrap_or_default();
        let prompt = prompt::write(brief, plan, job, attempt, before)
            .map_err(|e| WorkError::failed(FailureClass::Harness, format!("the prompt for {}: {e}", job.path)))?;
        let asked = ask.ask(&format!("write {} {attempt}", job.path), &prompt).await?;
        match taken(&asked.answer, job) {
            Ok(content) => {
                let path = job.path.clone();
                return Ok((
                    Some(Accepted {
                        path,
                        content,
                        attempt,
                        call: asked.call,
                    }),
                    refused,
                ));
            }
            Err(findings) => {
                tracing::info!(path = %job.path, attempt, findings = findings.len(), "the answer is refused");
                refused.push(RefusedAnswer {
                    subject: job.path.to_string(),
                    attempt,
                    findings: bounded(findings, MAX_FINDINGS_BYTES),
                    call: asked.call,
                });
            }
        }
    }
    Ok((None, refused))
}

/// Whatever the plan says, and at every repair too (faults D1, F5).
fn may_write(plan: &Plan, path: &WorkspacePath) -> Result<(), WorkError> {
    if let Err(why) = owned::model_may_write(path) {
        return Err(WorkError::failed(FailureClass::Policy, why.to_string()));
    }
    match plan.file(path) {
        Some(_) => Ok(()),
        None => Err(WorkError::failed(
            FailureClass::Policy,
            format!("{path} is not planned"),
        )),
    }
}

/// The file in an answer, if it may stand in the place of the one before.
fn taken(answer: &interlock_model::Answer, job: &Job) -> Result<String, Vec<Finding>> {
    let content = file_in(answer, &job.path).map_err(|finding| vec![finding])?;
    let Some(before) = job.current.as_deref().filter(|_| job.path.is_python()) else {
        return Ok(content);
    };
    // What cannot be read has no shape to compare; the verifier's syntax check has the word then.
    let lost = shape_of_repair(job.path.as_str(), before, &content).unwrap_or_default();
    if lost.is_empty() {
        return Ok(content);
    }
    let to_finding = |lost: interlock_pysource::Finding| {
        let at = Location {
            file: lost.file,
            line: lost.line,
            column: lost.column,
        };
        Finding::new(lost.rule, at, lost.message)
    };
    Err(lost.into_iter().take(TOLD_LOSSES).map(to_finding).collect())
}
