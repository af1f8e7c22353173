//! Findings as SARIF 2.1.0 (OASIS), the format that code hosts and editors read.

use super::AloneError;
use super::explain::{first_sentence, page};
use super::report::Report;
use interlock_domain::{Finding, Location};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// What paths are relative to: the folder that was checked.
const BASE: &str = "%SRCROOT%";

/// The log of one run of the checks.
pub(super) fn log(report: &Report) -> Value {
    let findings: Vec<&Finding> = report.findings().collect();
    let found = findings.iter().map(|finding| finding.rule.as_str());
    let rules: BTreeSet<&str> = report
        .checks
        .iter()
        .map(|check| check.check.as_str())
        .chain(found)
        .collect();
    let rules: Vec<&str> = rules.into_iter().collect();
    // A check that could not be run must not look like a clean bill of health.
    let unfinished = report.unfinished().map(|(check, how, reason)| {
        let text = format!("{how}: {}: {reason}", check.check);
        json!({"level": "error", "message": {"text": text}, "associatedRule": {"id": check.check}})
    });
    let unread = report.unread.iter().map(|(file, why)| {
        let at = json!([{"physicalLocation": place(&Location::file(file))}]);
        json!({"level": "error", "message": {"text": format!("{file} was not read: {why}")}, "locations": at})
    });
    let results = findings.iter().map(|finding| {
        let index = rules.binary_search(&finding.rule.as_str()).unwrap_or_default();
        result(finding, index)
    });
    let mut run = json!({
        "tool": driver(rules.iter().map(|rule| descriptor(rule)).collect()),
        "columnKind": "unicodeCodePoints",
        "invocations": [{
            "executionSuccessful": report.exit() != 2,
            "exitCode": report.exit(),
            "toolExecutionNotifications": unfinished.chain(unread).collect::<Vec<_>>(),
        }],
        "results": results.collect::<Vec<_>>(),
    });
    if let (Ok(folder), Some(fields)) = (std::path::absolute(&report.folder), run.as_object_mut()) {
        let base = json!({BASE: {"uri": format!("file://{}/", uri(&folder))}});
        fields.insert("originalUriBaseIds".to_owned(), base);
    }
    of(run)
}

/// The log of a run that came to nothing.
pub(super) fn error(error: &AloneError) -> Value {
    of(json!({
        "tool": driver(Vec::new()),
        "invocations": [{
            "executionSuccessful": false,
            "exitCode": 2,
            "toolConfigurationNotifications": [{"level": "error", "message": {"text": error.to_string()}}],
        }],
        "results": [],
    }))
}

fn of(run: Value) -> Value {
    json!({"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]})
}

fn driver(rules: Vec<Value>) -> Value {
    json!({"driver": {
        "name": "interlock",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    }})
}

fn descriptor(rule: &str) -> Value {
    let mut descriptor = json!({"id": rule, "defaultConfiguration": {"level": "error"}});
    if let (Some(page), Some(fields)) = (page(rule), descriptor.as_object_mut()) {
        fields.insert("shortDescription".to_owned(), json!({"text": first_sentence(page)}));
        fields.insert("fullDescription".to_owned(), json!({"text": first_sentence(page)}));
        fields.insert("help".to_owned(), json!({"text": page, "markdown": page}));
    }
    descriptor
}

fn result(finding: &Finding, index: usize) -> Value {
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": "error",
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place(&finding.at)}],
        "partialFingerprints": {"interlock/v1": finding.fingerprint().to_string()},
    });
    if let (Some(other), Some(fields)) = (&finding.other, result.as_object_mut()) {
        let related = json!([{"id": 1, "physicalLocation": place(other), "message": {"text": "the other side"}}]);
        fields.insert("relatedLocations".to_owned(), related);
    }
    result
}

fn place(at: &Location) -> Value {
    // A plan that was named lies wherever it lies; everything else is in the folder.
    let file = Path::new(&at.file);
    let artifact = if file.is_absolute() {
        json!({"uri": format!("file://{}", uri(file))})
    } else {
        json!({"uri": uri(file), "uriBaseId": BASE})
    };
    let mut place = json!({"artifactLocation": artifact});
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

/// A path with everything escaped that a URI cannot have.
fn uri(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let bytes = path.as_os_str().as_bytes().iter();
    let escaped = bytes.map(|byte| match byte {
        b'/' | b'.' | b'-' | b'_' | b'~' => char::from(*byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    escaped.collect()
}
