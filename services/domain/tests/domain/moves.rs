//! What a well-behaved stage would write next, in every way it could.

use crate::samples::{self, call, digest, entry, failed, finding, metric, passed, path, planned, refused_answer};
use interlock_domain::criteria::Evidence;
use interlock_domain::owned::{harness_digest, harness_entries};
use interlock_domain::payload::{
    Answer, Candidate, Decision, End, Execution, ExecutionStarted, Gate, Judgement, Outcome, OutcomeKind, Payload,
    PlanProposal, Request, StageFailure, Verdict, WrittenFile,
};
use interlock_domain::state::{MAX_REVISIONS, Phase};
use interlock_domain::{Digest, FailureClass, Finding, Manifest, Plan, RunState, WorkspacePath};

pub(crate) const TASK: &str = r#"
name = "small"
goal = "Be right."
[scoring]
truth = "truth.csv"
predictions = "test"
[[criteria]]
metric = "accuracy"
split = "test"
unit = "fraction"
direction = "at_least"
threshold = 0.9
evidence = "scored"
[limits]
repairs = 4
"#;

/// The same task, answering its own gates.
pub(crate) fn automatic_task() -> String {
    format!("{TASK}[gates]\nplan = \"automatic\"\nguidance = \"stop\"\n")
}

pub(crate) fn request(task: &str) -> Payload {
    Payload::Request(Request {
        task_toml: task.to_owned(),
        harness: harness_digest(),
        ..samples::request()
    })
}

/// Two levels: data and model, then the experiment.
pub(crate) fn plan() -> Plan {
    Plan::new(vec![
        planned("src/data.py", &[]),
        planned("src/model.py", &[]),
        planned("src/experiment.py", &["src/data.py", "src/model.py"]),
    ])
    .unwrap()
}

pub(crate) fn proposal(state: &RunState) -> PlanProposal {
    PlanProposal {
        plan: plan(),
        attempt: state.plan_attempts + 1,
        refused: vec![],
        call: call("plan"),
    }
}

/// The answer `decision` to the open gate; where none is open, to one that is not.
pub(crate) fn answer(state: &RunState, decision: Decision) -> Answer {
    let (gate, about) = state.gate().unwrap_or((Gate::Plan, plan().digest()));
    Answer {
        gate,
        about,
        decision,
        by: "ada".to_owned(),
        automatic: false,
        text: "as I say".to_owned(),
    }
}

pub(crate) fn next_attempt(state: &RunState, path: &WorkspacePath) -> u32 {
    state.attempts.get(path).copied().unwrap_or(0) + 1
}

/// A candidate of the state's level that writes `paths` anew.
pub(crate) fn candidate(state: &RunState, paths: &[&str]) -> Candidate {
    let (level, repair) = match state.phase {
        Phase::Writing { level } => (level, false),
        Phase::Repairing { level } => (level, true),
        _ => (1, false),
    };
    let content = |p: &WorkspacePath| format!("# {p} {}\n", next_attempt(state, p));
    let paths: Vec<WorkspacePath> = paths.iter().map(|p| path(p)).collect();
    let harness = || Manifest::new(harness_entries()).unwrap();
    let base = state.manifest().cloned().unwrap_or_else(harness);
    let new = paths.iter().map(|p| (p.clone(), entry(&content(p))));
    let written = paths.iter().map(|p| WrittenFile {
        path: p.clone(),
        digest: digest(&content(p)),
        attempt: next_attempt(state, p),
        repair,
        dependencies: vec![],
        call: call(&content(p)),
    });
    Candidate {
        level,
        manifest: base.with(new).unwrap(),
        written: written.collect(),
        refused: vec![],
    }
}

/// The plan that was proposed, or the one that will be.
fn in_force(state: &RunState) -> Plan {
    state.plan.as_ref().map_or_else(plan, |(plan, _)| plan.clone())
}

/// The candidate that the phase asks for: the whole level, or one repaired file.
pub(crate) fn expected_candidate(state: &RunState) -> Candidate {
    match state.phase {
        Phase::Writing { level } => {
            let plan = in_force(state);
            let paths: Vec<&str> = plan.level(level).iter().map(WorkspacePath::as_str).collect();
            candidate(state, &paths)
        }
        _ => candidate(state, &["src/data.py"]),
    }
}

pub(crate) fn pass(state: &RunState) -> Verdict {
    let level = match state.phase {
        Phase::Verifying { level } => level,
        _ => 1,
    };
    Verdict {
        manifest: manifest(state),
        level,
        complete: level == in_force(state).level_count(),
        checks: vec![passed("compile"), passed("imports")],
        environment: digest("environment"),
        interpreter: "3.11.7".to_owned(),
        tier: "namespaces".to_owned(),
        duration_ms: 5,
        failure: None,
    }
}

pub(crate) fn fail(state: &RunState, class: FailureClass, findings: Vec<Finding>) -> Verdict {
    Verdict {
        checks: vec![passed("compile"), failed("imports", findings)],
        failure: Some(class),
        ..pass(state)
    }
}

/// The digest of the workspace, or of something else where there is none.
pub(crate) fn manifest(state: &RunState) -> Digest {
    state.manifest().map_or_else(|| digest("none"), Manifest::digest)
}

pub(crate) fn started(state: &RunState) -> ExecutionStarted {
    ExecutionStarted {
        manifest: manifest(state),
        attempt: state.executions + 1,
    }
}

/// An execution that scored `value`, with the criteria that the task gives for it.
pub(crate) fn execution(state: &RunState, value: f64, judgement: Judgement) -> Execution {
    let metrics = vec![metric(value, "fraction", Evidence::Scored)];
    let criteria = state.task().map(|task| task.criteria.iter());
    let criteria = criteria.map(|all| all.map(|c| c.judge(&metrics)).collect());
    Execution {
        manifest: manifest(state),
        attempt: state.executions,
        environment: digest("environment"),
        tampered: vec![],
        criteria: criteria.unwrap_or_default(),
        metrics,
        findings: vec![],
        doubts: vec![],
        ..samples::execution(judgement, Some(samples::observed(End::Exited(0))))
    }
}

pub(crate) fn accepted(state: &RunState) -> Execution {
    execution(state, 0.97, Judgement::Accepted)
}

pub(crate) fn poor(state: &RunState) -> Execution {
    let reasons = vec!["accuracy 0.5 is less than 0.9".to_owned()];
    execution(state, 0.5, Judgement::Refused(reasons))
}

pub(crate) fn broken(state: &RunState, class: FailureClass) -> Execution {
    let reasons = vec![format!("{class}: it ended with 1")];
    Execution {
        findings: vec![finding("run/traceback", "src/data.py", 12)],
        observed: Some(samples::observed(End::Exited(1))),
        ..execution(state, 0.97, Judgement::Failed(class, reasons))
    }
}

pub(crate) fn stage_failure(class: FailureClass, subject: &str, attempt: u32) -> StageFailure {
    StageFailure {
        failure: class,
        message: "it cannot go on".to_owned(),
        refused: vec![refused_answer(subject, attempt)],
    }
}

pub(crate) fn outcome(state: &RunState) -> Outcome {
    let (kind, reasons) = match &state.phase {
        Phase::Concluding { kind, reasons } => (*kind, reasons.clone()),
        _ => (OutcomeKind::Accepted, vec![]),
    };
    Outcome {
        kind,
        reasons,
        manifest: state.manifest().map(Manifest::digest),
    }
}

/// Every way in which the run may go on from here: what has to be legal, one of each kind of thing.
pub(crate) fn choices(state: &RunState) -> Vec<Payload> {
    let decided = |decisions: &[Decision]| {
        let answers = decisions.iter().map(|d| Payload::Answer(answer(state, *d)));
        answers.collect::<Vec<_>>()
    };
    let gave_up = |subject: &str, attempt| {
        let failure = |class| Payload::StageFailure(stage_failure(class, subject, attempt));
        [FailureClass::Model, FailureClass::Harness].map(failure)
    };
    let mut all = match &state.phase {
        Phase::New => vec![request(TASK), request(&automatic_task())],
        Phase::Planning => vec![Payload::PlanProposal(proposal(state))],
        Phase::PlanGate if state.revisions < MAX_REVISIONS => {
            decided(&[Decision::Approve, Decision::Reject, Decision::Revise])
        }
        Phase::PlanGate | Phase::Guidance { .. } => decided(&[Decision::Approve, Decision::Reject]),
        Phase::Writing { .. } | Phase::Repairing { .. } => {
            vec![Payload::Candidate(expected_candidate(state))]
        }
        Phase::Verifying { .. } => vec![
            Payload::Verdict(pass(state)),
            verdict_of(state, FailureClass::Code, "imports/relative", "src/data.py"),
            verdict_of(state, FailureClass::Contract, "contract/arity", "src/model.py"),
            verdict_of(state, FailureClass::Timeout, "preflight/slow", "src/data.py"),
        ],
        Phase::Ready => vec![Payload::ExecutionStarted(started(state))],
        Phase::Running => vec![
            Payload::ExecutionStarted(started(state)),
            Payload::Execution(accepted(state)),
            Payload::Execution(poor(state)),
            Payload::Execution(broken(state, FailureClass::Code)),
            Payload::Execution(broken(state, FailureClass::Memory)),
        ],
        Phase::Concluding { .. } => vec![Payload::Outcome(outcome(state))],
        Phase::Finished => vec![],
    };
    match &state.phase {
        Phase::Planning => all.extend(gave_up("plan", state.plan_attempts + 3)),
        Phase::Writing { .. } | Phase::Repairing { .. } => {
            all.extend(gave_up("src/data.py", next_attempt(state, &path("src/data.py"))));
        }
        Phase::Verifying { .. } | Phase::Ready | Phase::Running => {
            all.extend(gave_up("src/data.py", 0));
        }
        Phase::New | Phase::PlanGate | Phase::Guidance { .. } | Phase::Concluding { .. } | Phase::Finished => {}
    }
    all
}

fn verdict_of(state: &RunState, class: FailureClass, rule: &str, file: &str) -> Payload {
    Payload::Verdict(fail(state, class, vec![finding(rule, file, 3)]))
}

/// One payload of every kind, as well made for this state as it can be.
pub(crate) fn one_of_each_kind(state: &RunState) -> Vec<Payload> {
    vec![
        request(TASK),
        Payload::PlanProposal(proposal(state)),
        Payload::Answer(answer(state, Decision::Approve)),
        Payload::Candidate(expected_candidate(state)),
        Payload::Verdict(pass(state)),
        Payload::ExecutionStarted(started(state)),
        Payload::Execution(accepted(state)),
        Payload::StageFailure(stage_failure(FailureClass::Model, "src/data.py", 1)),
        Payload::Outcome(outcome(state)),
    ]
}
