//! Every way a program can end, and what it amounts to (faults F2, H5, I1, I2).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use interlock_domain::FailureClass;
use interlock_domain::criteria::{Criterion, CriterionStatus, Direction, Evidence, Metric};
use interlock_domain::doubt::{Doubt, DoubtKind};
use interlock_domain::payload::{End, Judgement, Observed};
use interlock_executor::judge::{Facts, Judged, judge};
use interlock_executor::recorded::{NoResult, ProgramError, Recorded, read};
use interlock_executor::score::Scored;
use serde_json::{Value, json};

struct Case {
    end: End,
    survivors: u32,
    tampered: Vec<String>,
    recorded: Result<Recorded, NoResult>,
    scored: Option<Result<Scored, String>>,
    criteria: Vec<Criterion>,
    doubts: Vec<Doubt>,
    stderr: &'static str,
}

impl Case {
    /// A program that did everything right.
    fn good() -> Self {
        Self {
            end: End::Exited(0),
            survivors: 0,
            tampered: Vec::new(),
            recorded: Ok(recorded(json!({"best": "forest"}))),
            scored: scored(0.97),
            criteria: vec![criterion(Evidence::Scored)],
            doubts: Vec::new(),
            stderr: "",
        }
    }

    fn judged(&self) -> Judged {
        let observed = Observed {
            end: self.end.clone(),
            tier: "namespaces".to_owned(),
            duration_ms: 1200,
            cpu_ms: 900,
            peak_memory_bytes: 1 << 20,
            peak_processes: 1,
            survivors: self.survivors,
            stdout_bytes: 0,
            stderr_bytes: 0,
        };
        judge(&Facts {
            observed: &observed,
            tampered: &self.tampered,
            recorded: &self.recorded,
            scored: self.scored.as_ref(),
            around: &[],
            criteria: &self.criteria,
            doubts: &self.doubts,
            stderr_tail: self.stderr,
        })
    }

    fn class(&self) -> FailureClass {
        match self.judged().judgement {
            Judgement::Failed(class, _) => class,
            other @ (Judgement::Accepted | Judgement::Refused(_)) => panic!("expected a failure, got {other:?}"),
        }
    }

    fn refusal(&self) -> String {
        match self.judged().judgement {
            Judgement::Refused(reasons) => reasons.join("; "),
            other @ (Judgement::Accepted | Judgement::Failed(..)) => panic!("expected a refusal, got {other:?}"),
        }
    }
}

fn recorded(testimony: Value) -> Recorded {
    Recorded {
        finished: true,
        testimony,
        ..Recorded::default()
    }
}

fn scored(value: f64) -> Option<Result<Scored, String>> {
    Some(Ok(Scored {
        metrics: vec![metric(value, Evidence::Scored)],
        by: "interlock".to_owned(),
    }))
}

fn raised(kind: &str, message: &str) -> Result<Recorded, NoResult> {
    let error = ProgramError {
        kind: kind.to_owned(),
        message: message.to_owned(),
        traceback: "Traceback…".to_owned(),
        file: Some("src/training.py".to_owned()),
        line: Some(7),
        cause: None,
    };
    Ok(Recorded {
        error: Some(error),
        ..Recorded::default()
    })
}

fn metric(value: f64, evidence: Evidence) -> Metric {
    Metric {
        name: "accuracy".into(),
        value,
        unit: "fraction".into(),
        split: "test".into(),
        evidence,
    }
}

fn criterion(evidence: Evidence) -> Criterion {
    Criterion {
        metric: "accuracy".into(),
        split: "test".into(),
        unit: "fraction".into(),
        direction: Direction::AtLeast,
        threshold: 0.95,
        evidence,
    }
}

#[test]
fn a_good_program_is_accepted_and_says_what_it_rests_on() {
    let judged = Case::good().judged();
    assert_eq!(judged.judgement, Judgement::Accepted);
    assert_eq!(judged.criteria.first().unwrap().status, CriterionStatus::Met);
    let observed = judged
        .metrics
        .iter()
        .filter(|m| m.evidence == Evidence::Observed)
        .count();
    assert_eq!(observed, 2);
}

#[test]
fn every_limit_has_its_class() {
    let expected = [
        ("wall", FailureClass::Timeout),
        ("cpu", FailureClass::Timeout),
        ("memory", FailureClass::Memory),
        ("processes", FailureClass::Processes),
        ("output", FailureClass::Output),
        ("stall", FailureClass::Stall),
        ("disk", FailureClass::Disk),
    ];
    for (limit, class) in expected {
        assert_eq!(
            Case {
                end: End::Limit(limit.into()),
                ..Case::good()
            }
            .class(),
            class,
            "{limit}"
        );
        assert!(!class.repairable(), "{limit} is nothing that the model can mend");
    }
}

#[test]
fn what_is_seen_from_outside_outweighs_a_good_looking_result() {
    assert_eq!(
        Case {
            survivors: 1,
            ..Case::good()
        }
        .class(),
        FailureClass::Processes
    );
    assert_eq!(
        Case {
            tampered: vec!["src/metrics.py".into()],
            ..Case::good()
        }
        .class(),
        FailureClass::Policy
    );
    assert_eq!(
        Case {
            end: End::Cancelled,
            ..Case::good()
        }
        .class(),
        FailureClass::Policy
    );
    assert_eq!(
        Case {
            end: End::Signaled(9),
            ..Case::good()
        }
        .class(),
        FailureClass::Memory
    );
    assert_eq!(
        Case {
            end: End::Exited(1),
            ..Case::good()
        }
        .class(),
        FailureClass::Code
    );
    assert_eq!(
        Case {
            end: End::Exited(70),
            recorded: Err(NoResult::Missing),
            ..Case::good()
        }
        .class(),
        FailureClass::Harness
    );
}

#[test]
fn exceptions_have_the_class_of_their_cause() {
    let expected = [
        ("ValueError", "bad shape", FailureClass::Code),
        ("SystemExit", "0", FailureClass::Code),
        (
            "ModuleNotFoundError",
            "No module named 'pandas'",
            FailureClass::Environment,
        ),
        (
            "socket.gaierror",
            "Temporary failure in name resolution",
            FailureClass::Environment,
        ),
        (
            "OSError",
            "[Errno 101] Network is unreachable",
            FailureClass::Environment,
        ),
        (
            "FileNotFoundError",
            "[Errno 2] No such file or directory: '/inputs/train.csv'",
            FailureClass::Environment,
        ),
        (
            "FileNotFoundError",
            "[Errno 2] No such file or directory: 'model.pkl'",
            FailureClass::Code,
        ),
        ("MemoryError", "", FailureClass::Memory),
        ("OSError", "[Errno 28] No space left on device", FailureClass::Disk),
    ];
    for (kind, message, class) in expected {
        let case = Case {
            end: End::Exited(1),
            recorded: raised(kind, message),
            ..Case::good()
        };
        assert_eq!(case.class(), class, "{kind}: {message}");
        let finding = case.judged().findings.first().unwrap().at.clone();
        assert_eq!(
            (finding.file.as_str(), finding.line),
            ("src/training.py", 7),
            "the file at fault is named"
        );
    }
}

#[test]
fn a_clean_exit_without_a_finished_result_is_a_failure() {
    let unfinished = Recorded {
        finished: false,
        ..recorded(Value::Null)
    };
    assert_eq!(
        Case {
            recorded: Ok(unfinished),
            ..Case::good()
        }
        .class(),
        FailureClass::Code
    );
    assert_eq!(
        Case {
            recorded: Err(NoResult::Missing),
            ..Case::good()
        }
        .class(),
        FailureClass::Code
    );
}

#[test]
fn results_that_are_not_of_this_run_or_not_valid_are_refused() {
    for why in [
        NoResult::Stale,
        NoResult::Invalid("NaN".into()),
        NoResult::Unsafe("a link".into()),
    ] {
        let said = why.to_string();
        assert!(
            Case {
                recorded: Err(why),
                ..Case::good()
            }
            .refusal()
            .contains(&said)
        );
    }
}

#[test]
fn testimony_of_failure_is_believed_and_testimony_of_success_is_not() {
    let failed = Case {
        recorded: Ok(recorded(json!({"success": false}))),
        ..Case::good()
    };
    assert!(failed.refusal().contains("says of itself"));
    let claimed = Case {
        recorded: Ok(recorded(json!({"accuracy": 0.99, "success": true}))),
        scored: scored(0.11),
        ..Case::good()
    };
    assert!(claimed.refusal().contains("missed"));
}

#[test]
fn numbers_that_are_not_numbers_are_never_a_pass() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut bad = recorded(Value::Null);
        bad.metrics = vec![metric(value, Evidence::Recorded)];
        let case = Case {
            recorded: Ok(bad),
            scored: None,
            criteria: vec![criterion(Evidence::Recorded)],
            ..Case::good()
        };
        assert!(case.refusal().contains("not judged"), "{value}");
    }
}

#[test]
fn recorded_numbers_do_not_meet_a_criterion_that_wants_scored_ones() {
    let mut good = recorded(Value::Null);
    good.metrics = vec![metric(0.99, Evidence::Recorded)];
    let case = Case {
        recorded: Ok(good),
        scored: Some(Err("no predictions".into())),
        ..Case::good()
    };
    let refusal = case.refusal();
    assert!(
        refusal.contains("weaker than scored") && refusal.contains("no predictions"),
        "{refusal}"
    );
}

#[test]
fn a_doubt_leaves_open_what_it_bars_and_decides_nothing_else() {
    let doubt = |kind, splits: &[&str], measured| Doubt {
        kind,
        message: "it is so".to_owned(),
        splits: splits.iter().map(|split| (*split).to_owned()).collect(),
        measured,
    };
    let with = |doubt: Doubt| Case {
        doubts: vec![doubt],
        ..Case::good()
    };
    for barring in [
        doubt(DoubtKind::SplitsOverlap, &["test"], false),
        doubt(DoubtKind::Epochs, &[], true),
    ] {
        let refusal = with(barring).refusal();
        assert!(
            refusal.contains("not judged") && refusal.ends_with("it is so"),
            "{refusal}"
        );
    }
    for harmless in [
        doubt(DoubtKind::SplitsOverlap, &["validation"], false),
        doubt(DoubtKind::ConfigDiffers, &[], false),
    ] {
        assert_eq!(with(harmless).judged().judgement, Judgement::Accepted);
    }
}

#[test]
fn a_task_without_criteria_accepts_nothing() {
    assert!(
        Case {
            criteria: Vec::new(),
            ..Case::good()
        }
        .refusal()
        .contains("no criterion")
    );
}

#[test]
fn a_result_file_is_taken_only_with_this_runs_nonce_and_as_strict_json() {
    let file = |nonce: &str, value: &str| {
        format!(
            r#"{{"schema":1,"nonce":"{nonce}","finished":true,"metrics":[{{"name":"a","value":{value},"unit":"none","split":null,"step":null}}],"testimony":null,"error":null}}"#
        )
    };
    assert_eq!(read(file("x", "1").as_bytes(), "x").unwrap().metrics.len(), 1);
    assert_eq!(read(file("old", "1").as_bytes(), "x").unwrap_err(), NoResult::Stale);
    assert!(matches!(
        read(file("x", "NaN").as_bytes(), "x"),
        Err(NoResult::Invalid(_))
    ));
    assert!(matches!(read(b"", "x"), Err(NoResult::Invalid(_))));
    assert!(matches!(
        read(br#"{"smoke_metric": 1.0}"#, "x"),
        Err(NoResult::Invalid(_))
    ));
}
