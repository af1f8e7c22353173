//! What makes a record illegal: every rule that [`super::apply`] holds a record to, and no change.

use super::{MAX_REVISIONS, Phase, RunState};
use crate::criteria::CriterionStatus;
use crate::manifest::{Owner, SOURCE_MODE};
use crate::owned;
use crate::payload::{
    Answer, Candidate, Decision, End, Execution, ExecutionStarted, Gate, Judgement, Outcome, PlanProposal, Request,
    Verdict,
};
use crate::record::{Control, Record};
use crate::stage::Stage;
use crate::task::{GuidanceGate, PlanGate};
use std::collections::BTreeSet;

/// Why an event may not happen in a state.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Illegal {
    /// It belongs to another run.
    #[error("it belongs to another run")]
    Run,
    /// Its number does not follow.
    #[error("record {got} does not follow record {after}")]
    Sequence {
        /// The last number.
        after: u64,
        /// The number that came.
        got: u64,
    },
    /// It does not name its predecessor.
    #[error("its parent is not the digest of the record before it")]
    Parent,
    /// This stage may not write here.
    #[error("{0} may not write this record now")]
    Stage(Stage),
    /// This kind of record cannot come in this phase.
    #[error("this kind of record cannot come in this phase")]
    Phase,
    /// It names something else than what is in force.
    #[error("it names another {0} than the one in force")]
    Names(&'static str),
    /// It contradicts itself, the plan or the rules.
    #[error("{0}")]
    Content(String),
}

fn content(why: impl Into<String>) -> Illegal {
    Illegal::Content(why.into())
}

pub(super) fn phase(fits: bool) -> Result<(), Illegal> {
    if fits { Ok(()) } else { Err(Illegal::Phase) }
}

pub(super) fn control(state: &RunState, control: &Control) -> Result<(), Illegal> {
    if control.run != state.run {
        return Err(Illegal::Run);
    }
    if control.k != state.controls + 1 {
        return Err(Illegal::Sequence {
            after: state.controls,
            got: control.k,
        });
    }
    Ok(())
}

/// Run, number, parent and author: what holds for every record.
pub(super) fn position(state: &RunState, record: &Record) -> Result<(), Illegal> {
    if record.run != state.run {
        return Err(Illegal::Run);
    }
    if record.seq != state.seq + 1 {
        return Err(Illegal::Sequence {
            after: state.seq,
            got: record.seq,
        });
    }
    if record.parent != state.head {
        return Err(Illegal::Parent);
    }
    let may_write = record.payload.writer().is_none_or(|writer| writer == record.stage);
    if !may_write || state.chain_actor() != Some(record.stage) {
        return Err(Illegal::Stage(record.stage));
    }
    Ok(())
}

/// Truth that the program is handed as an input proves nothing, under whatever name.
pub(super) fn request(state: &RunState, request: &Request) -> Result<(), Illegal> {
    phase(matches!(state.phase, Phase::New))?;
    let truth = request.truth.as_ref().map(|named| named.blob.digest);
    let mut shown = request.inputs.iter().chain(&request.lock);
    if truth.is_some() && shown.any(|named| Some(named.blob.digest) == truth) {
        return Err(content("the sealed truth is also among what the program is shown"));
    }
    Ok(())
}

pub(super) fn plan_proposal(state: &RunState, proposal: &PlanProposal) -> Result<(), Illegal> {
    phase(matches!(state.phase, Phase::Planning))?;
    if proposal.attempt <= state.plan_attempts {
        return Err(content("the plan's answer number was used before"));
    }
    Ok(())
}

pub(super) fn answer(state: &RunState, answer: &Answer) -> Result<(), Illegal> {
    let (gate, about) = state.gate().ok_or(Illegal::Phase)?;
    if gate != answer.gate {
        return Err(Illegal::Names("gate"));
    }
    if about != answer.about {
        return Err(Illegal::Names("plan or question"));
    }
    let gates = state.task().map(|task| task.gates).unwrap_or_default();
    let policy_allows = match (answer.gate, answer.decision) {
        (Gate::Plan, Decision::Approve) => gates.plan == PlanGate::Automatic,
        (Gate::Guidance, Decision::Reject) => gates.guidance == GuidanceGate::Stop,
        (Gate::Plan, Decision::Revise | Decision::Reject) | (Gate::Guidance, Decision::Approve | Decision::Revise) => {
            false
        }
    };
    if answer.automatic && !policy_allows {
        return Err(content("no policy of this task answers this gate automatically"));
    }
    if answer.by.trim().is_empty() {
        return Err(content("an answer has to say who gave it"));
    }
    match (answer.gate, answer.decision) {
        (Gate::Plan, Decision::Revise) if state.revisions >= MAX_REVISIONS => Err(content(format!(
            "the plan was revised {MAX_REVISIONS} times; approve or reject it"
        ))),
        (Gate::Plan, Decision::Revise) if answer.text.trim().is_empty() => {
            Err(content("a revision has to say what to change"))
        }
        (Gate::Guidance, Decision::Revise) => Err(content(
            "at the guidance gate the answers are approve (try again) and reject (end the run)",
        )),
        (Gate::Plan, Decision::Approve | Decision::Revise | Decision::Reject)
        | (Gate::Guidance, Decision::Approve | Decision::Reject) => Ok(()),
    }
}

/// A candidate may add or change exactly what it says it wrote, on planned model-owned paths.
pub(super) fn candidate(state: &RunState, candidate: &Candidate) -> Result<u32, Illegal> {
    let (level, repairing) = match state.phase {
        Phase::Writing { level } => (level, false),
        Phase::Repairing { level } => (level, true),
        Phase::New
        | Phase::Planning
        | Phase::PlanGate
        | Phase::Verifying { .. }
        | Phase::Ready
        | Phase::Running
        | Phase::Guidance { .. }
        | Phase::Concluding { .. }
        | Phase::Finished => {
            return Err(Illegal::Phase);
        }
    };
    let (plan, _) = state.plan.as_ref().ok_or(Illegal::Phase)?;
    if candidate.level != level {
        return Err(Illegal::Names("level"));
    }
    let written: BTreeSet<_> = candidate.written.iter().map(|file| &file.path).collect();
    if written.is_empty() || written.len() != candidate.written.len() {
        return Err(content("a candidate has to write something, and each file once"));
    }
    if !repairing && !plan.level(level).iter().eq(written.iter().copied()) {
        return Err(content(format!("it does not write exactly the files of level {level}")));
    }
    for file in &candidate.written {
        owned::model_may_write(&file.path).map_err(|e| content(e.to_string()))?;
        if plan.file(&file.path).is_none() {
            return Err(content(format!("{} is not planned", file.path)));
        }
        if !(1..=level).any(|reached| plan.level(reached).contains(&file.path)) {
            return Err(content(format!("{} is not of a level that is reached", file.path)));
        }
        let used = state.attempts.get(&file.path).copied().unwrap_or(0);
        if file.attempt <= used {
            return Err(content(format!(
                "answer {} for {} was used before",
                file.attempt, file.path
            )));
        }
    }
    for reached in 1..=level {
        if let Some(missing) = plan
            .level(reached)
            .iter()
            .find(|path| candidate.manifest.get(path).is_none())
        {
            return Err(content(format!("{missing} of level {reached} is missing")));
        }
    }
    let request = state.request.as_ref();
    let same_harness = request.is_some_and(|(r, _)| r.harness == owned::harness_digest());
    for (path, entry) in candidate.manifest.iter() {
        let stated = candidate.written.iter().find(|file| &file.path == path);
        let before = state.manifest().and_then(|manifest| manifest.get(path));
        let fits = match (stated, before) {
            (Some(file), _) => entry.owner == Owner::Model && entry.mode == SOURCE_MODE && entry.digest == file.digest,
            (None, Some(before)) => before == entry,
            (None, None) => {
                let ours = owned::FILES.iter().find(|file| file.path == path.as_str());
                // Only the harness that is named in the request can be compared byte for byte.
                entry.owner == Owner::Harness
                    && ours.is_some_and(|file| !same_harness || *entry == owned::entry_of(file.content, Owner::Harness))
            }
        };
        if !fits {
            return Err(content(format!("{path} changed, and the candidate does not say so")));
        }
    }
    let lost = state
        .manifest()
        .and_then(|manifest| manifest.iter().find(|(path, _)| candidate.manifest.get(path).is_none()));
    match lost {
        Some((path, _)) => Err(content(format!("{path} disappeared"))),
        None => Ok(level),
    }
}

pub(super) fn verdict(state: &RunState, verdict: &Verdict) -> Result<u32, Illegal> {
    let Phase::Verifying { level } = state.phase else {
        return Err(Illegal::Phase);
    };
    let manifest = state.manifest().ok_or(Illegal::Phase)?;
    let (plan, _) = state.plan.as_ref().ok_or(Illegal::Phase)?;
    if verdict.manifest != manifest.digest() {
        return Err(Illegal::Names("manifest"));
    }
    if verdict.level != level || verdict.complete != (level == plan.level_count()) {
        return Err(Illegal::Names("level"));
    }
    if verdict.passed() == verdict.failure.is_some() {
        return Err(content("the verdict neither passes nor names a failure"));
    }
    Ok(level)
}

pub(super) fn execution_started(state: &RunState, started: &ExecutionStarted) -> Result<(), Illegal> {
    // A second start is legal: the first one's executor may have died with its program.
    phase(matches!(state.phase, Phase::Ready | Phase::Running))?;
    if Some(started.manifest) != state.manifest().map(crate::manifest::Manifest::digest) {
        return Err(Illegal::Names("manifest"));
    }
    if started.attempt != state.executions + 1 {
        return Err(Illegal::Names("execution"));
    }
    Ok(())
}

pub(super) fn execution(state: &RunState, execution: &Execution) -> Result<(), Illegal> {
    phase(matches!(state.phase, Phase::Running))?;
    if Some(execution.manifest) != state.manifest().map(crate::manifest::Manifest::digest) {
        return Err(Illegal::Names("manifest"));
    }
    if execution.attempt != state.executions {
        return Err(Illegal::Names("execution"));
    }
    let verified_in = state.verdict.as_ref().map(|verdict| verdict.environment);
    if execution.observed.is_some() && Some(execution.environment) != verified_in {
        return Err(Illegal::Names("environment"));
    }
    if execution.judgement == Judgement::Accepted {
        accepted(state, execution)?;
    }
    Ok(())
}

/// Success is checked by everybody who reads the chain, not only by the executor that claims it.
fn accepted(state: &RunState, execution: &Execution) -> Result<(), Illegal> {
    let seen = execution
        .observed
        .as_ref()
        .ok_or_else(|| content("nothing was observed"))?;
    if seen.end != End::Exited(0) || seen.survivors != 0 || !execution.tampered.is_empty() {
        return Err(content("it did not end cleanly, and cannot be accepted"));
    }
    let criteria = state.task().map(|task| task.criteria.as_slice()).unwrap_or_default();
    let judged: Vec<_> = criteria
        .iter()
        .map(|criterion| criterion.judge_despite(&execution.metrics, &execution.doubts))
        .collect();
    if judged.is_empty() || judged.iter().any(|result| result.status != CriterionStatus::Met) {
        return Err(content("not every criterion is met by strong enough evidence"));
    }
    if judged != execution.criteria {
        return Err(content("its criteria are not those that its metrics give"));
    }
    Ok(())
}

pub(super) fn stage_failure(state: &RunState) -> Result<(), Illegal> {
    phase(matches!(
        state.phase,
        Phase::Planning
            | Phase::Writing { .. }
            | Phase::Repairing { .. }
            | Phase::Verifying { .. }
            | Phase::Ready
            | Phase::Running
    ))
}

pub(super) fn outcome(state: &RunState, outcome: &Outcome) -> Result<(), Illegal> {
    let Phase::Concluding { kind, .. } = &state.phase else {
        return Err(Illegal::Phase);
    };
    if *kind != outcome.kind {
        return Err(Illegal::Names("outcome"));
    }
    if outcome.manifest != state.manifest().map(crate::manifest::Manifest::digest) {
        return Err(Illegal::Names("manifest"));
    }
    Ok(())
}
