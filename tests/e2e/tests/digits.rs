//! The example, from its task file to its evidence, on the real parts.

#![allow(clippy::unwrap_used, clippy::panic)]

use interlock_e2e::{Home, json};
use serde_json::Value;

/// The faults that are planted in the model's answers, and the rules that have to see them.
const PLANTED: [&str; 4] = ["plan/owner", "imports/relative", "answer/truncated", "contracts/call"];

#[test]
fn the_example_is_accepted_by_scored_evidence_and_leaves_nothing() {
    let home = Home::new().unwrap();
    let ended = home.run("digits").unwrap();
    assert_eq!(ended.code, Some(0), "{}\n{}", ended.stdout, ended.stderr);
    for rule in PLANTED {
        assert!(
            json::has(&ended.events, &[("rule", rule)]),
            "{rule} was not found in {}",
            ended.stdout
        );
    }
    let scored = [("name", "accuracy"), ("evidence", "scored"), ("split", "test")];
    let accuracy = json::number(&ended.events, &scored, "value").unwrap();
    assert!((0.95..=1.0).contains(&accuracy), "{accuracy}");
    assert!(home.path().join("result/result.json").is_file(), "{}", ended.stdout);
    let result = std::fs::read(home.path().join("result/artifacts/result.json")).unwrap();
    let result: Value = serde_json::from_slice(&result).unwrap();
    let by = result["evidence"]["scored_by"].as_str().unwrap();
    assert!(
        by.starts_with("scikit-learn 1."),
        "the environment has it, and {by} was used"
    );
    assert_eq!(home.leftovers(), []);

    // Everything is still there for whoever asks later, and holds.
    let audit = home.interlock(&["audit", "latest"]).unwrap();
    assert_eq!(audit.code, Some(0), "{}{}", audit.stdout, audit.stderr);
    let shown = home.interlock(&["show", "latest"]).unwrap();
    for part in ["src/experiment.py", "contracts/call", "accuracy", "scored"] {
        assert!(shown.stdout.contains(part), "{part} is missing in {}", shown.stdout);
    }
    let exported = std::fs::read_to_string(home.path().join("result/report.html")).unwrap();
    let told = home.interlock(&["report", "latest", "-o", "-"]).unwrap();
    assert_eq!((told.code, told.stdout), (Some(0), exported), "{}", told.stderr);
    let logs = home.interlock(&["logs", "latest"]).unwrap();
    assert_eq!(logs.code, Some(0), "{}", logs.stderr);
    assert_eq!(home.leftovers(), []);
}
