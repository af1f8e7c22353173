//! Findings as SARIF 2.1.0 (OASIS), the format that code hosts and editors read.

use super::Report;
use interlock_domain::check::CheckResult;
use interlock_domain::{Finding, Location};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The log of one run of the checks.
pub(super) fn log(report: &Report) -> Value {
    let findings: Vec<&Finding> = report.checks.iter().flat_map(CheckResult::findings).collect();
    let rules: BTreeSet<&str> = findings.iter().map(|finding| finding.rule.as_str()).collect();
    // A check that could not be run must not look like a clean bill of health.
    let unchecked = report
        .checks
        .iter()
        .filter(|check| !check.passed() && check.findings().is_empty());
    let notes = unchecked.map(
        |check| json!({"level": "error", "message": {"text": format!("the check {} was not completed", check.check)}}),
    );
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "interlock",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|id| json!({"id": id})).collect::<Vec<_>>(),
            }},
            "invocations": [{
                "executionSuccessful": report.exit() != 2,
                "toolExecutionNotifications": notes.collect::<Vec<_>>(),
            }],
            "results": findings.iter().map(|finding| result(finding)).collect::<Vec<_>>(),
        }],
    })
}

fn result(finding: &Finding) -> Value {
    let mut result = json!({
        "ruleId": finding.rule,
        "level": "error",
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place(&finding.at)}],
    });
    if let (Some(other), Some(fields)) = (&finding.other, result.as_object_mut()) {
        let related = json!([{"physicalLocation": place(other), "message": {"text": "the other side"}}]);
        fields.insert("relatedLocations".to_owned(), related);
    }
    result
}

fn place(at: &Location) -> Value {
    let mut place = json!({"artifactLocation": {"uri": at.file}});
    if at.line > 0
        && let Some(fields) = place.as_object_mut()
    {
        let region = match at.column {
            0 => json!({"startLine": at.line}),
            column => json!({"startLine": at.line, "startColumn": column}),
        };
        fields.insert("region".to_owned(), region);
    }
    place
}
