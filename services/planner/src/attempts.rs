//! Asks until there is a plan that passes every check, a bounded number of times.
//!
//! Knows neither bus nor chain: what asks is handed to it.

use crate::ask::Ask;
use crate::check::checked;
use crate::material::Material;
use crate::prompt::{self, Before};
use interlock_domain::FailureClass;
use interlock_domain::finding::bounded;
use interlock_domain::payload::{PlanProposal, RefusedAnswer, StageFailure};
use interlock_stage::WorkError;

/// Answers that are asked for before a human is.
pub const MAX_ATTEMPTS: u32 = 3;
/// Room for what was wrong with one answer, in bytes: all refused answers go on one record.
const MAX_FINDINGS_BYTES: usize = 64 * 1024;

/// The first plan that can be proposed, with what was wrong with the answers before it.
///
/// # Errors
/// The model is not to be had, or none of its answers could be used.
pub async fn propose(ask: &impl Ask, material: &Material) -> Result<PlanProposal, WorkError> {
    let mut refused: Vec<RefusedAnswer> = Vec::new();
    let mut last = None;
    for attempt in (material.first_attempt..).take(MAX_ATTEMPTS as usize) {
        let before = last.as_ref().zip(refused.last());
        let before = before.map(|(answer, refused)| Before { refused, answer });
        let prompt = prompt::plan(material, attempt, before.as_ref())?;
        let asked = ask.ask("plan", &prompt).await?;
        match checked(&asked.answer, &material.lock_text) {
            Ok(plan) => {
                return Ok(PlanProposal {
                    plan,
                    attempt,
                    refused,
                    call: asked.call,
                });
            }
            Err(findings) => {
                tracing::info!(attempt, findings = findings.len(), "the plan is refused");
                refused.push(RefusedAnswer {
                    subject: "plan".to_owned(),
                    attempt,
                    findings: bounded(findings, MAX_FINDINGS_BYTES),
                    call: asked.call,
                });
                last = Some(asked.answer);
            }
        }
    }
    let why = refused.last().and_then(|answer| answer.findings.first());
    let why = why.map(ToString::to_string).unwrap_or_default();
    Err(WorkError::Failed(StageFailure {
        failure: FailureClass::Model,
        message: format!("none of {MAX_ATTEMPTS} answers held a plan that can be carried out; the last one: {why}"),
        refused,
    }))
}
