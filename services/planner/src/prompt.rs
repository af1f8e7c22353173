//! The prompt for a plan. All wording stands in `prompts/`; here it gets its values.

use crate::material::{Material, defect};
use interlock_domain::payload::RefusedAnswer;
use interlock_domain::{Finding, Plan};
use interlock_model::{Answer, Finish, Prompt, fences, fill};
use interlock_stage::WorkError;
use serde_json::json;

const SYSTEM: &str = include_str!("../prompts/plan.md");
const REQUEST: &str = include_str!("../prompts/plan.request.md");
/// Characters of a refused answer that the next prompt quotes.
const QUOTED: usize = 20_000;

/// An answer that was refused, for the next prompt to learn from.
pub(crate) struct Before<'a> {
    pub(crate) refused: &'a RefusedAnswer,
    pub(crate) answer: &'a Answer,
}

/// The prompt for answer number `attempt`.
pub(crate) fn plan(material: &Material, attempt: u32, before: Option<&Before<'_>>) -> Result<Prompt, WorkError> {
    let request = format!("# interlock request: plan attempt {attempt}");
    let previous = material.previous.as_ref().map(plan_json).unwrap_or_default();
    let refused = before.map(|b| listed(&b.refused.findings)).unwrap_or_default();
    let answer = before.map(|b| quoted(b.answer)).unwrap_or_default();
    let user = fill(
        REQUEST,
        &[
            ("request", &request),
            ("task", &material.task),
            ("harness", &material.harness),
            ("previous", &previous),
            ("feedback", material.feedback.trim()),
            ("refused", &refused),
            ("answer", &answer),
        ],
    )
    .map_err(|e| defect(&e.to_string()))?;
    Ok(Prompt {
        system: SYSTEM.to_owned(),
        user,
        max_output_tokens: None,
        json: true,
    })
}

fn listed(findings: &[Finding]) -> String {
    let lines: Vec<String> = findings.iter().map(|finding| format!("- {finding}")).collect();
    lines.join("\n")
}

/// What can be corrected is shown again; what was cut off or declined would only be repeated.
fn quoted(answer: &Answer) -> String {
    match answer.finish {
        Finish::Complete if answer.text.chars().count() <= QUOTED && !answer.text.trim().is_empty() => {
            fences::fenced("text", answer.text.trim())
        }
        Finish::Complete | Finish::Truncated | Finish::Refused(_) => String::new(),
    }
}

/// A plan in the form in which the model is to give one.
fn plan_json(plan: &Plan) -> String {
    let files: Vec<_> = plan
        .files()
        .iter()
        .map(|file| {
            let exports: Vec<_> = file
                .exports
                .iter()
                .map(|export| json!({"name": export.name, "kind": export.kind.name()}))
                .collect();
            let depends_on: Vec<&str> = file.depends_on.iter().map(|path| path.as_str()).collect();
            json!({"path": file.path.as_str(), "purpose": file.purpose, "exports": exports, "depends_on": depends_on})
        })
        .collect();
    fences::fenced("json", &format!("{:#}", json!({ "files": files })))
}
