//! The report as one JSON object, for programs: `docs/check.schema.json` describes it, and is part of the promise.

use super::AloneError;
use super::report::Report;
use interlock_domain::check::{CheckAnswer, CheckResult};
use interlock_domain::{Finding, Location};
use serde_json::{Value, json};

/// Version of the form: raised when a field changes its meaning or goes.
const VERSION: u32 = 1;

/// The whole report.
pub(super) fn object(report: &Report) -> Value {
    let with_reason = |(file, why): (&String, &str)| json!({"file": file, "why": why});
    json!({
        "version": VERSION,
        "tool": tool(),
        "exit": report.exit(),
        "folder": report.folder.display().to_string(),
        "source_root": report.root,
        "entry": report.entry,
        "interpreter": report.interpreter,
        "environment": {
            "kind": report.origin.name(),
            "named": report.environment.as_ref().map(|path| path.display().to_string()),
            "digest": report.digest,
            "packages": report.packages.iter().map(|(name, version)| json!({"name": name, "version": version})).collect::<Vec<_>>(),
        },
        "sandbox": report.tier,
        "files": report.files,
        "not_read": report.unread.iter().map(|(file, why)| with_reason((file, why))).collect::<Vec<_>>(),
        "not_imported": report.not_imported.iter().map(|(file, why)| with_reason((file, why))).collect::<Vec<_>>(),
        "left_out": report.left_out,
        "already": report.already.iter().map(finding).collect::<Vec<_>>(),
        "hint": report.hint,
        "checks": report.checks.iter().map(check).collect::<Vec<_>>(),
    })
}

/// What is said where nothing could be checked.
pub(super) fn error(error: &AloneError) -> Value {
    json!({"version": VERSION, "tool": tool(), "exit": 2, "error": error.to_string()})
}

fn tool() -> Value {
    json!({"name": "interlock", "version": env!("CARGO_PKG_VERSION")})
}

fn check(check: &CheckResult) -> Value {
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
        "no_opinion": check.no_opinion(),
        "findings": check.findings().iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule,
        "file": finding.at.file,
        "line": finding.at.line,
        "column": finding.at.column,
        "message": finding.message,
        "other": finding.other.as_ref().map(place),
    })
}

fn place(at: &Location) -> Value {
    json!({"file": at.file, "line": at.line, "column": at.column})
}
