//! Records and results as JSON, for programs. What a field is called here is a promise to scripts.

use super::{Run, cause, report};
use interlock_domain::criteria::{CriterionResult, CriterionStatus, Metric};
use interlock_domain::payload::{
    DependencyForm, End, Execution, Judgement, ModelCall, Observed, OutcomeKind, Payload, RefusedAnswer, Verdict,
    WrittenFile,
};
use interlock_domain::{CheckAnswer, CheckResult, Finding, Location, Plan, Record};
use serde_json::{Map, Value, json};

/// One record: what every record has, and the fields of its kind.
pub fn record(record: &Record) -> Value {
    let mut object = Map::new();
    object.insert("seq".to_owned(), json!(record.seq));
    object.insert("kind".to_owned(), json!(record.payload.name()));
    object.insert("stage".to_owned(), json!(record.stage.name()));
    object.insert("time_unix_ms".to_owned(), json!(record.time_unix_ms));
    object.insert("said".to_owned(), json!(super::line::line(record)));
    if let Value::Object(fields) = payload(&record.payload) {
        object.extend(fields);
    }
    Value::Object(object)
}

/// The last line of a run: how it stands, and what that rests on.
pub fn result(run: &Run, exit: u8) -> Value {
    let state = run.state.as_ref();
    let execution = state.and_then(|state| state.execution.as_ref());
    let outcome = state.and_then(|state| state.outcome.as_ref());
    json!({
        "kind": "result",
        "run": run.id(),
        "task": run.task(),
        "status": run.status(),
        "sentence": cause::sentence(run).1,
        "exit": exit,
        "failure": run.view.summary.as_ref().map(|summary| summary.failure.as_str()).unwrap_or_default(),
        "reasons": outcome.map(|outcome| outcome.reasons.clone()).unwrap_or_default(),
        "gate": run.view.gate,
        "gate_reasons": run.view.gate_reasons,
        "cancelled_by": run.view.cancelled_by,
        "records": run.records.len(),
        "criteria": execution.map(|e| e.criteria.iter().map(criterion).collect::<Vec<_>>()).unwrap_or_default(),
        "metrics": execution.map(|e| e.metrics.iter().map(metric).collect::<Vec<_>>()).unwrap_or_default(),
        "observed": execution.and_then(|e| e.observed.as_ref()).map(observed),
        "on_the_way": report::on_the_way(&run.records).into_iter().map(|(_, said)| said).collect::<Vec<_>>(),
        "unread": run.unread,
    })
}

fn payload(payload: &Payload) -> Value {
    match payload {
        Payload::Request(x) => json!({
            "submitted_by": x.submitted_by,
            "inputs": x.inputs.iter().map(|named| named.name.as_str()).collect::<Vec<_>>(),
            "sealed_truth": x.truth.is_some(),
        }),
        Payload::PlanProposal(x) => json!({
            "attempt": x.attempt,
            "plan": x.plan.digest().to_string(),
            "files": plan(&x.plan),
            "refused": refused(&x.refused),
            "call": call(&x.call),
        }),
        Payload::Answer(x) => json!({
            "gate": x.gate.name(),
            "about": x.about.to_string(),
            "decision": x.decision.name(),
            "by": x.by,
            "automatic": x.automatic,
            "text": x.text,
        }),
        Payload::Candidate(x) => json!({
            "level": x.level,
            "manifest": x.manifest.digest().to_string(),
            "written": x.written.iter().map(written).collect::<Vec<_>>(),
            "refused": refused(&x.refused),
        }),
        Payload::Verdict(x) => verdict(x),
        Payload::ExecutionStarted(x) => json!({"attempt": x.attempt, "manifest": x.manifest.to_string()}),
        Payload::Execution(x) => execution(x),
        Payload::StageFailure(x) => json!({
            "failure": x.failure.name(),
            "message": x.message,
            "refused": refused(&x.refused),
        }),
        Payload::Outcome(x) => {
            let (outcome, failure) = match x.kind {
                OutcomeKind::Accepted => ("accepted", ""),
                OutcomeKind::Refused => ("refused", ""),
                OutcomeKind::Failed(class) => ("failed", class.name()),
            };
            json!({"outcome": outcome, "failure": failure, "reasons": x.reasons})
        }
    }
}

fn plan(plan: &Plan) -> Vec<Value> {
    let levels = 1..=plan.level_count();
    let in_order = levels.flat_map(|level| plan.level(level).iter().map(move |path| (level, path)));
    in_order
        .filter_map(|(level, path)| {
            let file = plan.file(path)?;
            let exports = file
                .exports
                .iter()
                .map(|e| json!({"name": e.name, "kind": e.kind.name()}));
            Some(json!({
                "path": path.as_str(),
                "level": level,
                "purpose": file.purpose,
                "exports": exports.collect::<Vec<_>>(),
                "depends_on": file.depends_on.iter().map(|path| path.as_str()).collect::<Vec<_>>(),
            }))
        })
        .collect()
}

fn written(file: &WrittenFile) -> Value {
    let forms = file.dependencies.iter().map(|(path, form)| {
        let form = match form {
            DependencyForm::Source => "source",
            DependencyForm::Interface => "interface",
        };
        json!({"path": path.as_str(), "form": form})
    });
    json!({
        "path": file.path.as_str(),
        "digest": file.digest.to_string(),
        "attempt": file.attempt,
        "repair": file.repair,
        "dependencies": forms.collect::<Vec<_>>(),
        "call": call(&file.call),
    })
}

fn call(call: &ModelCall) -> Value {
    json!({
        "model": call.model,
        "prompt": call.prompt.to_string(),
        "input_tokens": call.input_tokens,
        "output_tokens": call.output_tokens,
        "latency_ms": call.latency_ms,
    })
}

fn verdict(verdict: &Verdict) -> Value {
    json!({
        "level": verdict.level,
        "complete": verdict.complete,
        "passed": verdict.passed(),
        "failure": verdict.failure.map(|class| class.name()).unwrap_or_default(),
        "manifest": verdict.manifest.to_string(),
        "environment": verdict.environment.to_string(),
        "interpreter": verdict.interpreter,
        "tier": verdict.tier,
        "duration_ms": verdict.duration_ms,
        "checks": verdict.checks.iter().map(check).collect::<Vec<_>>(),
    })
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

fn execution(execution: &Execution) -> Value {
    let (judgement, failure, reasons) = match &execution.judgement {
        Judgement::Accepted => ("accepted", "", &[][..]),
        Judgement::Refused(reasons) => ("refused", "", reasons.as_slice()),
        Judgement::Failed(class, reasons) => ("failed", class.name(), reasons.as_slice()),
    };
    json!({
        "attempt": execution.attempt,
        "manifest": execution.manifest.to_string(),
        "environment": execution.environment.to_string(),
        "judgement": judgement,
        "failure": failure,
        "reasons": reasons,
        "observed": execution.observed.as_ref().map(observed),
        "criteria": execution.criteria.iter().map(criterion).collect::<Vec<_>>(),
        "metrics": execution.metrics.iter().map(metric).collect::<Vec<_>>(),
        "tampered": execution.tampered,
        "artifacts": execution.artifacts.iter().map(|named| json!({
            "name": named.name,
            "digest": named.blob.digest.to_string(),
            "size": named.blob.size,
        })).collect::<Vec<_>>(),
        "testimony": execution.testimony_json,
        "findings": execution.findings.iter().map(finding).collect::<Vec<_>>(),
        "doubts": execution.doubts.iter().map(|doubt| json!({
            "rule": doubt.kind.name(),
            "message": doubt.message,
            "splits": doubt.splits,
            "measured": doubt.measured,
        })).collect::<Vec<_>>(),
    })
}

fn observed(observed: &Observed) -> Value {
    let (end, detail) = match &observed.end {
        End::Exited(code) => ("exited", json!(code)),
        End::Signaled(signal) => ("signaled", json!(signal)),
        End::Limit(limit) => ("limit", json!(limit)),
        End::Cancelled => ("cancelled", Value::Null),
    };
    json!({
        "end": end,
        "detail": detail,
        "tier": observed.tier,
        "duration_ms": observed.duration_ms,
        "cpu_ms": observed.cpu_ms,
        "peak_memory_bytes": observed.peak_memory_bytes,
        "peak_processes": observed.peak_processes,
        "survivors": observed.survivors,
        "stdout_bytes": observed.stdout_bytes,
        "stderr_bytes": observed.stderr_bytes,
    })
}

/// A number that JSON cannot hold becomes null, never a string that looks like one.
fn metric(metric: &Metric) -> Value {
    json!({
        "name": metric.name,
        "value": metric.value,
        "unit": metric.unit,
        "split": metric.split,
        "evidence": metric.evidence.name(),
    })
}

fn criterion(result: &CriterionResult) -> Value {
    let status = match result.status {
        CriterionStatus::Met => "met",
        CriterionStatus::Missed => "missed",
        CriterionStatus::NotJudged => "not judged",
    };
    json!({"criterion": result.criterion, "answer": status, "reason": result.reason})
}

fn refused(answers: &[RefusedAnswer]) -> Vec<Value> {
    let one = |answer: &RefusedAnswer| {
        json!({
            "subject": answer.subject,
            "attempt": answer.attempt,
            "findings": answer.findings.iter().map(finding).collect::<Vec<_>>(),
            "call": call(&answer.call),
        })
    };
    answers.iter().map(one).collect()
}

fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule,
        "file": finding.at.file,
        "line": finding.at.line,
        "column": finding.at.column,
        "message": finding.message,
        "other": finding.other.as_ref().map(location),
    })
}

fn location(location: &Location) -> Value {
    json!({"file": location.file, "line": location.line, "column": location.column})
}
