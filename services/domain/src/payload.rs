//! What a record can say: one type per kind, each written by exactly one stage.

use crate::blob::NamedBlob;
use crate::check::CheckResult;
use crate::criteria::{CriterionResult, Metric};
use crate::doubt::Doubt;
use crate::failure::FailureClass;
use crate::finding::Finding;
use crate::ids::Digest;
use crate::manifest::Manifest;
use crate::path::WorkspacePath;
use crate::plan::Plan;
use crate::stage::Stage;

/// The content of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// A task was submitted.
    Request(Request),
    /// A valid plan is proposed.
    PlanProposal(PlanProposal),
    /// A gate was answered.
    Answer(Answer),
    /// Files were written.
    Candidate(Candidate),
    /// A candidate was checked.
    Verdict(Verdict),
    /// A program is about to be started.
    ExecutionStarted(ExecutionStarted),
    /// A program has ended and was judged.
    Execution(Execution),
    /// A stage cannot go on.
    StageFailure(StageFailure),
    /// The run has ended.
    Outcome(Outcome),
}

impl Payload {
    /// The name used in views.
    pub const fn name(&self) -> &'static str {
        match self {
            Payload::Request(_) => "request",
            Payload::PlanProposal(_) => "plan",
            Payload::Answer(_) => "answer",
            Payload::Candidate(_) => "candidate",
            Payload::Verdict(_) => "verdict",
            Payload::ExecutionStarted(_) => "execution-started",
            Payload::Execution(_) => "execution",
            Payload::StageFailure(_) => "stage-failure",
            Payload::Outcome(_) => "outcome",
        }
    }

    /// The one stage that may write it; `None` where any stage may.
    pub const fn writer(&self) -> Option<Stage> {
        match self {
            Payload::Request(_) | Payload::Answer(_) | Payload::Outcome(_) => Some(Stage::Gateway),
            Payload::PlanProposal(_) => Some(Stage::Planner),
            Payload::Candidate(_) => Some(Stage::Generator),
            Payload::Verdict(_) => Some(Stage::Verifier),
            Payload::ExecutionStarted(_) | Payload::Execution(_) => Some(Stage::Executor),
            Payload::StageFailure(_) => None,
        }
    }
}

/// A submitted task with everything it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The task file exactly as it was submitted.
    pub task_toml: String,
    /// The lock file of the environment.
    pub lock: Option<NamedBlob>,
    /// Read-only inputs by the name they have inside the sandbox.
    pub inputs: Vec<NamedBlob>,
    /// Sealed truth.
    pub truth: Option<NamedBlob>,
    /// Who submitted it, in their own words.
    pub submitted_by: String,
    /// The harness-owned files in force.
    pub harness: Digest,
    /// The task's own checks, in the task's order.
    pub checkers: Vec<NamedBlob>,
}

/// A plan that passed every check, and what it took to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanProposal {
    /// The plan.
    pub plan: Plan,
    /// Number of the answer that held it, counted over the whole run.
    pub attempt: u32,
    /// The answers before it, with what was wrong.
    pub refused: Vec<RefusedAnswer>,
    /// The call that gave it.
    pub call: ModelCall,
}

/// An answer of the model that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedAnswer {
    /// `plan`, or the path that was asked for.
    pub subject: String,
    /// Number of the answer.
    pub attempt: u32,
    /// What was wrong.
    pub findings: Vec<Finding>,
    /// The call that gave it: it was paid for all the same.
    pub call: ModelCall,
}

/// A completed call of the model, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCall {
    /// Identity: the same key is never paid for twice.
    pub key: Digest,
    /// The prompt as sent.
    pub prompt: Digest,
    /// The model as it named itself.
    pub model: String,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Time in milliseconds.
    pub latency_ms: u64,
}

/// A point where a human or a written policy has to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// May this plan be carried out?
    Plan,
    /// Repair is exhausted or cannot help: how to go on?
    Guidance,
}

impl Gate {
    /// The name used in views and commands.
    pub const fn name(self) -> &'static str {
        match self {
            Gate::Plan => "plan",
            Gate::Guidance => "guidance",
        }
    }
}

/// Three different things. At the guidance gate `Approve` means "try again" and there is no revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Go on.
    Approve,
    /// Not this plan; the text says what to change.
    Revise,
    /// End the run.
    Reject,
}

impl Decision {
    /// The name used in views and commands.
    pub const fn name(self) -> &'static str {
        match self {
            Decision::Approve => "approve",
            Decision::Revise => "revise",
            Decision::Reject => "reject",
        }
    }
}

/// An answer at a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Which gate.
    pub gate: Gate,
    /// Digest of what is answered: the plan's, or that of the record that opened the gate.
    pub about: Digest,
    /// The decision.
    pub decision: Decision,
    /// Who answered.
    pub by: String,
    /// Whether a policy answered and nobody looked.
    pub automatic: bool,
    /// Feedback or hint, in the answerer's words.
    pub text: String,
}

/// How a dependency stood in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependencyForm {
    /// The whole source.
    Source,
    /// Reduced to its interface, because the whole did not fit.
    Interface,
}

/// A file that the model wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// Where.
    pub path: WorkspacePath,
    /// Content.
    pub digest: Digest,
    /// Number of the answer that held it, counted over the whole run.
    pub attempt: u32,
    /// Whether it replaces a version that had failed.
    pub repair: bool,
    /// What it was shown, and in which form.
    pub dependencies: Vec<(WorkspacePath, DependencyForm)>,
    /// The call that gave it.
    pub call: ModelCall,
}

/// A workspace with newly written files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Level of the plan that is now complete, from 1.
    pub level: u32,
    /// The whole workspace.
    pub manifest: Manifest,
    /// What is new in it.
    pub written: Vec<WrittenFile>,
    /// Answers that could not be used.
    pub refused: Vec<RefusedAnswer>,
}

/// What was found about a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The manifest that was checked.
    pub manifest: Digest,
    /// The level that was checked.
    pub level: u32,
    /// Whether the whole planned workspace was there and was checked.
    pub complete: bool,
    /// Every check's answer.
    pub checks: Vec<CheckResult>,
    /// The environment that it was checked in.
    pub environment: Digest,
    /// Version of the interpreter.
    pub interpreter: String,
    /// Sandbox tier that dynamic checks ran in.
    pub tier: String,
    /// Time in milliseconds.
    pub duration_ms: u64,
    /// Class of the failure, if it failed.
    pub failure: Option<FailureClass>,
}

impl Verdict {
    /// A pass needs at least one check, and every check to have passed.
    pub fn passed(&self) -> bool {
        self.failure.is_none() && !self.checks.is_empty() && self.checks.iter().all(CheckResult::passed)
    }

    /// Everything that was found.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.checks.iter().flat_map(CheckResult::findings)
    }
}

/// Written before a program is started, so that a start is never unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutionStarted {
    /// The manifest that is run.
    pub manifest: Digest,
    /// Number of the execution in this run, from 1.
    pub attempt: u32,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It exited by itself with this status.
    Exited(i32),
    /// A signal ended it.
    Signaled(i32),
    /// This limit ended it.
    Limit(String),
    /// It was stopped because the run was cancelled.
    Cancelled,
}

/// What was seen of a program from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// How it ended.
    pub end: End,
    /// Sandbox tier.
    pub tier: String,
    /// Wall-clock time in milliseconds.
    pub duration_ms: u64,
    /// CPU time in milliseconds.
    pub cpu_ms: u64,
    /// Largest resident memory of the tree in bytes.
    pub peak_memory_bytes: u64,
    /// Most processes at once.
    pub peak_processes: u32,
    /// Processes that were still there after everything was ended. Must be 0.
    pub survivors: u32,
    /// Bytes written to stdout.
    pub stdout_bytes: u64,
    /// Bytes written to stderr.
    pub stderr_bytes: u64,
}

/// What an execution amounts to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Every criterion is met by evidence that is strong enough.
    Accepted,
    /// It ran, and the result is not good enough or not proven.
    Refused(Vec<String>),
    /// It did not run as it should.
    Failed(FailureClass, Vec<String>),
}

/// A program run and its judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// The manifest that ran.
    pub manifest: Digest,
    /// Number of the execution.
    pub attempt: u32,
    /// The environment that it ran in.
    pub environment: Digest,
    /// What was seen from outside; `None` when nothing was started.
    pub observed: Option<Observed>,
    /// Outputs and logs.
    pub artifacts: Vec<NamedBlob>,
    /// Harness files that were changed while it ran.
    pub tampered: Vec<String>,
    /// Numbers, each with the strength of its evidence.
    pub metrics: Vec<Metric>,
    /// What the program said of itself, as JSON. Testimony.
    pub testimony_json: String,
    /// Each criterion's answer.
    pub criteria: Vec<CriterionResult>,
    /// What it amounts to.
    pub judgement: Judgement,
    /// For a repair: what went wrong, and where.
    pub findings: Vec<Finding>,
    /// What was recorded that speaks against the numbers.
    pub doubts: Vec<Doubt>,
}

/// A stage cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageFailure {
    /// Class.
    pub failure: FailureClass,
    /// What happened, for people.
    pub message: String,
    /// Answers that could not be used, where that is the cause.
    pub refused: Vec<RefusedAnswer>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    /// Every criterion is met.
    Accepted,
    /// Rejected by a human, or the result is not good enough.
    Refused,
    /// It could not be carried out.
    Failed(FailureClass),
}

/// The last record of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub kind: OutcomeKind,
    /// Why.
    pub reasons: Vec<String>,
    /// The workspace that it ended with.
    pub manifest: Option<Digest>,
}
