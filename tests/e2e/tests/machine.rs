//! What this machine can do: the doctor's word, and both tiers of the sandbox as tasks see them.

#![allow(clippy::unwrap_used, clippy::panic)]

use interlock_e2e::{Ended, Home, json, tasks};

#[test]
fn the_doctor_finds_everything_that_set_up_brings() {
    let home = Home::new().unwrap();
    let doctor = home.interlock(&["doctor"]).unwrap();
    assert_eq!(doctor.code, Some(0), "{}{}", doctor.stdout, doctor.stderr);
    for part in ["nats-server", "uv", "python", "bubblewrap", "tier namespaces holds"] {
        assert!(doctor.stdout.contains(part), "{part} is missing in {}", doctor.stdout);
    }
}

#[test]
fn the_doctor_names_what_is_missing() {
    let home = Home::new().unwrap();
    let mut command = home.command(&["doctor"]);
    let nowhere = home.path().join("nowhere");
    let output = command.env("INTERLOCK_NATS_SERVER", &nowhere).output().unwrap();
    let doctor = Ended::of(output);
    assert_eq!(doctor.code, Some(2), "{}", doctor.stdout);
    assert!(
        doctor.stdout.contains("MISSING") && doctor.stdout.contains("nowhere"),
        "{}",
        doctor.stdout
    );
}

#[test]
fn a_demanded_tier_is_the_one_that_every_result_names() {
    let home = Home::new().unwrap();
    let task = tasks().join("tiny");
    let mut command = home.command(&["run", &task.to_string_lossy(), "--json", "--out", "result"]);
    let ended = Ended::of(command.env("INTERLOCK_SANDBOX_TIER", "landlock").output().unwrap());
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert!(
        json::has(&ended.events, &[("kind", "verdict"), ("tier", "landlock")]),
        "{}",
        ended.stdout
    );
    assert!(
        json::has(&ended.events, &[("end", "exited"), ("tier", "landlock")]),
        "{}",
        ended.stdout
    );
    assert_eq!(home.leftovers(), []);
}

#[test]
fn usage_and_set_up_errors_say_what_to_do() {
    let home = Home::new().unwrap();
    let cases: [(&[&str], &str); 5] = [
        (&["run", "no/such/task.toml"], "no/such/task.toml"),
        (&["show", "latest"], "interlock run"),
        (&["frobnicate"], "frobnicate"),
        (&["up"], "INTERLOCK_MODEL_URL"),
        (&["up", "--answers", "no/such/folder"], "no/such/folder"),
    ];
    for (args, named) in cases {
        let ended = home.interlock(args).unwrap();
        assert_eq!(ended.code, Some(2), "{args:?}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stderr.contains(named), "{args:?}: {}", ended.stderr);
        assert!(!ended.stderr.contains("panicked"), "{args:?}: {}", ended.stderr);
    }
    std::fs::create_dir(home.path().join("full")).unwrap();
    std::fs::write(home.path().join("full/file"), "x").unwrap();
    let task = tasks().join("tiny");
    let full = home
        .interlock(&["run", &task.to_string_lossy(), "--out", "full"])
        .unwrap();
    assert_eq!(
        full.code,
        Some(2),
        "nothing is written over: {}{}",
        full.stdout,
        full.stderr
    );
    assert_eq!(home.leftovers(), []);
}
