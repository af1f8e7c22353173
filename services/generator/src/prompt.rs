//! The prompt for one file. All wording stands in `prompts/`; here it gets its values.

use crate::attempts::Job;
use interlock_domain::plan::PlannedFile;
use interlock_domain::{Finding, Plan, owned};
use interlock_model::{Prompt, TemplateError, fences, fill};
use std::fmt::Write as _;

const SYSTEM: &str = include_str!("../prompts/write.md");
const REQUEST: &str = include_str!("../prompts/write.request.md");
/// Findings that are told of one file; the rest is counted.
const TOLD_FINDINGS: usize = 30;
/// Characters of the line that a finding is about.
const SHOWN_OF_LINE: usize = 200;

/// What every prompt of a turn says.
#[derive(Clone, Debug)]
pub struct Brief {
    /// The task.
    pub task: String,
    /// The harness's modules, reduced to what can be called.
    pub harness: String,
    /// What a human said, for a repair.
    pub hint: String,
}

/// The prompt for answer number `attempt`; `refused` says what was wrong with the one before.
pub(crate) fn write(
    brief: &Brief,
    plan: &Plan,
    job: &Job,
    attempt: u32,
    refused: &[Finding],
) -> Result<Prompt, TemplateError> {
    let request = format!("# interlock request: write {} attempt {attempt}", job.path);
    let current = job
        .current
        .as_deref()
        .map(|text| fences::fenced(language(job), text))
        .unwrap_or_default();
    let (edit, rewrite) = match (job.current.is_some(), job.rewrite) {
        (false, _) => ("", ""),
        (true, false) => ("edit", ""),
        (true, true) => ("", "rewrite"),
    };
    let user = fill(
        REQUEST,
        &[
            ("request", &request),
            ("task", &brief.task),
            ("plan", &outline(plan)),
            ("harness", &brief.harness),
            ("dependencies", &job.dependencies.text()),
            ("dependents", &job.dependents.text()),
            ("current", &current),
            (
                "findings",
                &listed(&job.findings, job.current.as_deref(), job.path.as_str()),
            ),
            ("hint", brief.hint.trim()),
            ("edit", edit),
            ("rewrite", rewrite),
            ("refused", &listed(refused, None, job.path.as_str())),
            ("file", &plan.file(&job.path).map(described).unwrap_or_default()),
        ],
    )?;
    Ok(Prompt {
        system: SYSTEM.to_owned(),
        user,
        max_output_tokens: None,
        json: false,
    })
}

fn language(job: &Job) -> &'static str {
    if job.path.is_python() { "python" } else { "text" }
}

/// The whole plan, a line for each file.
fn outline(plan: &Plan) -> String {
    let lines = plan
        .files()
        .iter()
        .map(|file| format!("- `{}`: {}", file.path, file.purpose.trim()));
    lines.collect::<Vec<_>>().join("\n")
}

/// One file of the plan, in full.
fn described(file: &PlannedFile) -> String {
    let mut text = format!("`{}`: {}", file.path, file.purpose.trim());
    for export in &file.exports {
        let _ = write!(text, "\n- exports the {} `{}`", export.kind.name(), export.name);
    }
    for dependency in &file.depends_on {
        let _ = write!(text, "\n- may import from `{dependency}`");
    }
    if file.path.as_str() == owned::CONTRACT_FILE {
        text.push_str("\n- `run` is called once, as `run(config, recorder)`");
    }
    text
}

/// The findings, each with the line that it is about where that is in the file.
fn listed(findings: &[Finding], current: Option<&str>, path: &str) -> String {
    let mut text = String::new();
    for finding in findings.iter().take(TOLD_FINDINGS) {
        let _ = writeln!(text, "- {finding}");
        let in_file = current.filter(|_| finding.at.file == path);
        let line = (finding.at.line as usize).checked_sub(1);
        if let Some(source) = line.and_then(|line| in_file?.lines().nth(line)) {
            let start: String = source.trim().chars().take(SHOWN_OF_LINE).collect();
            let _ = writeln!(text, "  the line is: `{start}`");
        }
    }
    let more = findings.len().saturating_sub(TOLD_FINDINGS);
    if more > 0 {
        let _ = writeln!(text, "- and {more} more");
    }
    text.trim_end().to_owned()
}
