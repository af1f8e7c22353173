//! Every state that a run can come to in so many steps, up to what makes no difference to its way.

use crate::chain::{next_record, opened};
use crate::moves::{choices, one_of_each_kind};
use crate::samples::run_id;
use interlock_domain::payload::{Decision, Gate, OutcomeKind, Payload};
use interlock_domain::state::{Event, Phase, SAME_FAULT_LIMIT, apply};
use interlock_domain::{FailureClass, RunState, Stage};
use std::collections::BTreeSet;

/// The longest way that is looked at, in records.
const STEPS: usize = 24;

/// What may be on record next, and by whom; said once more, apart from the code that is tested.
fn table(phase: &Phase) -> (&'static [&'static str], Option<Stage>) {
    match phase {
        Phase::New => (&["request"], Some(Stage::Gateway)),
        Phase::Planning => (&["plan", "stage-failure"], Some(Stage::Planner)),
        Phase::PlanGate | Phase::Guidance { .. } => (&["answer"], Some(Stage::Gateway)),
        Phase::Writing { .. } | Phase::Repairing { .. } => (&["candidate", "stage-failure"], Some(Stage::Generator)),
        Phase::Verifying { .. } => (&["verdict", "stage-failure"], Some(Stage::Verifier)),
        Phase::Ready => (&["execution-started", "stage-failure"], Some(Stage::Executor)),
        Phase::Running => (
            &["execution-started", "execution", "stage-failure"],
            Some(Stage::Executor),
        ),
        Phase::Concluding { .. } => (&["outcome"], Some(Stage::Gateway)),
        Phase::Finished => (&[], None),
    }
}

/// What decides how the run may go on; numbers that only grow are left out.
pub(crate) fn shape(state: &RunState) -> String {
    fn place(phase: &Phase) -> String {
        match phase {
            Phase::Guidance { class, resume, .. } => format!("guidance {class} {}", place(resume)),
            Phase::Concluding { kind, .. } => format!("concluding {kind:?}"),
            Phase::New
            | Phase::Planning
            | Phase::PlanGate
            | Phase::Writing { .. }
            | Phase::Repairing { .. }
            | Phase::Verifying { .. }
            | Phase::Ready
            | Phase::Running
            | Phase::Finished => format!("{phase:?}"),
        }
    }
    let faults: Vec<&u32> = state.faults.values().collect();
    let (policy, workspace) = (state.task().map(|t| t.gates), state.manifest().map(|m| m.len()));
    let ended = state.outcome.as_ref().map(|o| o.kind);
    let place = place(&state.phase);
    format!(
        "{place} {} {} {faults:?} {policy:?} {workspace:?} {ended:?}",
        state.revisions, state.repairs
    )
}

/// What has to hold in every state that can be reached.
pub(crate) fn hold(state: &RunState) {
    let (_, actor) = table(&state.phase);
    assert_eq!(state.chain_actor(), actor);
    assert_eq!(state.chain_actor().is_none(), state.phase == Phase::Finished);
    assert_eq!(state.outcome.is_some(), state.phase == Phase::Finished);
    assert_eq!(state.next_actor(), state.chain_actor(), "nobody cancelled");
    assert_eq!(state.head.is_some(), state.seq > 0);
    match &state.phase {
        Phase::PlanGate => {
            assert!(matches!(state.gate(), Some((Gate::Plan, about)) if about == state.plan.as_ref().unwrap().1))
        }
        Phase::Guidance { about, resume, .. } => {
            assert_eq!(state.gate(), Some((Gate::Guidance, *about)));
            assert_eq!(Some(*about), state.head, "the gate was opened by the last record");
            // "Try again" leads to a stage that can do something, and not to another question.
            assert!(matches!(
                **resume,
                Phase::Planning
                    | Phase::Writing { .. }
                    | Phase::Repairing { .. }
                    | Phase::Verifying { .. }
                    | Phase::Ready
                    | Phase::Running
            ));
        }
        _ => assert_eq!(state.gate(), None),
    }
    if matches!(state.phase, Phase::Ready | Phase::Running) {
        let verdict = state.verdict.as_ref().expect("a verdict");
        assert!(verdict.passed() && verdict.complete, "only what was verified may run");
        assert_eq!(Some(verdict.manifest), state.manifest().map(|m| m.digest()));
    }
    if matches!(state.phase, Phase::Repairing { .. }) {
        assert!(!state.findings.is_empty() && state.worst_repetition() <= SAME_FAULT_LIMIT);
    }
    if state.outcome.as_ref().is_some_and(|o| o.kind == OutcomeKind::Accepted) {
        let execution = state.execution.as_ref().expect("an execution");
        assert!(execution.observed.as_ref().is_some_and(|seen| seen.survivors == 0));
    }
    // Nobody but a human or his policy stands between a plan and its first file.
    assert!(state.candidate.is_none() || state.plan.is_some());
}

/// Everything that may not come next is refused: other kinds, and every kind by every other stage.
fn refuse(state: &RunState) {
    let (kinds, actor) = table(&state.phase);
    for payload in one_of_each_kind(state) {
        for stage in Stage::ALL {
            let mut record = next_record(state, payload.clone());
            record.stage = stage;
            let legal = apply(state.clone(), Event::Record(&opened(record))).is_ok();
            if legal {
                assert!(
                    kinds.contains(&payload.name()),
                    "{} in {:?}",
                    payload.name(),
                    state.phase
                );
                assert_eq!(Some(stage), actor, "{} in {:?}", payload.name(), state.phase);
            }
        }
    }
}

#[test]
fn every_state_within_reach_is_sound() {
    let mut seen = BTreeSet::new();
    let mut outcomes = BTreeSet::new();
    let mut kinds: BTreeSet<&str> = BTreeSet::new();
    let mut open = vec![RunState::new(run_id())];
    for step in 0..=STEPS {
        let mut next = Vec::new();
        for state in open {
            if !seen.insert(shape(&state)) {
                continue;
            }
            assert_eq!(state.seq, step as u64);
            hold(&state);
            refuse(&state);
            if let Some(outcome) = &state.outcome {
                outcomes.insert(format!("{:?}", outcome.kind));
            }
            for payload in choices(&state) {
                let (name, record) = (payload.name(), next_record(&state, payload));
                kinds.insert(name);
                let after = apply(state.clone(), Event::Record(&opened(record)));
                next.push(after.unwrap_or_else(|e| panic!("{name} in {:?}: {e}", state.phase)));
            }
        }
        open = next;
    }
    assert!(seen.len() > 500, "only {} states were seen", seen.len());
    assert_eq!(kinds.len(), 9, "not every kind of record was written: {kinds:?}");
    for outcome in [
        "Accepted",
        "Refused",
        "Failed(Code)",
        "Failed(Contract)",
        "Failed(Memory)",
        "Failed(Model)",
    ] {
        assert!(outcomes.contains(outcome), "{outcome} was not reached: {outcomes:?}");
    }
}

#[test]
fn no_way_leads_round_the_human() {
    // Whoever writes a candidate finds an approval behind it; whoever starts a program, a passed verdict.
    let mut open = vec![(RunState::new(run_id()), false)];
    for _ in 0..9 {
        let mut next = Vec::new();
        for (state, approved) in open {
            for payload in choices(&state) {
                let approves =
                    matches!(&payload, Payload::Answer(a) if a.gate == Gate::Plan && a.decision == Decision::Approve);
                let writes = payload.name() == "candidate";
                assert!(!writes || approved);
                // One class of failure is enough here: they only differ in what can be done about them.
                if matches!(&payload, Payload::StageFailure(f) if f.failure == FailureClass::Harness) {
                    continue;
                }
                let after = apply(state.clone(), Event::Record(&opened(next_record(&state, payload)))).unwrap();
                next.push((after, approved || approves));
            }
        }
        open = next;
    }
    assert!(open.len() > 50);
}
