//! What is taken from `recorded.json`, which the program can write itself, and how much of it a record can hold.

#![allow(clippy::unwrap_used, clippy::panic)]

use interlock_domain::FailureClass;
use interlock_domain::criteria::{Criterion, CriterionStatus, Direction, Evidence, Metric};
use interlock_domain::payload::{End, Judgement, Observed};
use interlock_executor::judge::{Facts, Judged, judge};
use interlock_executor::recorded::{NoResult, Recorded, read};
use serde_json::{Value, json};

fn file(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut file = json!({
        "schema": 1, "nonce": "x", "finished": true, "metrics": [], "testimony": null, "error": null
    });
    change(&mut file);
    serde_json::to_vec(&file).unwrap()
}

fn metric(name: &str, value: f64, split: Option<&str>, step: Option<u64>) -> Value {
    json!({"name": name, "value": value, "unit": "fraction", "split": split, "step": step})
}

fn values(metrics: Vec<Value>) -> Vec<(String, String, f64)> {
    let taken = read(&file(|file| file["metrics"] = metrics.into()), "x").unwrap();
    let values = taken.metrics.into_iter();
    values.map(|metric| (metric.name, metric.split, metric.value)).collect()
}

fn refusal(change: impl FnOnce(&mut Value)) -> String {
    match read(&file(change), "x") {
        Err(NoResult::Invalid(why)) => why,
        other => panic!("expected an invalid result, got {other:?}"),
    }
}

fn at_least(metric: &str, threshold: f64, evidence: Evidence) -> Criterion {
    Criterion {
        metric: metric.to_owned(),
        split: String::new(),
        unit: "fraction".to_owned(),
        direction: Direction::AtLeast,
        threshold,
        evidence,
    }
}

fn judged(end: End, recorded: &Result<Recorded, NoResult>, around: &[Metric], criterion: &Criterion) -> Judged {
    saying(end, recorded, around, criterion, "")
}

fn saying(
    end: End,
    recorded: &Result<Recorded, NoResult>,
    around: &[Metric],
    criterion: &Criterion,
    stderr_tail: &str,
) -> Judged {
    let observed = Observed {
        end,
        tier: "namespaces".to_owned(),
        duration_ms: 1,
        cpu_ms: 1,
        peak_memory_bytes: 1,
        peak_processes: 1,
        survivors: 0,
        stdout_bytes: 0,
        stderr_bytes: 0,
    };
    judge(&Facts {
        observed: &observed,
        tampered: &[],
        recorded,
        scored: None,
        around,
        criteria: std::slice::from_ref(criterion),
        doubts: &[],
        stderr_tail,
    })
}

#[test]
fn of_a_series_the_last_value_stands_and_a_value_without_a_step_outranks_it() {
    let epochs = |split| (0..3).map(move |step| metric("a", step as f64 / 10.0, split, Some(step)));
    let mut backwards: Vec<Value> = epochs(None).collect();
    backwards.reverse();
    assert_eq!(values(backwards), [("a".into(), String::new(), 0.2)]);
    let mut metrics: Vec<Value> = epochs(None).chain(epochs(Some("v"))).collect();
    metrics.insert(1, metric("a", 0.1, None, None));
    assert_eq!(
        values(metrics),
        [("a".into(), String::new(), 0.1), ("a".into(), "v".into(), 0.2)]
    );
    // The recorder writes no name and step twice; of what it did not write the worst one is to count.
    let twice = vec![metric("a", 0.9, None, Some(7)), metric("a", 0.1, None, Some(7))];
    assert_eq!(values(twice).len(), 2);
}

#[test]
fn what_the_recorder_cannot_have_written_is_no_result() {
    let error = |key: &str, length: usize| {
        let mut error = json!({"type": "E", "message": "m", "traceback": "t", "file": null, "line": null});
        error[key] = "x".repeat(length).into();
        error
    };
    for (key, length) in [
        ("type", 1_001),
        ("message", 17_001),
        ("traceback", 65_001),
        ("file", 4_097),
    ] {
        let why = refusal(|file| {
            file["finished"] = false.into();
            file["error"] = error(key, length);
        });
        assert!(why.contains("the error is longer"), "{key}: {why}");
    }
    for name in ["name", "unit", "split"] {
        let why = refusal(|file| {
            let mut long = metric("a", 0.5, None, None);
            long[name] = "x".repeat(65).into();
            file["metrics"] = vec![long].into();
        });
        assert!(why.contains("name, split or unit is longer"), "{name}: {why}");
    }
    let why = refusal(|file| file["error"] = error("message", 1));
    assert!(why.contains("both"), "{why}");
}

#[test]
fn the_longest_error_that_the_recorder_writes_is_taken() {
    let wide = |characters: usize| "\u{1f600}".repeat(characters);
    let bytes = file(|file| {
        file["finished"] = false.into();
        file["error"] = json!({
            "type": wide(207), "message": wide(4_007), "traceback": wide(16_007), "file": "src/a.py", "line": 1
        });
    });
    assert!(read(&bytes, "x").unwrap().error.is_some());
}

#[test]
fn numbers_are_read_to_the_last_digit() {
    for below in 1..20_000_u32 {
        let value = 0.9 - f64::from(below) * f64::EPSILON / 2.0;
        assert_eq!(
            values(vec![metric("a", value, None, None)]),
            [("a".into(), String::new(), value)]
        );
    }
}

#[test]
fn more_numbers_than_a_record_holds_leave_out_none_that_counts() {
    let mut metrics: Vec<Value> = (0..9_000).map(|i| metric(&format!("m{i}"), 0.5, None, None)).collect();
    metrics.push(metric("a", 0.95, Some("test"), None));
    let recorded = read(&file(|file| file["metrics"] = metrics.into()), "x");
    let criterion = at_least("a", 0.9, Evidence::Recorded);
    let judged = judged(End::Exited(0), &recorded, &[], &criterion);
    assert_eq!(judged.judgement, Judgement::Accepted);
    assert_eq!(judged.metrics.len(), 1_000);
    assert_eq!(judged.metrics_left_out, 9_001 + 2 - 1_000);
    assert_eq!(vec![criterion.judge(&judged.metrics)], judged.criteria);
    assert!(judged.metrics.iter().any(|metric| metric.name == "duration"));
}

#[test]
fn a_number_of_ours_is_judged_before_a_recorded_one_of_its_name() {
    let recorded = read(
        &file(|file| file["metrics"] = vec![metric("overhead", 0.1, None, None)].into()),
        "x",
    );
    let ours = Metric {
        name: "overhead".to_owned(),
        value: 0.95,
        unit: "fraction".to_owned(),
        split: String::new(),
        evidence: Evidence::Observed,
    };
    let criterion = at_least("overhead", 0.9, Evidence::Recorded);
    let judged = judged(End::Exited(0), &recorded, std::slice::from_ref(&ours), &criterion);
    assert_eq!(judged.criteria[0].status, CriterionStatus::Met);
    // Whoever reads the record judges by its metrics, and has to find the same.
    assert_eq!(vec![criterion.judge(&judged.metrics)], judged.criteria);
}

#[test]
fn a_program_cannot_pass_its_own_exit_off_as_the_harness_s_fault() {
    let criterion = at_least("a", 0.9, Evidence::Recorded);
    let ours = read(&file(|file| file["finished"] = false.into()), "x");
    let class = |recorded| match judged(End::Exited(70), recorded, &[], &criterion).judgement {
        Judgement::Failed(class, _) => class,
        other => panic!("expected a failure, got {other:?}"),
    };
    assert_eq!(class(&ours), FailureClass::Code);
    assert_eq!(class(&Err(NoResult::Missing)), FailureClass::Harness);
}

#[test]
fn the_same_end_is_the_same_fault_whatever_was_printed() {
    let criterion = at_least("a", 0.9, Evidence::Recorded);
    let ended = |text| saying(End::Exited(3), &Err(NoResult::Missing), &[], &criterion, text).findings;
    let (first, second) = (ended("at 0x7f01\n"), ended("at 0x7f02\n"));
    assert_eq!(first[0].fingerprint(), second[0].fingerprint());
    assert!(first[0].message.contains("0x7f01"));
}
