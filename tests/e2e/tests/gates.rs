//! A human's word: asked for, given from another command, recorded, and obeyed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use interlock_e2e::stack::{Up, copy};
use interlock_e2e::{Home, json, tasks};
use std::path::PathBuf;

/// The slow task, with time enough to be cancelled.
fn patient(home: &Home) -> PathBuf {
    let (from, to) = (tasks().join("slow"), home.path().join("patient"));
    copy(&from, &to).unwrap();
    let file = to.join("task.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let patient = text.replace("wall_seconds = 2\n", "wall_seconds = 600\n");
    assert_ne!(patient, text);
    std::fs::write(&file, patient).unwrap();
    to
}

#[test]
fn an_approved_plan_is_carried_out() {
    let home = Home::new().unwrap();
    let waiting = home.run("human-gate").unwrap();
    assert_eq!(waiting.code, Some(3), "{}{}", waiting.stdout, waiting.stderr);
    assert!(
        !waiting.stdout.contains("\"kind\":\"candidate\""),
        "nothing is written before the answer: {}",
        waiting.stdout
    );
    assert_eq!(home.leftovers(), []);

    // The run waits in the records: a stack that is started later goes on with it.
    let stack = Up::start(&home, &tasks().join("human-gate/answers"));
    let approved = home.interlock(&["approve", "latest", "--text", "go on"]).unwrap();
    assert_eq!(approved.code, Some(0), "{}{}", approved.stdout, approved.stderr);
    let second = home.interlock(&["reject", "latest"]).unwrap();
    assert_ne!(second.code, Some(0), "the first answer stands: {}", second.stdout);
    let watched = home.interlock(&["watch", "latest"]).unwrap();
    assert_eq!(watched.code, Some(0), "{}{}", watched.stdout, watched.stderr);
    let audit = home.interlock(&["audit", "latest"]).unwrap();
    assert_eq!(audit.code, Some(0), "{}{}", audit.stdout, audit.stderr);
    assert_eq!(stack.down().unwrap().code, Some(0));
    assert_eq!(home.leftovers(), []);
}

#[test]
fn a_rejected_plan_ends_the_run() {
    let home = Home::new().unwrap();
    let stack = Up::start(&home, &tasks().join("human-gate/answers"));
    let waiting = home.run("human-gate").unwrap();
    assert_eq!(waiting.code, Some(3), "{}{}", waiting.stdout, waiting.stderr);
    let rejected = home.interlock(&["reject", "latest", "--text", "not this"]).unwrap();
    assert_eq!(rejected.code, Some(0), "{}{}", rejected.stdout, rejected.stderr);
    let watched = home.interlock(&["watch", "latest"]).unwrap();
    assert_eq!(watched.code, Some(1), "{}{}", watched.stdout, watched.stderr);
    assert_eq!(stack.down().unwrap().code, Some(0));
    assert_eq!(home.leftovers(), []);
}

#[test]
fn a_cancelled_run_ends_with_everything_that_belongs_to_it() {
    let home = Home::new().unwrap();
    let stack = Up::start(&home, &tasks().join("slow/answers"));
    let path = patient(&home).join("task.toml");
    let submitted = home.interlock(&["run", &path.to_string_lossy(), "--detach"]).unwrap();
    assert_eq!(submitted.code, Some(0), "{}{}", submitted.stdout, submitted.stderr);
    // The verifier's fork server is Python too, and stays for the next run.
    let is_program = |pid: u32| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        !String::from_utf8_lossy(&command).contains("fork_server.py")
    };
    let is_running = || {
        let processes = home.processes();
        let python = processes.iter().filter(|process| process.name.starts_with("python"));
        python.map(|process| process.pid).any(is_program)
    };
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(90);
    while !home
        .interlock(&["show", "latest"])
        .unwrap()
        .stdout
        .contains("program started")
        || !is_running()
    {
        assert!(std::time::Instant::now() < deadline, "the program never ran");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    let cancelled = home.interlock(&["cancel", "latest", "--reason", "enough"]).unwrap();
    assert_eq!(cancelled.code, Some(0), "{}{}", cancelled.stdout, cancelled.stderr);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while is_running() {
        assert!(
            std::time::Instant::now() < deadline,
            "the program is still there: {:?}",
            home.processes()
        );
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let listed = home.interlock(&["ps", "--json"]).unwrap();
    assert!(
        json::has(&listed.events, &[("status", "cancelled")]),
        "{}",
        listed.stdout
    );
    let again = home.interlock(&["approve", "latest"]).unwrap();
    assert_ne!(again.code, Some(0), "cancel is final: {}", again.stdout);
    assert_eq!(stack.down().unwrap().code, Some(0));
    assert_eq!(home.leftovers(), []);
}
