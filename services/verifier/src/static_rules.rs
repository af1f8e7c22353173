//! The static rules over a workspace, in the words of the record.

use interlock_domain::check::{CheckAnswer, CheckError, CheckResult, Findings, Ran};
use interlock_domain::{Finding, Location, Plan};
use interlock_pysource::{Declared, RuleReport, Status, Workspace, check};
use std::collections::{BTreeMap, BTreeSet};

/// What the rules need to know of the environment.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Top-level modules of the environment.
    pub modules: BTreeSet<String>,
    /// Top-level modules of the interpreter's own library.
    pub standard: BTreeSet<String>,
}

/// Reads every Python file; must be called on a thread that may block.
pub fn read(files: BTreeMap<String, String>, around: Surroundings) -> Workspace {
    Workspace::new(
        files,
        interlock_domain::owned::SOURCE_ROOT,
        around.modules,
        around.standard,
    )
}

/// What a plan says about files that are there.
pub fn declared(plan: &Plan, files: &BTreeMap<String, String>) -> Declared {
    let planned = plan
        .files()
        .iter()
        .filter(|file| files.contains_key(file.path.as_str()));
    let exports = planned.map(|file| {
        let names = file.exports.iter().map(|export| export.name.clone()).collect();
        (file.path.to_string(), names)
    });
    Declared {
        exports: exports.collect(),
        unplanned: false,
    }
}

/// Runs every rule over every file; must be called on a thread that may block.
pub fn judge(workspace: &Workspace, declared: &Declared) -> Vec<CheckResult> {
    let targets: Vec<String> = workspace.python_files().map(str::to_owned).collect();
    check(workspace, declared, &targets)
        .into_iter()
        .map(to_result)
        .collect()
}

/// A rule's answer as a check's.
pub fn to_result(report: RuleReport) -> CheckResult {
    let answer = match report.status {
        Status::Passed {
            files,
            sites,
            no_opinion,
        } => Ran::new(format!("{files} files, {sites} places"), no_opinion).map(CheckAnswer::Passed),
        Status::Failed { findings, no_opinion } => Findings::new(findings.into_iter().map(to_finding).collect())
            .map(|findings| CheckAnswer::Failed(findings.with_no_opinion(no_opinion))),
        Status::NotRun { reason } => Ok(CheckAnswer::NotRun { reason }),
    };
    CheckResult {
        check: report.rule.to_owned(),
        version: report.version,
        answer: answer.unwrap_or_else(contradiction),
    }
}

/// An answer that contradicts itself is no answer.
pub fn contradiction(error: CheckError) -> CheckAnswer {
    CheckAnswer::NotRun {
        reason: error.to_string(),
    }
}

fn to_finding(finding: interlock_pysource::Finding) -> Finding {
    Finding {
        at: Location {
            file: finding.file,
            line: finding.line,
            column: finding.column,
        },
        rule: finding.rule.to_owned(),
        message: finding.message,
        other: finding.other.map(|other| Location {
            file: other.file,
            line: other.line,
            column: other.column,
        }),
    }
}
