//! What was asked for and not done, and data that was used twice (faults I3, I4), from the file that the recorder writes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use interlock_domain::doubt::{Doubt, DoubtKind};
use interlock_executor::doubts::doubts;
use interlock_executor::recorded::{NoResult, read};
use serde_json::{Value, json};

/// What a program recorded that did what was asked for.
fn honest() -> Value {
    json!({
        "schema": 1, "nonce": "x", "finished": true, "metrics": [], "testimony": null, "error": null,
        "splits": [split("train", "train"), split("validation", "validation"), split("test", "test")],
        "overlaps": [],
        "config": {"received": asked(), "read": [["epochs"], ["model", "depth"], ["optimizer"]], "used": [
            {"name": "optimizer", "value": "SGD"}, {"name": "model.depth", "value": 3.0}, {"name": "depth", "value": 3},
            {"name": "batch", "value": 32},
        ]},
        "epochs": {"model": 3},
        "artifacts": [],
    })
}

fn asked() -> Value {
    json!({"epochs": 3, "model": {"depth": 3}, "optimizer": "sgd"})
}

fn split(name: &str, role: &str) -> Value {
    json!({"name": name, "role": role, "fold": null, "rows": 9, "complete": true, "digest": name})
}

fn found_in(file: &Value, asked: &Value) -> Vec<Doubt> {
    doubts(&read(&serde_json::to_vec(file).unwrap(), "x").unwrap(), asked, None)
}

/// What is found when one thing of an honest program's record is changed.
fn found(change: impl FnOnce(&mut Value)) -> Vec<Doubt> {
    let mut file = honest();
    change(&mut file);
    found_in(&file, &asked())
}

fn only(mut doubts: Vec<Doubt>) -> Doubt {
    assert_eq!(doubts.len(), 1, "{doubts:?}");
    doubts.remove(0)
}

fn refusal(change: impl FnOnce(&mut Value)) -> String {
    let mut file = honest();
    change(&mut file);
    match read(&serde_json::to_vec(&file).unwrap(), "x") {
        Err(NoResult::Invalid(why)) => why,
        other => panic!("expected an invalid result, got {other:?}"),
    }
}

#[test]
fn of_an_honest_program_nothing_is_found() {
    assert_eq!(found(|_| {}), []);
    // Nor of a file of before there was anything to be said, or of a configuration without anything in it.
    for key in ["splits", "overlaps", "config", "artifacts"] {
        assert_eq!(found(|file| drop(file.as_object_mut().unwrap().remove(key))), []);
    }
    let mut file = honest();
    file["config"] = json!({"received": {}, "read": [], "used": []});
    assert_eq!(found_in(&file, &json!({})), []);
}

#[test]
fn of_a_program_that_did_not_finish_nothing_is_said() {
    let found = found(|file| {
        file["finished"] = false.into();
        file["epochs"] = json!({});
    });
    assert_eq!(found, []);
}

#[test]
fn an_overlap_bars_the_later_use_of_the_data() {
    let roles = ["train", "validation", "test", "other"];
    let bars = |first: &str, second: &str| {
        let doubt = only(found(|file| {
            file["splits"] = json!([split("a", first), split("b", second)]);
            file["overlaps"] = json!([{"first": 0, "second": 1, "rows": 2}]);
        }));
        assert_eq!(doubt.kind, DoubtKind::SplitsOverlap);
        assert_eq!(doubt.message, "splits a (9 rows) and b (9 rows) share 2 rows");
        doubt.splits.join("")
    };
    let expected = [
        ["", "b", "b", "b"],
        ["a", "", "b", "ab"],
        ["a", "a", "", "ab"],
        ["a", "ab", "ab", "ab"],
    ];
    for (first, row) in roles.iter().zip(expected) {
        for (second, wanted) in roles.iter().zip(row) {
            assert_eq!(bars(first, second), wanted, "{first} and {second}");
        }
    }
}

#[test]
fn what_is_scored_is_the_data_to_test_on_whatever_it_is_called() {
    let bars = |second: &str, role: &str, predictions: &str| {
        let mut file = honest();
        file["splits"] = json!([split("train", "train"), split(second, role)]);
        file["overlaps"] = json!([{"first": 0, "second": 1, "rows": 1}]);
        let recorded = read(&serde_json::to_vec(&file).unwrap(), "x").unwrap();
        only(doubts(&recorded, &asked(), Some(predictions))).splits
    };
    assert_eq!(bars("test", "test", "test"), ["test"]);
    assert_eq!(bars("test", "test", "answers"), ["answers", "test"]);
    assert_eq!(bars("pool", "other", "answers"), ["answers", "pool"]);
    assert_eq!(bars("validation", "validation", "answers"), ["validation"]);
}

#[test]
fn test_data_that_is_the_validation_data_is_found() {
    let doubt = only(found(|file| {
        file["splits"][1]["digest"] = "test".into();
        file["overlaps"] = json!([{"first": 1, "second": 2, "rows": 9}]);
    }));
    assert_eq!(doubt.kind, DoubtKind::SplitsEqual);
    assert_eq!(doubt.message, "splits validation and test have the same 9 rows");
    assert_eq!(doubt.splits, ["test"]);
}

#[test]
fn a_split_that_was_compared_in_part_says_so() {
    let doubt = only(found(|file| file["splits"][0]["complete"] = false.into()));
    assert_eq!((doubt.kind, doubt.splits.len()), (DoubtKind::SplitInPart, 0));
    assert_eq!(doubt.message, "of split train only the first 9 rows were compared");
    // Of two such splits nobody knows whether they are the same.
    let found = found(|file| {
        file["splits"] = json!([split("train", "train"), split("test", "test")]);
        file["splits"][1]["complete"] = false.into();
        file["splits"][1]["digest"] = "train".into();
        file["overlaps"] = json!([{"first": 0, "second": 1, "rows": 9}]);
    });
    assert_eq!(found[0].kind, DoubtKind::SplitsOverlap);
}

#[test]
fn epochs_are_compared_with_what_was_asked_for() {
    for (counted, message, measured) in [
        (json!({}), "3 epochs, and none was counted (recorder.epoch())", true),
        (json!({"model": 1}), "3 epochs, and 1 was done", true),
        (json!({"model": 4}), "3 epochs, and 4 were done", false),
        (json!({"a": 3, "b": 2}), "3 epochs of b, and 2 were done", true),
    ] {
        let doubt = only(found(|file| file["epochs"] = counted));
        assert_eq!((doubt.kind, doubt.measured), (DoubtKind::Epochs, measured));
        assert!(doubt.message.ends_with(message), "{}", doubt.message);
    }
}

#[test]
fn epochs_may_be_asked_for_in_any_table_and_as_nothing_else_than_a_number() {
    let with = |asked: Value, counted: Value| {
        let mut file = honest();
        file["config"] = Value::Null;
        file["epochs"] = counted;
        found_in(&file, &asked).len()
    };
    let two = || json!({"warm_up": {"epochs": 1}, "main": {"epochs": 2}});
    assert_eq!(with(json!({"training": {"epochs": 2}}), json!({"model": 2})), 0);
    assert_eq!(with(json!({"training": {"epochs": 2}}), json!({"model": 1})), 1);
    assert_eq!(with(two(), json!({"warm_up": 1, "main": 2})), 0);
    assert_eq!(with(two(), json!({"model": 3})), 2);
    for none in [json!("3"), json!([1, 2]), json!(true), json!(2.5), json!(-1)] {
        assert_eq!(with(json!({"epochs": none}), json!({})), 0);
    }
    assert_eq!(with(json!({"max_epochs": 9}), json!({"model": 2})), 0);
    assert_eq!(with(json!({"epochs": 0}), json!({})), 0);
}

#[test]
fn what_was_asked_for_and_never_read_is_named() {
    let doubt = only(found(|file| file["config"]["read"] = json!([["epochs"]])));
    assert_eq!((doubt.kind, doubt.measured), (DoubtKind::ConfigNotUsed, false));
    assert_eq!(
        doubt.message,
        "of the configuration the program never read model.depth, optimizer"
    );
    // A search that was configured and never run.
    let asked = json!({"search": {"rate": [0.1, 0.01]}});
    let mut file = honest();
    file["config"] = json!({"received": asked, "read": [], "used": []});
    assert!(only(found_in(&file, &asked)).message.ends_with("search.rate"));
}

#[test]
fn another_value_than_was_asked_for_is_named() {
    for (used, message) in [
        (
            json!({"name": "optimizer", "value": "AdamW"}),
            "optimizer: the configuration asks for \"sgd\", and the program used \"AdamW\"",
        ),
        (
            json!({"name": "depth", "value": "3"}),
            "model.depth: the configuration asks for 3, and the program used \"3\"",
        ),
        (
            json!({"name": "model.depth", "value": 4}),
            "model.depth: the configuration asks for 3, and the program used 4",
        ),
        (
            json!({"name": "model", "value": {"depth": 2}}),
            "model: the configuration asks for {\"depth\":3}, and the program used {\"depth\":2}",
        ),
    ] {
        let doubt = only(found(|file| file["config"]["used"] = json!([used])));
        assert_eq!(
            (doubt.kind, doubt.message.as_str()),
            (DoubtKind::ConfigDiffers, message)
        );
        assert!(!doubt.measured && doubt.splits.is_empty());
    }
    let doubt = only(found(|file| file["config"]["received"]["epochs"] = 1.into()));
    assert_eq!(doubt.message, "run() received another configuration than the task has");
}

#[test]
fn doubts_fit_into_a_record_and_none_that_bars_is_lost() {
    let doubts = found(|file| {
        let names: Vec<Value> = (0..60).map(|n| split(&format!("s{n}"), "other")).collect();
        file["splits"] = names.into();
        let pairs = (0..60).flat_map(|a| (a + 1..60).map(move |b| json!({"first": a, "second": b, "rows": 1})));
        file["overlaps"] = pairs.collect::<Vec<_>>().into();
        file["epochs"] = json!({});
        file["config"]["used"] = json!([{"name": "optimizer", "value": "x".repeat(100_000)}]);
    });
    assert_eq!(doubts.len(), 100);
    let size: usize = doubts
        .iter()
        .map(|doubt| doubt.message.len() + doubt.splits.len() * 64)
        .sum();
    assert!(size < 100_000, "{size}");
    let barred: std::collections::BTreeSet<&String> = doubts.iter().flat_map(|doubt| &doubt.splits).collect();
    assert_eq!(barred.len(), 60);
    assert!(doubts.iter().any(|doubt| doubt.measured));
    assert!(doubts[99].message.contains("more findings"), "{}", doubts[99].message);
}

#[test]
fn what_the_recorder_cannot_have_written_is_no_result() {
    let many = |count: usize, one: Value| Value::from(vec![one; count]);
    let artifact = |path: &str| json!([{"path": path, "bytes": 1, "kind": "file"}]);
    for (why, key, value) in [
        ("too many splits", "splits", many(65, split("a", "train"))),
        (
            "not between two splits",
            "overlaps",
            json!([{"first": 0, "second": 3, "rows": 1}]),
        ),
        (
            "not between two splits",
            "overlaps",
            json!([{"first": 1, "second": 1, "rows": 1}]),
        ),
        (
            "not between two splits",
            "overlaps",
            json!([{"first": 0, "second": 1, "rows": 10}]),
        ),
        (
            "not between two splits",
            "overlaps",
            json!([{"first": 0, "second": 1, "rows": 0}]),
        ),
        (
            "the name of a split",
            "splits",
            json!([split(&"x".repeat(65), "train")]),
        ),
        ("unknown variant", "splits", json!([split("a", "exam")])),
        ("the name of a split or model", "epochs", json!({"x".repeat(65): 1})),
        ("invalid value", "epochs", json!({"model": -1})),
        ("the path of an artifact", "artifacts", artifact(&"x".repeat(201))),
        ("too many artifacts", "artifacts", many(201, artifact("x")[0].clone())),
        (
            "the name of a used value",
            "config",
            json!({"received": {}, "read": [], "used": [{"name": "x".repeat(2_049), "value": 1}]}),
        ),
        (
            "too many values were used",
            "config",
            json!({"received": {}, "read": [], "used": many(1_001, json!({"name": "x", "value": 1}))}),
        ),
        ("missing field", "config", json!({"received": {}})),
    ] {
        let said = refusal(|file| file[key] = value);
        assert!(said.contains(why), "{why}: {said}");
    }
}
