//! `interlock exec`: the command line as users have it. Ends and limits are tested where the sandbox is.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use interlock_e2e::Home;
use serde_json::{Value, json};

#[test]
fn one_document_and_the_exit_code_of_the_end() {
    let home = Home::new().unwrap();
    let limits = "wall=500ms,grace=100ms";
    for (words, code, end) in [
        (
            vec!["sh", "-c", "echo hi > made"],
            0,
            json!({"kind": "exited", "status": 0}),
        ),
        (vec!["sh", "-c", "exit 7"], 1, json!({"kind": "exited", "status": 7})),
        (vec!["sleep", "60"], 1, json!({"kind": "limit", "limit": "wall"})),
    ] {
        let mut line = vec!["exec", "--limits", limits, "--out", "out", "--"];
        line.extend(&words);
        let ended = home.interlock(&line).unwrap();
        let seen: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!((ended.code, &seen["end"]), (Some(code), &end), "{words:?}: {seen}");
        assert_eq!(seen["out"]["complete"], true);
    }
    assert_eq!(std::fs::read_to_string(home.path().join("out/made")).unwrap(), "hi\n");
    assert_eq!(home.leftovers(), []);
}

#[test]
fn what_cannot_be_run_is_2() {
    let home = Home::new().unwrap();
    for words in [
        &["exec"][..],
        &["exec", "--limits", "walls=3s", "--", "true"],
        &["exec", "--", "no-such-program"],
    ] {
        let ended = home.interlock(words).unwrap();
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(2), ""),
            "{words:?}: {}",
            ended.stderr
        );
        assert!(!ended.stderr.is_empty());
    }
}
