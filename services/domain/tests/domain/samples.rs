//! Values with every field filled in, of every kind that a record can carry.

use interlock_domain::blob::{BlobRef, NamedBlob};
use interlock_domain::check::{CheckAnswer, CheckResult, Findings, Ran};
use interlock_domain::criteria::{CriterionResult, CriterionStatus, Evidence, Metric};
use interlock_domain::doubt::{Doubt, DoubtKind};
use interlock_domain::manifest::Entry;
use interlock_domain::owned::{CONTRACT_FILE, entry_of, harness_entries};
use interlock_domain::payload::{
    Answer, Candidate, Decision, DependencyForm, End, Execution, ExecutionStarted, Gate, Judgement, ModelCall,
    Observed, Outcome, OutcomeKind, Payload, PlanProposal, RefusedAnswer, Request, StageFailure, Verdict, WrittenFile,
};
use interlock_domain::plan::{Export, ExportKind, PlannedFile};
use interlock_domain::{
    Control, Digest, FailureClass, Finding, Location, Manifest, Owner, Plan, Record, RunId, Stage, WorkspacePath,
};

pub(crate) fn run_id() -> RunId {
    RunId::from_parts(1_700_000_000_000, 42)
}

pub(crate) fn path(text: &str) -> WorkspacePath {
    text.parse().unwrap_or_else(|e| panic!("{e}"))
}

pub(crate) fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

/// An entry of the model's.
pub(crate) fn entry(content: &str) -> Entry {
    entry_of(content, Owner::Model)
}

/// A planned file; the contract's file exports what it has to.
pub(crate) fn planned(at: &str, depends_on: &[&str]) -> PlannedFile {
    let name = if at == CONTRACT_FILE { "run" } else { "load" };
    PlannedFile {
        path: path(at),
        purpose: format!("what {at} is for"),
        exports: vec![Export {
            name: name.to_owned(),
            kind: ExportKind::Function,
        }],
        depends_on: depends_on.iter().map(|p| path(p)).collect(),
    }
}

pub(crate) fn call(key: &str) -> ModelCall {
    ModelCall {
        key: digest(key),
        prompt: digest("prompt"),
        model: "model-1".to_owned(),
        input_tokens: 1200,
        output_tokens: u64::MAX,
        latency_ms: 15,
    }
}

pub(crate) fn finding(rule: &str, file: &str, line: u32) -> Finding {
    Finding {
        at: Location {
            file: file.to_owned(),
            line,
            column: 3,
        },
        rule: rule.to_owned(),
        message: format!("{rule} does not hold; “ä”\n\0"),
        other: Some(Location::file("src/other.py")),
    }
}

pub(crate) fn refused_answer(subject: &str, attempt: u32) -> RefusedAnswer {
    RefusedAnswer {
        subject: subject.to_owned(),
        attempt,
        findings: vec![finding("answer/cut", subject, 0)],
        call: call("refused"),
    }
}

pub(crate) fn blob(name: &str, content: &[u8], sealed: bool) -> NamedBlob {
    NamedBlob {
        name: name.to_owned(),
        blob: BlobRef::of(content, Stage::Gateway, sealed),
    }
}

pub(crate) fn metric(value: f64, unit: &str, evidence: Evidence) -> Metric {
    Metric {
        name: "accuracy".to_owned(),
        value,
        unit: unit.to_owned(),
        split: "test".to_owned(),
        evidence,
    }
}

pub(crate) fn passed(check: &str) -> CheckResult {
    CheckResult {
        check: check.to_owned(),
        version: 3,
        answer: CheckAnswer::Passed(Ran::new("2 files", 1).unwrap()),
    }
}

pub(crate) fn failed(check: &str, findings: Vec<Finding>) -> CheckResult {
    CheckResult {
        check: check.to_owned(),
        version: 3,
        answer: CheckAnswer::Failed(Findings::new(findings).unwrap()),
    }
}

pub(crate) fn observed(end: End) -> Observed {
    Observed {
        end,
        tier: "namespaces".to_owned(),
        duration_ms: 1_000,
        cpu_ms: 900,
        peak_memory_bytes: 1 << 33,
        peak_processes: 4,
        survivors: 0,
        stdout_bytes: 10,
        stderr_bytes: 0,
    }
}

pub(crate) fn request() -> Request {
    Request {
        task_toml: "name = \"x\"\n".to_owned(),
        lock: Some(blob("requirements.lock", b"numpy==2", false)),
        inputs: vec![blob("train.csv", &[7; 300_000], false), blob("empty.csv", b"", false)],
        truth: Some(blob("truth.csv", b"id,label\n", true)),
        submitted_by: "ada".to_owned(),
        harness: digest("harness"),
        checkers: vec![blob("checkers/units.py", b"#", false)],
    }
}

fn candidate() -> Candidate {
    let files = [
        (path("src/data.py"), entry("x = 1\n")),
        (path("src/experiment.py"), entry("def run(c, r): ...\n")),
    ];
    Candidate {
        level: 2,
        manifest: Manifest::new(files.into_iter().chain(harness_entries())).unwrap(),
        written: vec![WrittenFile {
            path: path("src/experiment.py"),
            digest: digest("def run(c, r): ...\n"),
            attempt: 3,
            repair: true,
            dependencies: vec![
                (path("src/data.py"), DependencyForm::Source),
                (path("src/recorder.py"), DependencyForm::Interface),
            ],
            call: call("write"),
        }],
        refused: vec![
            refused_answer("src/experiment.py", 1),
            refused_answer("src/experiment.py", 2),
        ],
    }
}

fn verdict() -> Verdict {
    let answers = [
        CheckAnswer::TimedOut {
            reason: "30 s".to_owned(),
            findings: vec![],
        },
        CheckAnswer::TimedOut {
            reason: "30 s".to_owned(),
            findings: vec![
                finding("imports/slow", "src/b.py", 1),
                finding("imports/slow", "src/a.py", 1),
            ],
        },
        CheckAnswer::NotRun {
            reason: "an earlier check failed".to_owned(),
        },
    ];
    let others = answers.map(|answer| CheckResult {
        check: "preflight".to_owned(),
        version: 1,
        answer,
    });
    let findings = vec![
        finding("imports/relative", "src/a.py", 4),
        finding("exports", "src/a.py", 0),
    ];
    Verdict {
        manifest: digest("manifest"),
        level: 2,
        complete: true,
        checks: [passed("compile"), failed("imports", findings)]
            .into_iter()
            .chain(others)
            .collect(),
        environment: digest("environment"),
        interpreter: "3.11.7".to_owned(),
        tier: "landlock".to_owned(),
        duration_ms: 77,
        failure: Some(FailureClass::Code),
    }
}

pub(crate) fn execution(judgement: Judgement, seen: Option<Observed>) -> Execution {
    let measured = metric(0.97, "fraction", Evidence::Scored);
    Execution {
        manifest: digest("manifest"),
        attempt: 2,
        environment: digest("environment"),
        observed: seen,
        artifacts: vec![blob("stdout.log", b"hello", false)],
        tampered: vec!["src/recorder.py".to_owned()],
        metrics: vec![
            measured.clone(),
            metric(f64::INFINITY, "percent", Evidence::Claimed),
            metric(-0.0, "", Evidence::Recorded),
            metric(f64::MIN_POSITIVE, "s", Evidence::Observed),
        ],
        testimony_json: "{\"success\":true}".to_owned(),
        criteria: [
            CriterionStatus::Met,
            CriterionStatus::Missed,
            CriterionStatus::NotJudged,
        ]
        .map(|status| CriterionResult {
            criterion: "test accuracy ≥ 0.95".to_owned(),
            status,
            reason: "measured".to_owned(),
            metric: (status != CriterionStatus::NotJudged).then(|| measured.clone()),
        })
        .into(),
        judgement,
        findings: vec![finding("run/traceback", "src/data.py", 12)],
        doubts: vec![
            doubt(DoubtKind::SplitsOverlap, &["test"], false),
            doubt(DoubtKind::SplitsEqual, &["a", "b"], false),
            doubt(DoubtKind::SplitInPart, &[], false),
            doubt(DoubtKind::Epochs, &[], true),
            doubt(DoubtKind::ConfigNotUsed, &[], false),
            doubt(DoubtKind::ConfigDiffers, &[], false),
            doubt(DoubtKind::OwnResult, &[], false),
        ],
    }
}

pub(crate) fn doubt(kind: DoubtKind, splits: &[&str], measured: bool) -> Doubt {
    Doubt {
        kind,
        message: format!("{}: it is so", kind.name()),
        splits: splits.iter().map(|split| (*split).to_owned()).collect(),
        measured,
    }
}

pub(crate) fn proposal() -> PlanProposal {
    let mut data = planned("src/data.py", &["src/metrics.py"]);
    data.exports.push(Export {
        name: "Loader".to_owned(),
        kind: ExportKind::Class,
    });
    data.exports.push(Export {
        name: "SEED".to_owned(),
        kind: ExportKind::Value,
    });
    let notes = PlannedFile {
        path: path("README.md"),
        purpose: String::new(),
        exports: vec![],
        depends_on: vec![],
    };
    let files = vec![planned("src/experiment.py", &["src/data.py"]), data, notes];
    PlanProposal {
        plan: Plan::new(files).unwrap(),
        attempt: 2,
        refused: vec![refused_answer("plan", 1)],
        call: call("plan"),
    }
}

/// At least one of every kind of payload, of every judgement, end, decision and class.
pub(crate) fn payloads() -> Vec<Payload> {
    let mut all = vec![
        Payload::Request(request()),
        Payload::Request(Request {
            lock: None,
            inputs: vec![],
            truth: None,
            checkers: vec![],
            ..request()
        }),
        Payload::PlanProposal(proposal()),
        Payload::Candidate(candidate()),
        Payload::Verdict(verdict()),
        Payload::Verdict(Verdict {
            checks: vec![passed("compile")],
            failure: None,
            ..verdict()
        }),
        Payload::ExecutionStarted(ExecutionStarted {
            manifest: digest("manifest"),
            attempt: 1,
        }),
    ];
    for gate in [Gate::Plan, Gate::Guidance] {
        for decision in [Decision::Approve, Decision::Revise, Decision::Reject] {
            let (about, text) = (digest("about"), "fewer files".to_owned());
            let automatic = decision == Decision::Approve;
            all.push(Payload::Answer(Answer {
                gate,
                about,
                decision,
                by: "ada".to_owned(),
                automatic,
                text,
            }));
        }
    }
    let ends = [
        End::Exited(0),
        End::Exited(-1),
        End::Signaled(9),
        End::Limit("memory".to_owned()),
        End::Cancelled,
    ];
    for end in ends {
        all.push(Payload::Execution(execution(Judgement::Accepted, Some(observed(end)))));
    }
    all.push(Payload::Execution(execution(
        Judgement::Refused(vec!["missed".to_owned()]),
        None,
    )));
    for class in FailureClass::ALL {
        all.push(Payload::Execution(execution(
            Judgement::Failed(class, vec![class.to_string()]),
            None,
        )));
        let refused = vec![refused_answer("plan", 3)];
        all.push(Payload::StageFailure(StageFailure {
            failure: class,
            message: "gone".to_owned(),
            refused,
        }));
    }
    let failed = FailureClass::ALL.map(OutcomeKind::Failed);
    for kind in [OutcomeKind::Accepted, OutcomeKind::Refused].into_iter().chain(failed) {
        for manifest in [None, Some(digest("manifest"))] {
            all.push(Payload::Outcome(Outcome {
                kind,
                reasons: vec!["because".to_owned()],
                manifest,
            }));
        }
    }
    all
}

/// A record of whoever may write `payload`.
pub(crate) fn record(payload: Payload) -> Record {
    Record {
        run: run_id(),
        seq: 7,
        stage: payload.writer().unwrap_or(Stage::Verifier),
        parent: Some(digest("parent")),
        time_unix_ms: -5,
        payload,
    }
}

pub(crate) fn control(k: u64) -> Control {
    Control {
        run: run_id(),
        k,
        time_unix_ms: 1_700_000_000_123,
        action: interlock_domain::record::ControlAction::Cancel {
            by: "ada".to_owned(),
            reason: "wrong data".to_owned(),
        },
    }
}
