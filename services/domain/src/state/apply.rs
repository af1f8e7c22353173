//! The only place where a run's state changes.

use super::legal::{self, Illegal};
use super::{Phase, RunState, SAME_FAULT_LIMIT};
use crate::failure::FailureClass;
use crate::finding::Finding;
use crate::ids::Digest;
use crate::payload::{
    Answer, Candidate, Decision, Execution, Gate, Judgement, OutcomeKind, Payload, PlanProposal, RefusedAnswer,
    Request, StageFailure, Verdict,
};
use crate::record::{Control, Record};
use crate::signing::Opened;
use crate::task::Task;
use std::collections::BTreeSet;

/// What can happen to a run.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The next record of its chain.
    Record(&'a Opened<Record>),
    /// The next control of its lane.
    Control(&'a Opened<Control>),
}

/// The state after `event`, or why `event` is not legal in `state`.
///
/// Chain and lane touch different fields, so how they interleave does not matter.
pub fn apply(state: RunState, event: Event<'_>) -> Result<RunState, Illegal> {
    match event {
        Event::Record(record) => apply_record(state, record),
        Event::Control(control) => apply_control(state, &control.value),
    }
}

fn apply_control(mut state: RunState, control: &Control) -> Result<RunState, Illegal> {
    legal::control(&state, control)?;
    state.controls = control.k;
    // The first cancellation stands; a second one changes nothing.
    if state.cancel.is_none() {
        state.cancel = Some(control.clone());
    }
    Ok(state)
}

fn apply_record(state: RunState, opened: &Opened<Record>) -> Result<RunState, Illegal> {
    let record = &opened.value;
    legal::position(&state, record)?;
    let mut next = match &record.payload {
        Payload::Request(request) => requested(state, request)?,
        Payload::PlanProposal(proposal) => planned(state, proposal)?,
        Payload::Answer(answer) => answered(state, answer)?,
        Payload::Candidate(candidate) => written(state, candidate)?,
        Payload::Verdict(verdict) => checked(state, verdict, opened.digest)?,
        Payload::ExecutionStarted(started) => {
            legal::execution_started(&state, started)?;
            RunState {
                phase: Phase::Running,
                executions: started.attempt,
                ..state
            }
        }
        Payload::Execution(execution) => executed(state, execution, opened.digest)?,
        Payload::StageFailure(failure) => gave_up(state, failure, opened.digest)?,
        Payload::Outcome(outcome) => {
            legal::outcome(&state, outcome)?;
            RunState {
                phase: Phase::Finished,
                outcome: Some(outcome.clone()),
                ..state
            }
        }
    };
    next.seq = record.seq;
    next.head = Some(opened.digest);
    Ok(next)
}

fn requested(mut state: RunState, request: &Request) -> Result<RunState, Illegal> {
    legal::request(&state, request)?;
    let task = Task::parse(&request.task_toml).map_err(|e| Illegal::Content(e.to_string()))?;
    state.request = Some((request.clone(), task));
    state.phase = Phase::Planning;
    Ok(state)
}

fn planned(mut state: RunState, proposal: &PlanProposal) -> Result<RunState, Illegal> {
    legal::plan_proposal(&state, proposal)?;
    state.plan = Some((proposal.plan.clone(), proposal.plan.digest()));
    state.plan_attempts = proposal.attempt;
    state.phase = Phase::PlanGate;
    Ok(state)
}

fn answered(mut state: RunState, answer: &Answer) -> Result<RunState, Illegal> {
    legal::answer(&state, answer)?;
    state.hint.clone_from(&answer.text);
    state.phase = match (answer.gate, answer.decision, state.phase) {
        (Gate::Plan, Decision::Approve, _) => {
            state.hint.clear();
            Phase::Writing { level: 1 }
        }
        (Gate::Plan, Decision::Revise, _) => {
            state.revisions += 1;
            Phase::Planning
        }
        (Gate::Plan, Decision::Reject, _) => Phase::Concluding {
            kind: OutcomeKind::Refused,
            reasons: vec![format!("the plan was rejected by {}: {}", answer.by, answer.text)],
        },
        (Gate::Guidance, Decision::Approve, Phase::Guidance { resume, .. }) => {
            state.faults.clear();
            state.repairs = 0;
            *resume
        }
        (Gate::Guidance, Decision::Reject, Phase::Guidance { class, reasons, .. }) => Phase::Concluding {
            kind: OutcomeKind::Failed(class),
            reasons,
        },
        (Gate::Guidance, Decision::Approve | Decision::Revise | Decision::Reject, _) => {
            return Err(Illegal::Phase);
        }
    };
    Ok(state)
}

fn written(mut state: RunState, candidate: &Candidate) -> Result<RunState, Illegal> {
    let level = legal::candidate(&state, candidate)?;
    for file in &candidate.written {
        state.attempts.insert(file.path.clone(), file.attempt);
    }
    count_refused(&mut state, &candidate.refused);
    state.candidate = Some(candidate.clone());
    state.phase = Phase::Verifying { level };
    Ok(state)
}

fn checked(mut state: RunState, verdict: &Verdict, digest: Digest) -> Result<RunState, Illegal> {
    let level = legal::verdict(&state, verdict)?;
    state.verdict = Some(verdict.clone());
    if verdict.passed() {
        state.findings.clear();
        state.phase = if verdict.complete {
            Phase::Ready
        } else {
            Phase::Writing { level: level + 1 }
        };
        return Ok(state);
    }
    let class = verdict.failure.unwrap_or(FailureClass::Harness);
    let findings: Vec<Finding> = verdict.findings().cloned().collect();
    let reasons = verdict
        .checks
        .iter()
        .filter(|c| !c.passed())
        .map(|c| format!("check {} did not pass", c.check))
        .collect();
    Ok(failed(
        state,
        class,
        findings,
        reasons,
        digest,
        Phase::Repairing { level },
        Phase::Verifying { level },
    ))
}

fn executed(mut state: RunState, execution: &Execution, digest: Digest) -> Result<RunState, Illegal> {
    legal::execution(&state, execution)?;
    let level = state.plan.as_ref().map_or(1, |(plan, _)| plan.level_count());
    state.execution = Some(execution.clone());
    match &execution.judgement {
        Judgement::Accepted => {
            state.phase = Phase::Concluding {
                kind: OutcomeKind::Accepted,
                reasons: Vec::new(),
            };
            Ok(state)
        }
        Judgement::Refused(reasons) => {
            state.phase = Phase::Concluding {
                kind: OutcomeKind::Refused,
                reasons: reasons.clone(),
            };
            Ok(state)
        }
        Judgement::Failed(class, reasons) => {
            let findings = execution.findings.clone();
            Ok(failed(
                state,
                *class,
                findings,
                reasons.clone(),
                digest,
                Phase::Repairing { level },
                Phase::Ready,
            ))
        }
    }
}

fn gave_up(mut state: RunState, failure: &StageFailure, digest: Digest) -> Result<RunState, Illegal> {
    legal::stage_failure(&state)?;
    if state.phase == Phase::Planning {
        let last = failure.refused.iter().map(|r| r.attempt).max();
        state.plan_attempts = state.plan_attempts.max(last.unwrap_or(0));
    } else {
        count_refused(&mut state, &failure.refused);
    }
    // An executor that gives up has no program any more: whoever goes on starts a new one.
    let resume = Box::new(match state.phase {
        Phase::Running => Phase::Ready,
        other => other,
    });
    state.phase = Phase::Guidance {
        about: digest,
        class: failure.failure,
        reasons: vec![failure.message.clone()],
        resume,
    };
    Ok(state)
}

/// A failure goes to the model only when the model can mend it, and not for ever (faults F1, F2).
fn failed(
    mut state: RunState,
    class: FailureClass,
    findings: Vec<Finding>,
    mut reasons: Vec<String>,
    about: Digest,
    repair: Phase,
    again: Phase,
) -> RunState {
    state.findings = findings;
    if !class.repairable() {
        state.phase = Phase::Guidance {
            about,
            class,
            reasons,
            resume: Box::new(again),
        };
        return state;
    }
    state.repairs += 1;
    // Once for each time that it was looked for, however many lines of a file it stands in.
    let found: BTreeSet<Digest> = state.findings.iter().map(Finding::fingerprint).collect();
    for fault in found {
        *state.faults.entry(fault).or_insert(0) += 1;
    }
    let budget = state.task().map_or(0, |task| task.limits.repairs);
    if state.worst_repetition() >= SAME_FAULT_LIMIT {
        reasons.push(format!("the same fault was found {SAME_FAULT_LIMIT} times"));
    } else if state.repairs > budget {
        reasons.push(format!("the budget of {budget} repairs is spent"));
    } else {
        state.phase = repair;
        return state;
    }
    state.phase = Phase::Guidance {
        about,
        class,
        reasons,
        resume: Box::new(repair),
    };
    state
}

fn count_refused(state: &mut RunState, refused: &[RefusedAnswer]) {
    for answer in refused {
        if let Ok(path) = answer.subject.parse() {
            let counted = state.attempts.entry(path).or_insert(0);
            *counted = (*counted).max(answer.attempt);
        }
    }
}
