//! A task file is read strictly: a misspelt limit would be a missing limit.

use crate::cases;
use interlock_domain::criteria::{Direction, Evidence};
use interlock_domain::task::{GuidanceGate, Limits, MAX_TASK_BYTES, PlanGate};
use interlock_domain::{FailureClass, Task};
use std::path::Path;

/// A task with `extra` at its end.
fn parse(extra: &str) -> Result<Task, String> {
    let least = cases::text("tasks/accept/least.toml");
    Task::parse(&format!("{least}\n{extra}")).map_err(|e| e.to_string())
}

#[test]
fn good_tasks_are_accepted() {
    for (name, text) in cases::files("tasks/accept") {
        Task::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

#[test]
fn bad_tasks_are_refused_and_say_why() {
    for (name, text) in cases::files("tasks/reject") {
        let first = text.lines().next().unwrap_or_default();
        let why = first
            .strip_prefix("# refused: ")
            .unwrap_or_else(|| panic!("{name} gives no reason"));
        let error = Task::parse(&text).expect_err(&name).to_string();
        assert!(error.contains(why), "{name} was refused for another reason: {error}");
    }
}

#[test]
fn every_example_is_a_task() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tasks");
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let file = entry.unwrap().path().join("task.toml");
        if file.exists() {
            let text = std::fs::read_to_string(&file).unwrap();
            Task::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        }
    }
}

#[test]
fn what_is_not_said_has_the_careful_value() {
    let task = parse("").unwrap();
    assert_eq!(task.limits, Limits::default());
    assert_eq!(
        (task.gates.plan, task.gates.guidance),
        (PlanGate::Human, GuidanceGate::Human)
    );
    assert_eq!(task.config_json, "{}");
    assert!(task.lock.is_none() && task.scoring.is_none() && task.inputs.is_empty() && task.answers.is_none());
    assert!(task.files().is_empty());
    assert_eq!(task.criteria[0].split, "");
    assert_eq!(task.criteria[0].threshold, 1.0);
}

#[test]
fn what_is_said_is_what_is_meant() {
    let task = Task::parse(&cases::text("tasks/accept/everything.toml")).unwrap();
    assert_eq!(task.name, "digits-2.0_b");
    assert_eq!(
        (task.gates.plan, task.gates.guidance),
        (PlanGate::Automatic, GuidanceGate::Stop)
    );
    assert_eq!((task.limits.wall_seconds, task.limits.repairs), (300, 0));
    assert_eq!(task.limits.import_seconds, Limits::default().import_seconds);
    assert_eq!(task.criteria.len(), 2);
    assert_eq!(task.criteria[0].evidence, Evidence::Scored);
    assert_eq!(task.criteria[1].direction, Direction::AtMost);
    assert_eq!(task.answers.as_deref(), Some("answers"));
    // Each file once, and never the folder of answers.
    assert_eq!(
        task.files(),
        [
            "data/test.csv",
            "data/train.csv",
            "requirements.lock",
            "sealed/truth.csv"
        ]
    );
    let config: serde_json::Value = serde_json::from_str(&task.config_json).unwrap();
    assert_eq!(
        config,
        serde_json::json!({
            "seed": 7, "rate": 0.001, "name": "ä", "deep": {"on": true, "list": [1, [2.5]]},
            "day": "2024-02-29", "at": "2024-02-29T12:00:00Z", "none": [],
        })
    );
}

#[test]
fn a_number_that_json_lacks_is_refused_and_not_lost() {
    for number in ["nan", "inf", "-inf", "[1, nan]", "{ y = nan }"] {
        let error = parse(&format!("[config]\nx = {number}")).expect_err(number);
        assert!(error.contains("config.x") && error.contains("JSON"), "{error}");
    }
}

#[test]
fn checkers_are_files_of_the_task_with_names_of_their_own() {
    let checks = "[checks]\nlint = true\ncustom = [\"checkers/b.py\", \"a\"]";
    let task = parse(checks).unwrap();
    assert!(task.checks.lint && !task.checks.types);
    assert!(task.files().contains(&"checkers/b.py") && task.files().contains(&"a"));
    for (custom, word) in [
        ("\"../a.py\"", "own folder"),
        ("\"/bin/true\"", "own folder"),
        ("\"\"", "no file"),
        ("\"x/a.py\", \"y/a.py\"", "same file name"),
        ("\"a.py\", \"a\"", "same file name"),
        ("\"a b.py\"", "is no name"),
    ] {
        let error = parse(&format!("[checks]\ncustom = [{custom}]")).expect_err(custom);
        assert!(error.contains("checks.custom") && error.contains(word), "{error}");
    }
    assert!(parse("[checks]\nlint = \"yes\"").is_err());
    assert!(parse("[checks]\nmypy = true").is_err());
}

#[test]
fn limits_are_exact() {
    let most = 30 * 24 * 3600;
    for (key, low, high) in [
        ("wall_seconds", 1, most),
        ("stall_seconds", 0, most),
        ("memory_mb", 16, 4 * 1024 * 1024),
        ("processes", 1, 65_536),
        ("file_mb", 1, 1024 * 1024),
        ("disk_mb", 1, 1024 * 1024),
        ("output_mb", 1, 64 * 1024),
        ("import_seconds", 1, 3600),
        ("repairs", 0, 1000),
    ] {
        let with = |value: i64| parse(&format!("[limits]\n{key} = {value}"));
        assert!(with(low).is_ok() && with(high).is_ok(), "{key}");
        for value in [low - 1, high + 1, -1, i64::MIN, i64::MAX] {
            let error = with(value).expect_err(key);
            assert!(error.contains(key), "{error}");
        }
    }
}

#[test]
fn a_lever_is_a_key_that_exists() {
    for class in FailureClass::ALL {
        for word in class
            .lever()
            .split([' ', ','])
            .filter_map(|word| word.strip_prefix("limits."))
        {
            assert!(parse(&format!("[limits]\n{word} = 100")).is_ok(), "{class}: {word}");
        }
    }
}

#[test]
fn a_task_file_has_its_size() {
    let pad = |bytes: usize| parse(&format!("#{}", "x".repeat(bytes)));
    let least = cases::text("tasks/accept/least.toml").len();
    assert!(pad(MAX_TASK_BYTES - least - 2).is_ok());
    assert!(pad(MAX_TASK_BYTES - least - 1).unwrap_err().contains("at most"));
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let deep = format!("[config]\nx = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(parse(&deep).is_err());
    let dotted = format!("[config]\n{} = 1", vec!["a"; 60_000].join("."));
    let _ = parse(&dotted);
}
