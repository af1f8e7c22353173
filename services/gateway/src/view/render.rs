//! What a run looks like to a client. Derived wholly from the run; adds nothing.

use super::place::Place;
use super::run::{Run, Standing};
use crate::policy;
use interlock_domain::payload::{Decision, Gate, OutcomeKind};
use interlock_domain::record::ControlAction;
use interlock_domain::state::{MAX_REVISIONS, Phase};
use interlock_domain::{RunState, Stage};
use interlock_proto::v1 as wire;
use prost::Message as _;

/// One line of a list.
pub(super) fn summary(run: &Run) -> wire::RunSummary {
    let state = &run.state;
    let (started, updated) = run.times.unwrap_or_default();
    wire::RunSummary {
        run_id: state.run.to_string(),
        task: state.task().map(|task| task.name.clone()).unwrap_or_default(),
        phase: phase(state),
        status: status(run).to_owned(),
        records: state.seq,
        started_unix_ms: started,
        updated_unix_ms: updated,
        failure: failure(state),
    }
}

/// Everything about one run.
pub(super) fn view(run: &Run) -> wire::RunView {
    let state = &run.state;
    let gate = policy::open_gate(state);
    let (gate_reasons, gate_lever) = match (&state.phase, gate) {
        (Phase::Guidance { class, reasons, .. }, Some(_)) => (reasons.clone(), class.lever().to_owned()),
        (_, _) => (Vec::new(), String::new()),
    };
    wire::RunView {
        summary: Some(run.summary.clone()),
        records: applied(run).collect(),
        gate: gate.map(|(gate, _)| gate.name().to_owned()).unwrap_or_default(),
        gate_about: gate.map(|(_, about)| about.to_string()).unwrap_or_default(),
        next_actor: next_actor(run),
        cancelled_by: cancelled_by(state).unwrap_or_default().to_owned(),
        controls: controls(run).collect(),
        strange: strange(run).collect(),
        notice: String::new(),
        gate_reasons,
        gate_lever,
        live: None,
        gate_decisions: gate.map(|(gate, _)| decisions(state, gate)).unwrap_or_default(),
    }
}

/// The records of the chain, decoded.
pub(super) fn applied(run: &Run) -> impl Iterator<Item = wire::Record> {
    bodies(run, |place| matches!(place, Place::Record { .. }))
        .filter_map(|body| wire::Record::decode(body.as_slice()).ok())
}

/// Who cancelled the run, if somebody did.
pub(crate) fn cancelled_by(state: &RunState) -> Option<&str> {
    let ControlAction::Cancel { by, .. } = &state.cancel.as_ref()?.action;
    Some(by)
}

/// The run's status in one word.
pub(crate) fn status(run: &Run) -> &'static str {
    let state = &run.state;
    if let Some(outcome) = &state.outcome {
        return match outcome.kind {
            OutcomeKind::Accepted => "accepted",
            OutcomeKind::Refused => "refused",
            OutcomeKind::Failed(_) => "failed",
        };
    }
    if state.is_cancelled() {
        return "cancelled";
    }
    if run.stuck().is_some() || state.seq == 0 {
        return "stuck";
    }
    match policy::open_gate(state) {
        Some(_) => "waiting",
        None => "active",
    }
}

fn bodies(run: &Run, wanted: impl Fn(&Place) -> bool) -> impl Iterator<Item = Vec<u8>> {
    run.stored
        .iter()
        .filter(move |(place, stored)| wanted(place) && stored.standing == Standing::Applied)
        .filter_map(|(_, stored)| wire::SignedRecord::decode(stored.bytes.as_ref()).ok())
        .map(|signed| signed.body)
}

fn controls(run: &Run) -> impl Iterator<Item = wire::Control> {
    bodies(run, |place| matches!(place, Place::Control { .. }))
        .filter_map(|body| wire::Control::decode(body.as_slice()).ok())
}

fn strange(run: &Run) -> impl Iterator<Item = wire::StrangeRecord> {
    run.stored.iter().filter_map(|(place, stored)| {
        let why = match &stored.standing {
            Standing::Applied => return None,
            Standing::Unreached => "no record of the chain leads to this place",
            Standing::Refused(why) => why,
        };
        Some(wire::StrangeRecord {
            subject: place.subject(run.state.run),
            signed: stored.bytes.to_vec(),
            why: why.to_owned(),
        })
    })
}

fn next_actor(run: &Run) -> String {
    if policy::open_gate(&run.state).is_some() {
        return "human".to_owned();
    }
    let actor = run.state.next_actor();
    actor.map(Stage::name).unwrap_or_default().to_owned()
}

fn failure(state: &RunState) -> String {
    let class = match (&state.outcome, &state.phase) {
        (Some(outcome), _) => match outcome.kind {
            OutcomeKind::Failed(class) => Some(class),
            OutcomeKind::Accepted | OutcomeKind::Refused => None,
        },
        (None, Phase::Guidance { class, .. }) => Some(*class),
        (None, _) => None,
    };
    class.map(|class| class.name().to_owned()).unwrap_or_default()
}

/// The answers that are possible, as the state machine would accept them.
fn decisions(state: &RunState, gate: Gate) -> Vec<i32> {
    let possible = match gate {
        Gate::Plan if state.revisions < MAX_REVISIONS => {
            vec![Decision::Approve, Decision::Revise, Decision::Reject]
        }
        Gate::Plan | Gate::Guidance => vec![Decision::Approve, Decision::Reject],
    };
    possible
        .into_iter()
        .map(|decision| decision_to_wire(decision) as i32)
        .collect()
}

const fn decision_to_wire(decision: Decision) -> wire::Decision {
    match decision {
        Decision::Approve => wire::Decision::Approve,
        Decision::Revise => wire::Decision::Revise,
        Decision::Reject => wire::Decision::Reject,
    }
}

fn phase(state: &RunState) -> String {
    let of = state
        .plan
        .as_ref()
        .map(|(plan, _)| format!(" of {}", plan.level_count()))
        .unwrap_or_default();
    match &state.phase {
        Phase::New => "new".to_owned(),
        Phase::Planning => "planning".to_owned(),
        Phase::PlanGate => "plan gate".to_owned(),
        Phase::Writing { level } => format!("writing level {level}{of}"),
        Phase::Repairing { level } => format!("repairing level {level}{of}"),
        Phase::Verifying { level } => format!("verifying level {level}{of}"),
        Phase::Ready => "ready to run".to_owned(),
        Phase::Running => "running".to_owned(),
        Phase::Guidance { class, .. } => format!("guidance gate ({class})"),
        Phase::Concluding { .. } => "concluding".to_owned(),
        Phase::Finished => "finished".to_owned(),
    }
}
