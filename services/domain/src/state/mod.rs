//! The state of a run: everything that its records say, and nothing else.
//!
//! It changes in one place only, [`apply`]; live stages, replay, views and audits all use that.

mod apply;
mod legal;

pub use apply::{Event, apply};
pub use legal::Illegal;

use crate::failure::FailureClass;
use crate::finding::Finding;
use crate::ids::{Digest, RunId};
use crate::manifest::Manifest;
use crate::path::WorkspacePath;
use crate::payload::{Candidate, Execution, Gate, Outcome, OutcomeKind, Request, Verdict};
use crate::plan::Plan;
use crate::record::Control;
use crate::stage::Stage;
use crate::task::Task;
use std::collections::BTreeMap;

/// Revisions of a plan before it can only be approved or rejected.
pub const MAX_REVISIONS: u32 = 3;
/// The same fault that often goes to a human.
pub const SAME_FAULT_LIMIT: u32 = 3;

/// Where a run stands, as its chain tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing is on record yet.
    New,
    /// The planner is to propose a plan.
    Planning,
    /// The plan waits for an answer.
    PlanGate,
    /// The generator is to write a level.
    Writing {
        /// The level, from 1.
        level: u32,
    },
    /// The generator is to mend what was found.
    Repairing {
        /// The level that is reached, from 1.
        level: u32,
    },
    /// The verifier is to check the candidate.
    Verifying {
        /// The level, from 1.
        level: u32,
    },
    /// The executor is to run the verified workspace.
    Ready,
    /// The executor has said that it starts the program.
    Running,
    /// A human has to say how to go on.
    Guidance {
        /// The record that opened the gate.
        about: Digest,
        /// Why.
        class: FailureClass,
        /// What happened.
        reasons: Vec<String>,
        /// Where "try again" goes on.
        resume: Box<Phase>,
    },
    /// The gateway is to write the outcome.
    Concluding {
        /// The outcome that the chain leads to.
        kind: OutcomeKind,
        /// Why.
        reasons: Vec<String>,
    },
    /// The outcome is on record.
    Finished,
}

/// Everything that a run's records say.
#[derive(Clone, Debug)]
pub struct RunState {
    /// The run.
    pub run: RunId,
    /// Number of the last record; 0 before the first.
    pub seq: u64,
    /// Digest of the last record.
    pub head: Option<Digest>,
    /// Where it stands.
    pub phase: Phase,
    /// The request and its parsed task.
    pub request: Option<(Request, Task)>,
    /// The plan in force and its digest.
    pub plan: Option<(Plan, Digest)>,
    /// Answers that the model gave for a plan so far.
    pub plan_attempts: u32,
    /// Revisions that were asked for.
    pub revisions: u32,
    /// What a human said last: feedback on a plan, or a hint for a repair.
    pub hint: String,
    /// The last candidate.
    pub candidate: Option<Candidate>,
    /// The last verdict.
    pub verdict: Option<Verdict>,
    /// The last execution.
    pub execution: Option<Execution>,
    /// Executions that were started.
    pub executions: u32,
    /// Answers that the model gave for each path so far.
    pub attempts: BTreeMap<WorkspacePath, u32>,
    /// What is to be mended now.
    pub findings: Vec<Finding>,
    /// How often each fault was found since a human last answered.
    pub faults: BTreeMap<Digest, u32>,
    /// Repairs since a human last answered.
    pub repairs: u32,
    /// Controls seen in the lane beside the chain.
    pub controls: u64,
    /// The first cancellation, if there is one.
    pub cancel: Option<Control>,
    /// The outcome.
    pub outcome: Option<Outcome>,
}

/// What a run looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A stage is at work, or about to be.
    Active(Stage),
    /// A human has to answer.
    Waiting(Gate),
    /// It ended by itself.
    Ended(OutcomeKind),
    /// A human ended it.
    Cancelled,
}

impl RunState {
    /// A run of which nothing is known yet.
    pub fn new(run: RunId) -> Self {
        Self {
            run,
            seq: 0,
            head: None,
            phase: Phase::New,
            request: None,
            plan: None,
            plan_attempts: 0,
            revisions: 0,
            hint: String::new(),
            candidate: None,
            verdict: None,
            execution: None,
            executions: 0,
            attempts: BTreeMap::new(),
            findings: Vec::new(),
            faults: BTreeMap::new(),
            repairs: 0,
            controls: 0,
            cancel: None,
            outcome: None,
        }
    }

    /// The stage that writes the next record of the chain, whether or not the run is cancelled.
    pub fn chain_actor(&self) -> Option<Stage> {
        match &self.phase {
            Phase::New | Phase::PlanGate | Phase::Guidance { .. } | Phase::Concluding { .. } => Some(Stage::Gateway),
            Phase::Planning => Some(Stage::Planner),
            Phase::Writing { .. } | Phase::Repairing { .. } => Some(Stage::Generator),
            Phase::Verifying { .. } => Some(Stage::Verifier),
            Phase::Ready | Phase::Running => Some(Stage::Executor),
            Phase::Finished => None,
        }
    }

    /// The stage that has to act now; nobody once the run has ended or is cancelled.
    pub fn next_actor(&self) -> Option<Stage> {
        if self.is_cancelled() { None } else { self.chain_actor() }
    }

    /// Whether a cancellation ended the run. An outcome that is on record stands.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_some() && self.outcome.is_none()
    }

    /// What the run looks like from outside.
    pub fn status(&self) -> Status {
        if let Some(outcome) = &self.outcome {
            return Status::Ended(outcome.kind);
        }
        if self.is_cancelled() {
            return Status::Cancelled;
        }
        match (&self.phase, self.gate()) {
            (_, Some((gate, _))) => Status::Waiting(gate),
            (_, None) => Status::Active(self.chain_actor().unwrap_or(Stage::Gateway)),
        }
    }

    /// The gate that is open, and the digest that an answer has to name.
    pub fn gate(&self) -> Option<(Gate, Digest)> {
        match &self.phase {
            Phase::PlanGate => self.plan.as_ref().map(|(_, digest)| (Gate::Plan, *digest)),
            Phase::Guidance { about, .. } => Some((Gate::Guidance, *about)),
            Phase::New
            | Phase::Planning
            | Phase::Writing { .. }
            | Phase::Repairing { .. }
            | Phase::Verifying { .. }
            | Phase::Ready
            | Phase::Running
            | Phase::Concluding { .. }
            | Phase::Finished => None,
        }
    }

    /// The workspace as it stands.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.candidate.as_ref().map(|candidate| &candidate.manifest)
    }

    /// The parsed task.
    pub fn task(&self) -> Option<&Task> {
        self.request.as_ref().map(|(_, task)| task)
    }

    /// How often the most frequent of the present findings was found; steers the repair's strategy.
    pub fn worst_repetition(&self) -> u32 {
        self.findings
            .iter()
            .filter_map(|f| self.faults.get(&f.fingerprint()))
            .copied()
            .max()
            .unwrap_or(0)
    }
}
