//! One line per record, as they are printed while a run goes on.

use super::text::{self, clipped, count, span};
use crate::console::Tone;
use interlock_domain::payload::{
    Answer, Candidate, Decision, End, Execution, Gate, Judgement, Observed, Outcome, OutcomeKind, Payload,
    PlanProposal, RefusedAnswer, Request, Verdict,
};
use interlock_domain::{CheckAnswer, CheckResult, Finding, Record};

/// Longest message inside a line; the whole of it stands in `interlock show`.
const MESSAGE: usize = 160;

/// The line of a record.
pub fn line(record: &Record) -> String {
    let said = match &record.payload {
        Payload::Request(x) => request(x),
        Payload::PlanProposal(x) => plan(x),
        Payload::Answer(x) => answer(x),
        Payload::Candidate(x) => candidate(x),
        Payload::Verdict(x) => verdict(x),
        Payload::ExecutionStarted(x) => format!("program started (execution {})", x.attempt),
        Payload::Execution(x) => execution(x),
        Payload::StageFailure(x) => {
            let refused = refusals(&x.refused);
            format!(
                "cannot go on ({}): {}{refused}",
                x.failure,
                clipped(&x.message, MESSAGE)
            )
        }
        Payload::Outcome(x) => outcome(x),
    };
    format!("[{}] {said}", record.stage)
}

/// Whether a line is good news.
pub fn tone(record: &Record) -> Tone {
    match &record.payload {
        Payload::Request(_) | Payload::Candidate(_) | Payload::ExecutionStarted(_) => Tone::Plain,
        Payload::PlanProposal(x) if x.refused.is_empty() => Tone::Plain,
        Payload::PlanProposal(_) => Tone::Warn,
        Payload::Answer(x) => match x.decision {
            Decision::Approve => Tone::Plain,
            Decision::Revise | Decision::Reject => Tone::Warn,
        },
        Payload::Verdict(x) if x.passed() => Tone::Good,
        Payload::Verdict(_) | Payload::StageFailure(_) => Tone::Warn,
        Payload::Execution(x) => match x.judgement {
            Judgement::Accepted => Tone::Good,
            Judgement::Refused(_) | Judgement::Failed(..) => Tone::Warn,
        },
        Payload::Outcome(x) => match x.kind {
            OutcomeKind::Accepted => Tone::Good,
            OutcomeKind::Refused | OutcomeKind::Failed(_) => Tone::Bad,
        },
    }
}

fn request(request: &Request) -> String {
    let sealed = if request.truth.is_some() { ", sealed truth" } else { "" };
    format!(
        "task submitted by {}: {}{sealed}",
        text::line(&request.submitted_by),
        count(request.inputs.len(), "input"),
    )
}

fn plan(proposal: &PlanProposal) -> String {
    let files = count(proposal.plan.files().len(), "file");
    let levels = count(proposal.plan.level_count() as usize, "level");
    let attempt = match proposal.attempt {
        0 | 1 => String::new(),
        attempt => format!(", answer {attempt}"),
    };
    format!("plan: {files} in {levels}{attempt}{}", refusals(&proposal.refused))
}

fn answer(answer: &Answer) -> String {
    let what = match (answer.gate, answer.decision) {
        (Gate::Plan, Decision::Approve) => "plan approved",
        (Gate::Plan, Decision::Revise) => "plan sent back",
        (Gate::Plan, Decision::Reject) => "plan rejected",
        (Gate::Guidance, Decision::Approve) => "told to try again",
        (Gate::Guidance, Decision::Revise | Decision::Reject) => "told to stop",
    };
    let by = text::line(&answer.by);
    let by = if answer.automatic {
        format!("automatically, by {by}; nobody looked")
    } else {
        format!("by {by}")
    };
    let words = if answer.text.trim().is_empty() {
        String::new()
    } else {
        format!(": {}", clipped(answer.text.trim(), MESSAGE))
    };
    format!("{what} {by}{words}")
}

fn candidate(candidate: &Candidate) -> String {
    let names = |repaired: bool| {
        let chosen = candidate.written.iter().filter(|file| file.repair == repaired);
        chosen.map(|file| file.path.to_string()).collect::<Vec<_>>()
    };
    let (written, repaired) = (names(false), names(true));
    let mut parts = Vec::new();
    if !written.is_empty() {
        parts.push(format!("wrote {}", written.join(", ")));
    }
    if !repaired.is_empty() {
        parts.push(format!("repaired {}", repaired.join(", ")));
    }
    if parts.is_empty() {
        parts.push("nothing new".to_owned());
    }
    format!(
        "level {}: {}{}",
        candidate.level,
        parts.join("; "),
        refusals(&candidate.refused)
    )
}

fn verdict(verdict: &Verdict) -> String {
    let what = if verdict.complete {
        "workspace".to_owned()
    } else {
        format!("level {}", verdict.level)
    };
    let took = span(verdict.duration_ms);
    if verdict.passed() {
        return format!("{what}: passed {} in {took}", count(verdict.checks.len(), "check"));
    }
    let class = verdict.failure.map(|class| format!(" ({class})")).unwrap_or_default();
    let findings: Vec<&Finding> = verdict.findings().collect();
    if findings.is_empty() {
        let reasons: Vec<String> = verdict.checks.iter().filter_map(unfinished).collect();
        return format!("{what}: failed{class}: {}", clipped(&reasons.join("; "), MESSAGE));
    }
    format!("{what}: failed{class}: {}", first_of(&findings))
}

/// Why a check gave no finding and did not pass either.
pub(crate) fn unfinished(check: &CheckResult) -> Option<String> {
    match &check.answer {
        CheckAnswer::Passed(_) | CheckAnswer::Failed(_) => None,
        CheckAnswer::TimedOut { reason, .. } => Some(format!("{} timed out: {reason}", check.check)),
        CheckAnswer::NotRun { reason } => Some(format!("{} was not run: {reason}", check.check)),
    }
}

fn execution(execution: &Execution) -> String {
    let ended = match &execution.observed {
        Some(observed) => format!("program: {}", observed_line(observed)),
        None => "program was not started".to_owned(),
    };
    match &execution.judgement {
        Judgement::Accepted => format!("{ended}: every criterion is met"),
        Judgement::Refused(reasons) => format!("{ended}: refused: {}", clipped(&reasons.join("; "), MESSAGE)),
        Judgement::Failed(class, reasons) => {
            format!("{ended}: failed ({class}): {}", clipped(&reasons.join("; "), MESSAGE))
        }
    }
}

/// How a program ended and what it took.
pub(crate) fn observed_line(observed: &Observed) -> String {
    format!(
        "{} after {}, {} at most, {}",
        end(&observed.end),
        span(observed.duration_ms),
        text::size(observed.peak_memory_bytes),
        match observed.survivors {
            0 => "no survivors".to_owned(),
            n => count(n as usize, "survivor"),
        },
    )
}

pub(crate) fn end(end: &End) -> String {
    match end {
        End::Exited(code) => format!("exit {code}"),
        End::Signaled(signal) => format!("signal {signal}"),
        End::Limit(limit) => format!("ended by the limit {}", text::line(limit)),
        End::Cancelled => "cancelled".to_owned(),
    }
}

fn outcome(outcome: &Outcome) -> String {
    let kind = match outcome.kind {
        OutcomeKind::Accepted => "accepted".to_owned(),
        OutcomeKind::Refused => "refused".to_owned(),
        OutcomeKind::Failed(class) => format!("failed ({class})"),
    };
    let reasons = if outcome.reasons.is_empty() {
        String::new()
    } else {
        format!(": {}", clipped(&outcome.reasons.join("; "), MESSAGE))
    };
    format!("outcome: {kind}{reasons}")
}

fn refusals(refused: &[RefusedAnswer]) -> String {
    let told: Vec<String> = refused.iter().map(refusal).collect();
    if told.is_empty() {
        String::new()
    } else {
        format!("; {}", told.join("; "))
    }
}

/// Which answer was refused, and the first reason.
pub(crate) fn refusal(refused: &RefusedAnswer) -> String {
    let findings: Vec<&Finding> = refused.findings.iter().collect();
    format!(
        "{} answer {} refused: {}",
        text::line(&refused.subject),
        refused.attempt,
        first_of(&findings)
    )
}

/// The first finding, and how many more there are.
pub(crate) fn first_of(findings: &[&Finding]) -> String {
    let first = findings
        .first()
        .map(|finding| clipped(&finding.to_string(), MESSAGE))
        .unwrap_or_default();
    match findings.len() {
        0 | 1 => first,
        n => format!("{first} (and {} more)", n - 1),
    }
}
