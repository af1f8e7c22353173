//! The first thing to read of a run that did not go well: its cause, the evidence for it, what was tried, what is needed.

use super::checks::{Found, all_found};
use super::files::{Files, STDERR};
use super::ran;
use super::shown::{Listed, Shown};
use super::task::Said;
use crate::console::Tone;
use crate::view::cause::{self, Ground};
use crate::view::{Run, evidence, line};
use interlock_domain::payload::{Execution, Judgement};

/// Most of what was tried that stands here.
const MAX_TRIED: usize = 100;
/// Characters of stderr that stand here.
const STDERR_TAIL: usize = 2_000;

/// The cause.
#[derive(Debug)]
pub struct Cause {
    /// The failure's class; empty for a run that was refused or cancelled.
    pub class: Shown,
    /// What is known of it, and by whom.
    pub evidence: Vec<Shown>,
    /// Record that holds the evidence.
    pub seq: Option<u64>,
    /// What was found.
    pub findings: Listed<Found>,
    /// The end of what the program wrote to stderr. Testimony.
    pub stderr: Shown,
    /// What was tried.
    pub tried: Listed<Said>,
    /// What it would take to go on.
    pub needed: Vec<Shown>,
}

/// The cause; `None` for a run that went well, or goes on.
pub fn cause(run: &Run, files: &Files) -> Option<Cause> {
    if matches!(cause::sentence(run).0, Tone::Good | Tone::Plain) || run.view.gate == "plan" {
        return None;
    }
    let mut cause = Cause {
        class: cause::class(run).map(Shown::of).unwrap_or_default(),
        evidence: Vec::new(),
        seq: None,
        findings: all_found(&[], files),
        stderr: Shown::default(),
        tried: tried(run),
        needed: cause::needed(run).iter().map(|what| Shown::line(what)).collect(),
    };
    // A run that somebody cancelled, or whose plan was rejected, did not fail for what went wrong before that.
    if run.status() == "cancelled" {
        let last = run
            .records
            .last()
            .map(|record| format!("when it was cancelled, the last record was: {}", line::line(record)));
        cause.evidence.extend(last.map(|last| Shown::line(&last)));
        return Some(cause);
    }
    let Some((seq, ground)) = cause::ground(&run.records) else {
        return Some(cause);
    };
    cause.seq = Some(seq);
    let findings = match ground {
        Ground::Verdict(verdict) => {
            let others = verdict.checks.iter().filter_map(line::unfinished);
            cause
                .evidence
                .extend(others.map(|why| Shown::line(&format!("check {why}"))));
            verdict.findings().cloned().collect()
        }
        Ground::Execution(execution) => {
            seen(run, execution, &mut cause.evidence);
            if let (Judgement::Failed(..), Some(text)) = (&execution.judgement, files.text(STDERR)) {
                cause.stderr = Shown::tail(&text, STDERR_TAIL);
            }
            execution.findings.clone()
        }
        Ground::Stage(failure) => {
            cause.evidence.push(Shown::line(&failure.message));
            failure
                .refused
                .iter()
                .flat_map(|answer| answer.findings.clone())
                .collect()
        }
    };
    cause.findings = all_found(&findings, files);
    Some(cause)
}

/// What was tried: the last of it, where that is too much to list.
fn tried(run: &Run) -> Listed<Said> {
    let all: Vec<Said> = cause::tried(&run.records)
        .into_iter()
        .map(|(seq, said)| Said {
            seq,
            said: Shown::line(&said),
        })
        .collect();
    let left_out = all.len().saturating_sub(MAX_TRIED);
    Listed {
        shown: all.into_iter().skip(left_out).collect(),
        left_out,
    }
}

/// What was seen of the program, and which criteria do not hold.
fn seen(run: &Run, execution: &Execution, told: &mut Vec<Shown>) {
    let task = run.state.as_ref().and_then(|state| state.task());
    let limit = task.and_then(|task| cause::limit(execution, &task.limits));
    if let Some(limit) = limit {
        // The reason on record says the same without the numbers.
        told.push(Shown::line(&limit));
    } else if let Judgement::Failed(_, reasons) | Judgement::Refused(reasons) = &execution.judgement {
        // What stands below a first line stands in a finding as well, where there is one.
        let short = |reason: &String| reason.lines().next().unwrap_or_default().to_owned();
        let whole = execution.findings.is_empty();
        told.extend(reasons.iter().map(|reason| {
            if whole {
                Shown::line(reason)
            } else {
                Shown::line(&short(reason))
            }
        }));
    }
    told.extend(
        evidence::observed(execution)
            .into_iter()
            .map(|(_, said)| Shown::line(&format!("observed: {said}"))),
    );
    let criteria = ran::judged(run).into_iter().filter(|one| one.tone != "good");
    told.extend(criteria.map(|one| Shown::line(&format!("{}: {}: {}", one.answer, one.criterion, one.reason))));
    told.dedup();
}
