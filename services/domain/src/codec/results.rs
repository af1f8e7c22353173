//! Verdicts, executions, failures and outcomes.

use super::enums::{
    class_from_wire, class_to_wire, criterion_from_wire, criterion_to_wire, doubt_from_wire, doubt_to_wire,
    evidence_from_wire, evidence_to_wire, optional_class, optional_class_to_wire,
};
use super::{DecodeError, bad, digest};
use crate::check::{CheckAnswer, CheckResult, Findings, Ran};
use crate::criteria::{CriterionResult, Metric};
use crate::doubt::Doubt;
use crate::failure::FailureClass;
use crate::finding::Finding;
use crate::payload::{
    End, Execution, ExecutionStarted, Judgement, Observed, Outcome, OutcomeKind, StageFailure, Verdict,
};
use interlock_proto::v1 as wire;

impl From<&CheckResult> for wire::CheckResult {
    fn from(result: &CheckResult) -> Self {
        let mut raw = wire::CheckResult {
            check: result.check.clone(),
            version: result.version,
            ..Default::default()
        };
        raw.findings = result.findings().iter().map(Into::into).collect();
        match &result.answer {
            CheckAnswer::Passed(ran) => {
                raw.status = wire::CheckStatus::Passed as i32;
                raw.ran = ran.what().to_owned();
                raw.no_opinion = ran.no_opinion;
            }
            CheckAnswer::Failed(findings) => {
                raw.status = wire::CheckStatus::Failed as i32;
                raw.no_opinion = findings.no_opinion;
            }
            CheckAnswer::TimedOut { reason, .. } => {
                raw.status = wire::CheckStatus::TimedOut as i32;
                raw.reason.clone_from(reason);
            }
            CheckAnswer::NotRun { reason } => {
                raw.status = wire::CheckStatus::NotRun as i32;
                raw.reason.clone_from(reason);
            }
        }
        raw
    }
}

impl TryFrom<wire::CheckResult> for CheckResult {
    type Error = DecodeError;

    fn try_from(raw: wire::CheckResult) -> Result<Self, DecodeError> {
        let findings = raw
            .findings
            .into_iter()
            .map(TryInto::try_into)
            .collect::<Result<Vec<Finding>, _>>()?;
        let status = wire::CheckStatus::try_from(raw.status).map_err(|e| bad("check.status", e))?;
        let answer = match status {
            wire::CheckStatus::NotRun => CheckAnswer::NotRun { reason: raw.reason },
            wire::CheckStatus::Passed => {
                if !findings.is_empty() {
                    return Err(bad("check.findings", "a check that passed has findings"));
                }
                CheckAnswer::Passed(Ran::new(raw.ran, raw.no_opinion).map_err(|e| bad("check.ran", e))?)
            }
            wire::CheckStatus::Failed => {
                let findings = Findings::new(findings).map_err(|e| bad("check.findings", e))?;
                CheckAnswer::Failed(findings.with_no_opinion(raw.no_opinion))
            }
            wire::CheckStatus::TimedOut => CheckAnswer::TimedOut {
                reason: raw.reason,
                findings,
            },
        };
        Ok(CheckResult {
            check: raw.check,
            version: raw.version,
            answer,
        })
    }
}

impl From<&Verdict> for wire::Verdict {
    fn from(verdict: &Verdict) -> Self {
        wire::Verdict {
            manifest: verdict.manifest.as_bytes().to_vec(),
            level: verdict.level,
            complete: verdict.complete,
            checks: verdict.checks.iter().map(Into::into).collect(),
            environment: verdict.environment.as_bytes().to_vec(),
            interpreter: verdict.interpreter.clone(),
            tier: verdict.tier.clone(),
            duration_ms: verdict.duration_ms,
            failure: optional_class_to_wire(verdict.failure),
        }
    }
}

impl TryFrom<wire::Verdict> for Verdict {
    type Error = DecodeError;

    fn try_from(raw: wire::Verdict) -> Result<Self, DecodeError> {
        Ok(Verdict {
            manifest: digest("verdict.manifest", &raw.manifest)?,
            level: raw.level,
            complete: raw.complete,
            checks: raw
                .checks
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
            environment: digest("verdict.environment", &raw.environment)?,
            interpreter: raw.interpreter,
            tier: raw.tier,
            duration_ms: raw.duration_ms,
            failure: optional_class("verdict.failure", raw.failure)?,
        })
    }
}

impl From<ExecutionStarted> for wire::ExecutionStarted {
    fn from(started: ExecutionStarted) -> Self {
        wire::ExecutionStarted {
            manifest: started.manifest.as_bytes().to_vec(),
            attempt: started.attempt,
        }
    }
}

impl TryFrom<wire::ExecutionStarted> for ExecutionStarted {
    type Error = DecodeError;

    fn try_from(raw: wire::ExecutionStarted) -> Result<Self, DecodeError> {
        Ok(ExecutionStarted {
            manifest: digest("started.manifest", &raw.manifest)?,
            attempt: raw.attempt,
        })
    }
}

impl From<&Observed> for wire::Observed {
    fn from(seen: &Observed) -> Self {
        let (end, code, limit) = match &seen.end {
            End::Exited(code) => (wire::EndKind::Exited, *code, String::new()),
            End::Signaled(signal) => (wire::EndKind::Signaled, *signal, String::new()),
            End::Limit(limit) => (wire::EndKind::Limit, 0, limit.clone()),
            End::Cancelled => (wire::EndKind::Cancelled, 0, String::new()),
        };
        wire::Observed {
            end: end as i32,
            code,
            limit,
            tier: seen.tier.clone(),
            duration_ms: seen.duration_ms,
            cpu_ms: seen.cpu_ms,
            peak_memory_bytes: seen.peak_memory_bytes,
            peak_processes: seen.peak_processes,
            survivors: seen.survivors,
            stdout_bytes: seen.stdout_bytes,
            stderr_bytes: seen.stderr_bytes,
        }
    }
}

impl TryFrom<wire::Observed> for Observed {
    type Error = DecodeError;

    fn try_from(raw: wire::Observed) -> Result<Self, DecodeError> {
        let end = match wire::EndKind::try_from(raw.end) {
            Ok(wire::EndKind::Exited) => End::Exited(raw.code),
            Ok(wire::EndKind::Signaled) => End::Signaled(raw.code),
            Ok(wire::EndKind::Limit) => End::Limit(raw.limit),
            Ok(wire::EndKind::Cancelled) => End::Cancelled,
            Ok(wire::EndKind::Unspecified) | Err(_) => {
                return Err(bad("observed.end", "it is unspecified"));
            }
        };
        Ok(Observed {
            end,
            tier: raw.tier,
            duration_ms: raw.duration_ms,
            cpu_ms: raw.cpu_ms,
            peak_memory_bytes: raw.peak_memory_bytes,
            peak_processes: raw.peak_processes,
            survivors: raw.survivors,
            stdout_bytes: raw.stdout_bytes,
            stderr_bytes: raw.stderr_bytes,
        })
    }
}

impl From<&Metric> for wire::Metric {
    fn from(metric: &Metric) -> Self {
        wire::Metric {
            name: metric.name.clone(),
            value: metric.value,
            unit: metric.unit.clone(),
            split: metric.split.clone(),
            evidence: evidence_to_wire(metric.evidence) as i32,
        }
    }
}

impl TryFrom<wire::Metric> for Metric {
    type Error = DecodeError;

    fn try_from(raw: wire::Metric) -> Result<Self, DecodeError> {
        Ok(Metric {
            name: raw.name,
            value: raw.value,
            unit: raw.unit,
            split: raw.split,
            evidence: evidence_from_wire("metric.evidence", raw.evidence)?,
        })
    }
}

impl From<&CriterionResult> for wire::CriterionResult {
    fn from(result: &CriterionResult) -> Self {
        wire::CriterionResult {
            criterion: result.criterion.clone(),
            status: criterion_to_wire(result.status) as i32,
            reason: result.reason.clone(),
            metric: result.metric.as_ref().map(Into::into),
        }
    }
}

impl TryFrom<wire::CriterionResult> for CriterionResult {
    type Error = DecodeError;

    fn try_from(raw: wire::CriterionResult) -> Result<Self, DecodeError> {
        Ok(CriterionResult {
            criterion: raw.criterion,
            status: criterion_from_wire("criterion.status", raw.status)?,
            reason: raw.reason,
            metric: raw.metric.map(TryInto::try_into).transpose()?,
        })
    }
}

impl From<&Doubt> for wire::Doubt {
    fn from(doubt: &Doubt) -> Self {
        wire::Doubt {
            kind: doubt_to_wire(doubt.kind) as i32,
            message: doubt.message.clone(),
            splits: doubt.splits.clone(),
            measured: doubt.measured,
        }
    }
}

impl TryFrom<wire::Doubt> for Doubt {
    type Error = DecodeError;

    fn try_from(raw: wire::Doubt) -> Result<Self, DecodeError> {
        Ok(Doubt {
            kind: doubt_from_wire("doubt.kind", raw.kind)?,
            message: raw.message,
            splits: raw.splits,
            measured: raw.measured,
        })
    }
}

impl From<&Execution> for wire::Execution {
    fn from(execution: &Execution) -> Self {
        let (judgement, class, reasons) = match &execution.judgement {
            Judgement::Accepted => (wire::Judgement::Accepted, None, Vec::new()),
            Judgement::Refused(reasons) => (wire::Judgement::Refused, None, reasons.clone()),
            Judgement::Failed(class, reasons) => (wire::Judgement::Failed, Some(*class), reasons.clone()),
        };
        wire::Execution {
            manifest: execution.manifest.as_bytes().to_vec(),
            attempt: execution.attempt,
            environment: execution.environment.as_bytes().to_vec(),
            observed: execution.observed.as_ref().map(Into::into),
            artifacts: execution.artifacts.iter().map(Into::into).collect(),
            tampered: execution.tampered.clone(),
            metrics: execution.metrics.iter().map(Into::into).collect(),
            testimony_json: execution.testimony_json.clone(),
            criteria: execution.criteria.iter().map(Into::into).collect(),
            judgement: judgement as i32,
            failure: optional_class_to_wire(class),
            reasons,
            findings: execution.findings.iter().map(Into::into).collect(),
            doubts: execution.doubts.iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<wire::Execution> for Execution {
    type Error = DecodeError;

    fn try_from(raw: wire::Execution) -> Result<Self, DecodeError> {
        let class = optional_class("execution.failure", raw.failure)?;
        let judgement = match (wire::Judgement::try_from(raw.judgement), class) {
            (Ok(wire::Judgement::Accepted), None) => Judgement::Accepted,
            (Ok(wire::Judgement::Refused), None) => Judgement::Refused(raw.reasons),
            (Ok(wire::Judgement::Failed), Some(class)) => Judgement::Failed(class, raw.reasons),
            (Ok(_) | Err(_), _) => {
                return Err(bad(
                    "execution.judgement",
                    "it is unspecified or contradicts the failure class",
                ));
            }
        };
        Ok(Execution {
            manifest: digest("execution.manifest", &raw.manifest)?,
            attempt: raw.attempt,
            environment: digest("execution.environment", &raw.environment)?,
            observed: raw.observed.map(TryInto::try_into).transpose()?,
            artifacts: raw
                .artifacts
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
            tampered: raw.tampered,
            metrics: raw
                .metrics
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
            testimony_json: raw.testimony_json,
            criteria: raw
                .criteria
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
            judgement,
            findings: raw
                .findings
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
            doubts: raw
                .doubts
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl From<&StageFailure> for wire::StageFailure {
    fn from(failure: &StageFailure) -> Self {
        wire::StageFailure {
            failure: class_to_wire(failure.failure) as i32,
            message: failure.message.clone(),
            refused: failure.refused.iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<wire::StageFailure> for StageFailure {
    type Error = DecodeError;

    fn try_from(raw: wire::StageFailure) -> Result<Self, DecodeError> {
        Ok(StageFailure {
            failure: class_from_wire("failure", raw.failure)?,
            message: raw.message,
            refused: raw
                .refused
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl From<&Outcome> for wire::Outcome {
    fn from(outcome: &Outcome) -> Self {
        let (kind, class) = match outcome.kind {
            OutcomeKind::Accepted => (wire::OutcomeKind::Accepted, None),
            OutcomeKind::Refused => (wire::OutcomeKind::Refused, None),
            OutcomeKind::Failed(class) => (wire::OutcomeKind::Failed, Some(class)),
        };
        wire::Outcome {
            kind: kind as i32,
            failure: optional_class_to_wire(class),
            reasons: outcome.reasons.clone(),
            manifest: outcome.manifest.map(|d| d.as_bytes().to_vec()).unwrap_or_default(),
        }
    }
}

impl TryFrom<wire::Outcome> for Outcome {
    type Error = DecodeError;

    fn try_from(raw: wire::Outcome) -> Result<Self, DecodeError> {
        let class: Option<FailureClass> = optional_class("outcome.failure", raw.failure)?;
        let kind = match (wire::OutcomeKind::try_from(raw.kind), class) {
            (Ok(wire::OutcomeKind::Accepted), None) => OutcomeKind::Accepted,
            (Ok(wire::OutcomeKind::Refused), None) => OutcomeKind::Refused,
            (Ok(wire::OutcomeKind::Failed), Some(class)) => OutcomeKind::Failed(class),
            (Ok(_) | Err(_), _) => {
                return Err(bad(
                    "outcome.kind",
                    "it is unspecified or contradicts the failure class",
                ));
            }
        };
        let manifest = match raw.manifest.as_slice() {
            [] => None,
            bytes => Some(digest("outcome.manifest", bytes)?),
        };
        Ok(Outcome {
            kind,
            reasons: raw.reasons,
            manifest,
        })
    }
}
