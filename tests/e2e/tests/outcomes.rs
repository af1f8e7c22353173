//! Every small task ends as its file says, and none of those that report success falsely is accepted.

#![allow(clippy::unwrap_used, clippy::panic)]

use interlock_e2e::{Ended, Home, json, tasks};
use serde_json::Value;
use std::fs;

/// Task, exit code, and what the output has to name.
const ENDINGS: [(&str, i32, &[&str]); 18] = [
    ("tiny", 0, &["accepted"]),
    ("crash-once", 0, &["accepted", "KeyError"]),
    (
        "tested",
        0,
        &[
            "accepted",
            "3 tests with pytest",
            "test_the_threshold_is_in_the_middle fails",
        ],
    ),
    (
        "checked",
        0,
        &[
            "accepted",
            "custom/docstrings",
            "label_of has no docstring",
            "docstrings.py (",
        ],
    ),
    ("liar", 1, &["refused"]),
    ("says-failure", 1, &["refused"]),
    ("nan-metric", 1, &["refused", "not valid"]),
    ("nan-scored", 1, &["refused"]),
    ("no-result", 1, &["failed"]),
    ("slow", 1, &["failed", "timeout"]),
    ("bad-plans", 1, &["failed", "model"]),
    ("stubborn", 3, &["waiting", "KeyError"]),
    ("human-gate", 3, &["waiting", "plan"]),
    ("tamper", 0, &["accepted"]),
    ("as-asked", 0, &["accepted", "\"doubts\":[]"]),
    ("overlapping-splits", 1, &["refused", "not judged", "share 4 rows"]),
    (
        "epochs-not-done",
        1,
        &["refused", "not judged", "asks for 40 epochs, and 4 were done"],
    ),
    (
        "not-as-asked",
        0,
        &[
            "accepted",
            "never read optimizer, rate",
            "optimizer: the configuration asks for \\\"sgd\\\", and the program used \\\"adamw\\\"",
        ],
    ),
];

#[path = "check/schema.rs"]
mod schema;

/// What the executor promises of `result.json`.
const RESULT: &str = include_str!("../../../services/executor/docs/result.schema.json");

/// The `result.json` of the last execution, if there was one, as its schema says.
fn result_file(home: &Home, task: &str) -> Option<Value> {
    let path = home.path().join("result/artifacts/result.json");
    let result: Value = serde_json::from_str(&fs::read_to_string(path).ok()?).unwrap();
    let schema: Value = serde_json::from_str(RESULT).unwrap();
    assert_eq!(schema::differences(&schema, &result), [""; 0], "{task}: {result:#}");
    Some(result)
}

fn ended(task: &str) -> Ended {
    let home = Home::new().unwrap();
    let ended = home.run(task).unwrap();
    if let Some(result) = result_file(&home, task) {
        let judgement = result["evidence"]["judgement"].as_str().unwrap();
        let status = ended.result()["status"].as_str().unwrap().to_owned();
        assert!(
            status == judgement || status == "waiting",
            "{task}: {judgement} and {status}"
        );
    }
    assert_eq!(home.leftovers(), [], "{task}: {}", ended.stderr);
    ended
}

#[test]
fn every_small_task_ends_as_it_should() {
    for (task, code, words) in ENDINGS {
        let ended = ended(task);
        assert_eq!(ended.code, Some(code), "{task}: {}\n{}", ended.stdout, ended.stderr);
        let result = ended.result();
        assert!(
            json::has(&[result], &[("status", words[0])]),
            "{task}: {}",
            ended.stdout
        );
        for word in words {
            assert!(
                ended.stdout.contains(word),
                "{task}: {word} is missing in {}",
                ended.stdout
            );
        }
    }
}

#[test]
fn a_daemon_of_the_program_is_ended_with_it() {
    let ended = ended("forker");
    let survivors = json::number(&ended.events, &[], "survivors");
    assert_eq!(survivors, Some(0.0), "{}", ended.stdout);
}

#[test]
fn a_slow_program_spends_no_repair() {
    let ended = ended("slow");
    let executions = ended.stdout.matches("\"kind\":\"execution-started\"").count();
    assert_eq!(executions, 1, "{}", ended.stdout);
}

#[test]
fn where_the_sandbox_hides_only_what_it_must_the_tests_run_all_the_same() {
    let home = Home::new().unwrap();
    let task = tasks().join("tested");
    let mut command = home.command(&["run", &task.to_string_lossy(), "--json", "--out", "result"]);
    let ended = Ended::of(command.env("INTERLOCK_SANDBOX_TIER", "landlock").output().unwrap());
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert!(json::has(&ended.events, &[("tier", "landlock")]), "{}", ended.stdout);
    assert!(ended.stdout.contains("3 tests with pytest"), "{}", ended.stdout);
    assert_eq!(home.leftovers(), []);
}
