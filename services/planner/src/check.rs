//! From an answer to a plan that may be proposed: every check there is, and all that they found.

use crate::answer::plan_in;
use crate::importable;
use interlock_domain::plan::{MAX_FILES, PlannedFile};
use interlock_domain::plan_file::planned_files;
use interlock_domain::shadow::{Shadow, shadowed_by};
use interlock_domain::{Finding, Location, Plan};
use interlock_model::Answer;

/// Findings that are kept of one answer: enough to learn from, and bounded on the record.
const MAX_FINDINGS: usize = 40;

/// The plan in an answer. `lock_text` is empty where there are no packages.
///
/// # Errors
/// What is wrong with it; never empty.
pub fn checked(answer: &Answer, lock_text: &str) -> Result<Plan, Vec<Finding>> {
    let json = plan_in(answer).map_err(|finding| vec![finding])?;
    planned_files(&json)
        .and_then(|files| plan_of(files, lock_text))
        .map_err(bounded)
}

fn plan_of(files: Vec<PlannedFile>, lock_text: &str) -> Result<Plan, Vec<Finding>> {
    let mut findings = Vec::new();
    if files.len() <= MAX_FILES {
        findings = importable::findings(&files);
        let shadows = files.iter().filter_map(|file| shadowed_by(&file.path, lock_text));
        findings.extend(shadows.map(shadow_finding));
    }
    match Plan::new(files) {
        Ok(plan) if findings.is_empty() => Ok(plan),
        Ok(_) => Err(findings),
        Err(more) => {
            findings.extend(more);
            Err(findings)
        }
    }
}

fn shadow_finding(shadow: Shadow) -> Finding {
    let path = match &shadow {
        Shadow::StandardLibrary { path, .. } | Shadow::Distribution { path, .. } => path,
    };
    let at = Location::file(path.as_str());
    Finding::new("plan/shadow", at, shadow.to_string())
}

fn bounded(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort();
    findings.dedup();
    let more = findings.len().saturating_sub(MAX_FINDINGS);
    if more > 0 {
        findings.truncate(MAX_FINDINGS);
        let message = format!("there are {more} more findings of this kind or another");
        findings.push(Finding::new("plan/more", Location::file("plan"), message));
    }
    findings
}
