//! Why a run is where it is: one sentence, the same wherever it is told, and what it would take to go on.
//!
//! Everything follows from the records. What a program printed is quoted and never decides which class is named.

use super::text::{clipped, count, line, size, span};
use super::{Run, status};
use crate::console::Tone;
use interlock_domain::criteria::CriterionStatus;
use interlock_domain::payload::{Decision, End, Execution, Gate, OutcomeKind, Payload, StageFailure, Verdict};
use interlock_domain::state::Phase;
use interlock_domain::task::Limits;
use interlock_domain::{FailureClass, Finding, Record};
use interlock_proto::v1::control::Action;

/// Longest part of a sentence that comes from elsewhere.
const PART: usize = 300;

/// The record that a failure rests on.
#[derive(Clone, Copy, Debug)]
pub enum Ground<'a> {
    /// A check, or several.
    Verdict(&'a Verdict),
    /// The program.
    Execution(&'a Execution),
    /// A stage that could not go on.
    Stage(&'a StageFailure),
}

/// How a run stands, in one sentence without its full stop.
pub fn sentence(run: &Run) -> (Tone, String) {
    let state = run.state.as_ref();
    let Some(outcome) = state.and_then(|state| state.outcome.as_ref()) else {
        return unfinished(run);
    };
    match outcome.kind {
        OutcomeKind::Accepted => {
            let met = state
                .and_then(|state| state.execution.as_ref())
                .map_or(0, |e| e.criteria.len());
            let all = if met == 1 {
                "its one criterion is met".to_owned()
            } else {
                format!("all {met} criteria are met")
            };
            (Tone::Good, format!("accepted: {all}"))
        }
        OutcomeKind::Refused => (Tone::Bad, format!("refused: {}", refused(run, &outcome.reasons))),
        OutcomeKind::Failed(class) => (
            Tone::Bad,
            format!("failed ({class}): {}", failed(run, &outcome.reasons)),
        ),
    }
}

/// A run without an outcome.
fn unfinished(run: &Run) -> (Tone, String) {
    if run.status() == "cancelled" {
        return (Tone::Bad, cancelled(run));
    }
    if run.status() == "stuck" {
        let why = run.unread.first().map_or("no record of it can be read", String::as_str);
        return (Tone::Bad, format!("stuck: {}", clipped(why, PART)));
    }
    match run.state.as_ref().map(|state| &state.phase) {
        Some(Phase::Guidance { class, reasons, .. }) => (
            Tone::Warn,
            format!("waits for guidance ({class}): {}", failed(run, reasons)),
        ),
        Some(Phase::PlanGate) => (Tone::Warn, "waits for an answer about its plan".to_owned()),
        Some(_) => (Tone::Plain, format!("active: {}", status::status(run))),
        None => (Tone::Warn, "nothing is on record yet".to_owned()),
    }
}

/// By whom, why if they said so, and what was going on. The first cancellation is the one that stands.
fn cancelled(run: &Run) -> String {
    let by = line(&run.view.cancelled_by);
    let control = run.view.controls.first();
    let why = match control.and_then(|control| control.action.as_ref()) {
        Some(Action::Cancel(cancel)) if !cancel.reason.trim().is_empty() => {
            format!(": {}", clipped(cancel.reason.trim(), PART))
        }
        Some(Action::Cancel(_)) | None => String::new(),
    };
    format!("cancelled by {by}{why}")
}

/// Which criteria do not hold, or who said no.
fn refused(run: &Run, reasons: &[String]) -> String {
    let criteria = run
        .state
        .as_ref()
        .and_then(|state| state.execution.as_ref())
        .map(|e| e.criteria.as_slice());
    let all = criteria.unwrap_or_default();
    let not_met = all.iter().filter(|one| one.status != CriterionStatus::Met).count();
    let first = clipped(
        first_line(reasons.first().map_or("no reason is on record", String::as_str)),
        PART,
    );
    match (not_met, reasons.len()) {
        (0, _) | (_, 0 | 1) => first,
        _ => format!("{first} (and {} more)", count(reasons.len() - 1, "reason")),
    }
}

/// What happened, where, and why it was not tried again.
fn failed(run: &Run, reasons: &[String]) -> String {
    let Some((_, ground)) = ground(&run.records) else {
        return clipped(first_line(&reasons.join("; ")), PART);
    };
    let (what, own) = match ground {
        Ground::Verdict(verdict) => (by_checks(verdict), Vec::new()),
        Ground::Execution(execution) => by_program(execution),
        Ground::Stage(failure) => (failure.message.clone(), vec![failure.message.clone()]),
    };
    let mut told = vec![clipped(first_line(&what), PART)];
    let others = reasons
        .iter()
        .filter(|reason| !own.contains(reason) && !reason.ends_with(" did not pass"));
    told.extend(others.map(|reason| clipped(first_line(reason), PART)));
    told.join("; ")
}

fn by_checks(verdict: &Verdict) -> String {
    let findings: Vec<&Finding> = verdict.findings().collect();
    let Some(first) = findings.first() else {
        let others = verdict.checks.iter().filter_map(super::line::unfinished);
        return others.collect::<Vec<_>>().join("; ");
    };
    let said = format!("{}: {}: {}", first.at, first.rule, first_line(&first.message));
    match findings.len() {
        1 => said,
        n => format!("{} (and {} more)", clipped(&said, PART), count(n - 1, "finding")),
    }
}

/// What ended a program, and the reasons of its record.
fn by_program(execution: &Execution) -> (String, Vec<String>) {
    use interlock_domain::payload::Judgement;
    let reasons = match &execution.judgement {
        Judgement::Accepted => Vec::new(),
        Judgement::Refused(reasons) | Judgement::Failed(_, reasons) => reasons.clone(),
    };
    let what = match execution.findings.first() {
        // The executor gives the exception first and the traceback below it.
        Some(finding) if finding.at.line > 0 => format!("{}, at {}", first_line(&finding.message), finding.at),
        Some(finding) => {
            let mut lines = finding.message.lines().filter(|line| !line.trim().is_empty());
            let first = lines.next().unwrap_or_default();
            match lines.next_back() {
                Some(last) => format!("{first}; the last it printed is {:?}", clipped(last.trim(), PART / 2)),
                None => first.to_owned(),
            }
        }
        None => reasons.first().cloned().unwrap_or_default(),
    };
    (what, reasons)
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}

/// The last failure on record, with the number of its record.
pub fn ground(records: &[Record]) -> Option<(u64, Ground<'_>)> {
    records.iter().rev().find_map(|record| {
        let ground = match &record.payload {
            Payload::Verdict(verdict) if !verdict.passed() => Ground::Verdict(verdict),
            Payload::Execution(execution) => Ground::Execution(execution),
            Payload::StageFailure(failure) => Ground::Stage(failure),
            Payload::Request(_)
            | Payload::PlanProposal(_)
            | Payload::Answer(_)
            | Payload::Candidate(_)
            | Payload::Verdict(_)
            | Payload::ExecutionStarted(_)
            | Payload::Outcome(_) => return None,
        };
        Some((record.seq, ground))
    })
}

/// The class of what keeps a run from going on; `None` for one that was refused, cancelled, or goes on.
pub fn class(run: &Run) -> Option<FailureClass> {
    let state = run.state.as_ref().filter(|_| run.status() != "cancelled")?;
    match (&state.outcome, &state.phase) {
        (Some(outcome), _) => match outcome.kind {
            OutcomeKind::Failed(class) => Some(class),
            OutcomeKind::Accepted | OutcomeKind::Refused => None,
        },
        (None, Phase::Guidance { class, .. }) => Some(*class),
        (None, _) => None,
    }
}

/// What it would take to go on: one sentence for each thing.
pub fn needed(run: &Run) -> Vec<String> {
    let Some(state) = run.state.as_ref() else {
        return Vec::new();
    };
    if let Some(class) = class(run) {
        let now = state.task().and_then(|task| now(class, &task.limits));
        return vec![format!("{}{}", class.lever(), now.unwrap_or_default())];
    }
    if run.status() == "cancelled" {
        return vec!["submit the task again: a cancelled run does not go on".to_owned()];
    }
    let is_refused = state
        .outcome
        .as_ref()
        .is_some_and(|outcome| outcome.kind == OutcomeKind::Refused);
    let criteria = state
        .execution
        .iter()
        .flat_map(|execution| &execution.criteria)
        .filter(|_| is_refused);
    let mut needed: Vec<String> = criteria
        .filter_map(|one| match one.status {
            CriterionStatus::Met => None,
            CriterionStatus::Missed => Some(format!(
                "a result for which it holds that {}; seen: {}",
                one.criterion, one.reason
            )),
            CriterionStatus::NotJudged => Some(format!("evidence for {}; so far: {}", one.criterion, one.reason)),
        })
        .collect();
    if is_refused && needed.is_empty() {
        let what = match state.execution {
            Some(_) => "a result that none of the reasons speaks against: submit the task again",
            None => "a task, or a plan, that nobody rejects: submit it again with what was missing",
        };
        needed.push(what.to_owned());
    }
    needed
}

/// The present value of the limit that a class is about.
fn now(class: FailureClass, limits: &Limits) -> Option<String> {
    let value = match class {
        FailureClass::Timeout => limits.wall_seconds,
        FailureClass::Stall => limits.stall_seconds,
        FailureClass::Memory => limits.memory_mb,
        FailureClass::Processes => u64::from(limits.processes),
        FailureClass::Disk => return Some(format!(" (now {} and {})", limits.disk_mb, limits.file_mb)),
        FailureClass::Output => limits.output_mb,
        FailureClass::Code
        | FailureClass::Contract
        | FailureClass::Environment
        | FailureClass::Policy
        | FailureClass::Model
        | FailureClass::Harness => return None,
    };
    Some(format!(" (now {value})"))
}

/// The limit that ended a program, with what was measured; `None` where none did.
pub fn limit(execution: &Execution, limits: &Limits) -> Option<String> {
    let seen = execution.observed.as_ref()?;
    let End::Limit(name) = &seen.end else { return None };
    let mib = |number: u64| format!("{number} MiB");
    let (measured, allowed) = match name.as_str() {
        "wall" => (span(seen.duration_ms), span(limits.wall_seconds.saturating_mul(1000))),
        "cpu" => (
            format!("{} of CPU time", span(seen.cpu_ms)),
            "the sandbox's own limit".to_owned(),
        ),
        "memory" => (size(seen.peak_memory_bytes), mib(limits.memory_mb)),
        "processes" => (
            count(seen.peak_processes as usize, "process"),
            limits.processes.to_string(),
        ),
        "output" => (
            size(seen.stdout_bytes.saturating_add(seen.stderr_bytes)),
            mib(limits.output_mb),
        ),
        "stall" => (
            format!("no output, after {} in all", span(seen.duration_ms)),
            format!("{} without any", span(limits.stall_seconds.saturating_mul(1000))),
        ),
        "disk" => ("more than that".to_owned(), format!("{} in all", mib(limits.disk_mb))),
        other => (
            format!("after {}", span(seen.duration_ms)),
            format!("the limit {}", line(other)),
        ),
    };
    Some(format!(
        "the {} limit ended it; measured: {measured}; allowed: {allowed}",
        line(name)
    ))
}

/// What was tried before it came to this, in the order of the records.
pub fn tried(records: &[Record]) -> Vec<(u64, String)> {
    let mut tried = Vec::new();
    for record in records {
        let said = match &record.payload {
            Payload::PlanProposal(plan) => Some(format!("plan, answer {}", plan.attempt)),
            Payload::Candidate(candidate) => {
                let repaired = candidate.written.iter().filter(|file| file.repair);
                let names: Vec<String> = repaired
                    .map(|file| format!("{} (answer {})", file.path, file.attempt))
                    .collect();
                (!names.is_empty()).then(|| format!("repair of {}", names.join(", ")))
            }
            Payload::Verdict(verdict) if !verdict.passed() => Some(super::line::line(record)),
            Payload::Execution(_) | Payload::StageFailure(_) => Some(super::line::line(record)),
            Payload::Answer(answer) if answer.gate == Gate::Guidance || answer.decision != Decision::Approve => {
                Some(super::line::line(record))
            }
            Payload::Request(_)
            | Payload::Answer(_)
            | Payload::Verdict(_)
            | Payload::ExecutionStarted(_)
            | Payload::Outcome(_) => None,
        };
        tried.extend(said.map(|said| (record.seq, said)));
    }
    tried
}
