//! `result.json`: what is evidence and what is testimony, kept apart. Written by the harness alone; its form is promised
//! in `docs/result.schema.json`.

use crate::artifacts::is_named;
use crate::judge::Judged;
use crate::recorded::{ArtifactKind, Recorded, Role, Split};
use interlock_domain::blob::NamedBlob;
use interlock_domain::criteria::{CriterionResult, CriterionStatus, Metric};
use interlock_domain::doubt::Doubt;
use interlock_domain::payload::{End, Judgement, Observed};
use serde_json::{Value, json};

/// Raised when a field changes its meaning or goes; new fields may come without that.
const SCHEMA: u32 = 2;

/// Everything that goes into the file.
#[derive(Clone, Copy, Debug)]
pub struct Account<'a> {
    /// What it amounts to.
    pub judged: &'a Judged,
    /// What computed the scored numbers, with its version.
    pub scored_by: Option<&'a str>,
    /// What was seen from outside.
    pub observed: &'a Observed,
    /// Harness files that were changed while it ran.
    pub tampered: &'a [String],
    /// What harness code recorded in the program's process, if that could be read.
    pub recorded: Option<&'a Recorded>,
    /// The task's configuration.
    pub asked: &'a Value,
    /// What speaks against the numbers.
    pub doubts: &'a [Doubt],
    /// Files that are kept.
    pub files: &'a [NamedBlob],
    /// What could not be kept, and why.
    pub left: &'a [String],
}

/// The file's content.
pub fn result_file(account: &Account<'_>) -> Vec<u8> {
    let judged = account.judged;
    let (judgement, failure, reasons) = match &judged.judgement {
        Judgement::Accepted => ("accepted", None, &[][..]),
        Judgement::Refused(reasons) => ("refused", None, reasons.as_slice()),
        Judgement::Failed(class, reasons) => ("failed", Some(class.name()), reasons.as_slice()),
    };
    let recorded = account.recorded;
    let result = json!({
        "schema": SCHEMA,
        "evidence": {
            "judgement": judgement,
            "failure": failure,
            "reasons": reasons,
            "criteria": judged.criteria.iter().map(criterion).collect::<Vec<_>>(),
            "metrics": judged.metrics.iter().map(metric).collect::<Vec<_>>(),
            "scored_by": account.scored_by.filter(|by| !by.is_empty()),
            "doubts": account.doubts.iter().map(doubt).collect::<Vec<_>>(),
            "splits": recorded.iter().flat_map(|r| &r.splits).map(split).collect::<Vec<_>>(),
            "epochs": recorded.map(|r| json!(r.epochs)).unwrap_or_else(|| json!({})),
            "config": config(account),
            "observed": observed(account.observed),
            "tampered": account.tampered,
            "artifacts": artifacts(account),
            "not_kept": account.left,
        },
        "testimony": recorded.map(|r| &r.testimony),
    });
    // Only values that were just made go in; they always have a JSON form.
    serde_json::to_vec_pretty(&result).unwrap_or_default()
}

fn criterion(result: &CriterionResult) -> Value {
    let status = match result.status {
        CriterionStatus::Met => "met",
        CriterionStatus::Missed => "missed",
        CriterionStatus::NotJudged => "not judged",
    };
    json!({
        "criterion": result.criterion,
        "status": status,
        "reason": result.reason,
        "metric": result.metric.as_ref().map(metric),
    })
}

/// A number that JSON lacks becomes its name.
fn metric(metric: &Metric) -> Value {
    let value = if metric.value.is_finite() {
        json!(metric.value)
    } else {
        json!(metric.value.to_string())
    };
    json!({
        "name": metric.name,
        "value": value,
        "unit": metric.unit,
        "split": metric.split,
        "evidence": metric.evidence.name(),
    })
}

fn doubt(doubt: &Doubt) -> Value {
    json!({
        "rule": doubt.kind.name(),
        "message": doubt.message,
        "splits": doubt.splits,
        "measured": doubt.measured,
    })
}

fn split(split: &Split) -> Value {
    let role = match split.role {
        Role::Train => "train",
        Role::Validation => "validation",
        Role::Test => "test",
        Role::Other => "other",
    };
    json!({
        "name": split.name,
        "role": role,
        "fold": split.fold,
        "rows": split.rows,
        "complete": split.complete,
        "digest": split.digest,
    })
}

fn config(account: &Account<'_>) -> Value {
    let seen = account.recorded.and_then(|recorded| recorded.config.as_ref());
    let used = seen.map(|config| {
        let used = config.used.iter();
        used.map(|used| json!({"name": used.name, "value": used.value}))
            .collect::<Vec<_>>()
    });
    json!({
        "asked": account.asked,
        "received": seen.map(|config| &config.received),
        "used": used.unwrap_or_default(),
    })
}

fn observed(seen: &Observed) -> Value {
    let (end, detail) = match &seen.end {
        End::Exited(code) => ("exited", json!(code)),
        End::Signaled(signal) => ("signaled", json!(signal)),
        End::Limit(limit) => ("limit", json!(limit)),
        End::Cancelled => ("cancelled", Value::Null),
    };
    json!({
        "end": end,
        "detail": detail,
        "sandbox_tier": seen.tier,
        "duration_ms": seen.duration_ms,
        "cpu_ms": seen.cpu_ms,
        "peak_memory_bytes": seen.peak_memory_bytes,
        "peak_processes": seen.peak_processes,
        "survivors": seen.survivors,
        "stdout_bytes": seen.stdout_bytes,
        "stderr_bytes": seen.stderr_bytes,
    })
}

/// Files that are kept, those that the program named with what they are.
fn artifacts(account: &Account<'_>) -> Vec<Value> {
    let named = account.recorded.map(|r| r.artifacts.as_slice()).unwrap_or_default();
    let kind = |file: &NamedBlob| {
        let named = named.iter().find(|artifact| is_named(file, artifact));
        named.map_or("output", |artifact| match artifact.kind {
            ArtifactKind::File => "file",
            ArtifactKind::Figure => "figure",
        })
    };
    let files = account.files.iter();
    files
        .map(|file| {
            json!({
                "name": file.name,
                "kind": kind(file),
                "bytes": file.blob.size,
                "sha256": file.blob.digest.to_string(),
            })
        })
        .collect()
}
