//! What the gateway says without anybody's word: what the task's policy answers, and the outcome.
//!
//! Pure. Where a human has to answer it says nothing: silence is never consent.

use interlock_domain::manifest::Manifest;
use interlock_domain::payload::{Answer, Decision, Gate, Outcome};
use interlock_domain::state::Phase;
use interlock_domain::task::{GuidanceGate, PlanGate};
use interlock_domain::{Payload, RunState, Stage};

/// The record that the gateway owes to a run in this state, if it owes one.
pub(crate) fn owed(state: &RunState) -> Option<Payload> {
    if state.next_actor() != Some(Stage::Gateway) {
        return None;
    }
    let gates = state.task()?.gates;
    match &state.phase {
        Phase::PlanGate => match gates.plan {
            PlanGate::Human => None,
            PlanGate::Automatic => by_policy(state, Decision::Approve, "gates.plan = automatic"),
        },
        Phase::Guidance { .. } => match gates.guidance {
            GuidanceGate::Human => None,
            GuidanceGate::Stop => by_policy(state, Decision::Reject, "gates.guidance = stop"),
        },
        Phase::Concluding { kind, reasons } => Some(Payload::Outcome(Outcome {
            kind: *kind,
            reasons: reasons.clone(),
            manifest: state.manifest().map(Manifest::digest),
        })),
        Phase::New
        | Phase::Planning
        | Phase::Writing { .. }
        | Phase::Repairing { .. }
        | Phase::Verifying { .. }
        | Phase::Ready
        | Phase::Running
        | Phase::Finished => None,
    }
}

/// The gate at which a human, and no policy, has to answer.
pub(crate) fn open_gate(state: &RunState) -> Option<(Gate, interlock_domain::Digest)> {
    if state.next_actor().is_none() || owed(state).is_some() {
        return None;
    }
    state.gate()
}

fn by_policy(state: &RunState, decision: Decision, policy: &str) -> Option<Payload> {
    let (gate, about) = state.gate()?;
    Some(Payload::Answer(Answer {
        gate,
        about,
        decision,
        by: format!("policy: {policy}"),
        automatic: true,
        text: String::new(),
    }))
}
