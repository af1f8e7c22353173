//! The answers for people, and as JSON for programs.

use super::{Folder, Report, sarif};
use interlock_domain::check::{CheckAnswer, CheckResult};
use interlock_domain::{Finding, Location};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// How a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people: each finding with its source line.
    Text,
    /// One JSON object.
    Json,
    /// SARIF 2.1.0, which code hosts and editors show.
    Sarif,
}

impl Format {
    /// The whole report.
    pub fn print(self, report: &Report, folder: &Folder) -> String {
        match self {
            Format::Text => text(report, folder),
            Format::Json => format!("{}\n", as_json(report)),
            Format::Sarif => format!("{:#}\n", sarif::log(report)),
        }
    }
}

fn text(report: &Report, folder: &Folder) -> String {
    let mut text = String::new();
    let mut found = 0;
    for finding in report.checks.iter().flat_map(CheckResult::findings) {
        found += 1;
        let _ = writeln!(text, "{finding}");
        if let Some(line) = folder.line(&finding.at.file, finding.at.line) {
            let _ = writeln!(text, "    | {line}");
        }
    }
    for check in &report.checks {
        match &check.answer {
            CheckAnswer::NotRun { reason } => {
                let _ = writeln!(text, "not run: {}: {reason}", check.check);
            }
            CheckAnswer::TimedOut { reason, .. } => {
                let _ = writeln!(text, "timed out: {}: {reason}", check.check);
            }
            CheckAnswer::Passed(_) | CheckAnswer::Failed(_) => {}
        }
    }
    let passed = report.checks.iter().filter(|check| check.passed()).count();
    let (files, all) = (report.files, report.checks.len());
    let _ = writeln!(
        text,
        "{files} Python files, Python {}: {passed} of {all} checks passed, {found} findings",
        report.interpreter
    );
    text
}

fn as_json(report: &Report) -> Value {
    let checks = report.checks.iter().map(|check| {
        let (answer, what) = match &check.answer {
            CheckAnswer::Passed(ran) => ("passed", ran.what()),
            CheckAnswer::Failed(_) => ("failed", ""),
            CheckAnswer::TimedOut { reason, .. } => ("timed out", reason.as_str()),
            CheckAnswer::NotRun { reason } => ("not run", reason.as_str()),
        };
        json!({
            "check": check.check,
            "version": check.version,
            "answer": answer,
            "what": what,
            "findings": check.findings().iter().map(finding).collect::<Vec<_>>(),
        })
    });
    json!({
        "exit": report.exit(),
        "interpreter": report.interpreter,
        "files": report.files,
        "checks": checks.collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    let place = |at: &Location| json!({"file": at.file, "line": at.line, "column": at.column});
    json!({
        "rule": finding.rule,
        "file": finding.at.file,
        "line": finding.at.line,
        "column": finding.at.column,
        "message": finding.message,
        "other": finding.other.as_ref().map(place),
    })
}
