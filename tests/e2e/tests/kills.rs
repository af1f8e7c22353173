//! Each service is killed once during a run: the run ends as if nothing had been, and no completed
//! call of the model is made again.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

use interlock_e2e::model::Model;
use interlock_e2e::stack::copy;
use interlock_e2e::{Ended, Home, json, tasks};
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// After so many records of this kind, this service is killed: right after it has written its own record and before
/// anybody knows that it knows, or while it works on somebody else's.
const KILLS: [(&str, usize, &str); 5] = [
    ("request", 1, "interlock-gateway"),
    ("plan", 1, "interlock-planner"),
    ("candidate", 1, "interlock-verifier"),
    ("verdict", 1, "interlock-generator"),
    ("execution-started", 1, "interlock-executor"),
];

#[test]
fn every_service_may_die_once() {
    let home = Home::new().unwrap();
    let model = Model::of_answers(&slow_answers(&home)).unwrap();
    let path = tasks().join("digits/task.toml");
    let mut child = home.with_model(&path, model.url()).spawn().unwrap();
    let mut left = KILLS.to_vec();
    let mut lines = String::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        lines.push_str(&line);
        lines.push('\n');
        left.retain(|(kind, count, service)| {
            let is_due = lines.matches(&format!("\"kind\":\"{kind}\"")).count() == *count;
            if is_due {
                if *service == "interlock-generator" {
                    wait_until_asked(&model, "src/data.py.1");
                }
                kill(&home, service);
            }
            !is_due
        });
    }
    let output = child.wait_with_output().unwrap();
    let mut ended = Ended::of(output);
    ended.events = lines
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    assert_eq!(left, [], "not all services were killed: {lines}");
    assert_eq!(ended.code, Some(0), "{lines}\n{}", ended.stderr);
    let scored = [("name", "accuracy"), ("evidence", "scored")];
    assert!(json::number(&ended.events, &scored, "value").unwrap() >= 0.95);
    let stats = model.stats().unwrap();
    let completed = stats["completed"].as_object().unwrap();
    assert!(
        !completed.is_empty() && completed.values().all(|count| count == 1),
        "{stats}"
    );
    let abandoned = stats["abandoned"].as_object().unwrap();
    assert!(
        !abandoned.is_empty(),
        "the generator was to be killed while it waited: {stats}"
    );
    drop(model);
    assert_eq!(home.leftovers(), []);
    for folder in ["executor/executions", "verifier/checks"] {
        let folder = home.path().join("home/scratch").join(folder);
        let entries = std::fs::read_dir(&folder).into_iter().flatten();
        let files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        assert!(files.is_empty(), "the killed services left {files:?}");
    }
    let audit = home.interlock(&["audit", "latest"]).unwrap();
    assert_eq!(audit.code, Some(0), "{}{}", audit.stdout, audit.stderr);
}

/// The example's answers, those of the second level with time to be waited for: the generator is killed while it waits.
/// (An answer that was sent and not yet stored would be lost with it, and be asked for again.)
fn slow_answers(home: &Home) -> PathBuf {
    let folder = home.path().join("answers");
    copy(&tasks().join("digits/answers"), &folder).unwrap();
    for name in ["data", "features", "models", "training"] {
        let path = folder.join(format!("src/{name}.py.1.md"));
        let text = std::fs::read_to_string(&path).unwrap();
        let slow = match text.strip_prefix("---\n") {
            Some(rest) => format!("---\ndelay_ms: 5000\n{rest}"),
            None => format!("---\ndelay_ms: 5000\n---\n{text}"),
        };
        std::fs::write(&path, slow).unwrap();
    }
    folder
}

/// The record that is seen may be seen before the generator acts on it.
fn wait_until_asked(model: &Model, key: &str) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while model.stats().unwrap()["started"].get(key).is_none() {
        assert!(Instant::now() < deadline, "{key} is never asked for");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn kill(home: &Home, service: &str) {
    let victims: Vec<_> = home
        .processes()
        .into_iter()
        .filter(|process| process.name == service)
        .collect();
    assert_eq!(victims.len(), 1, "{service}: {:?}", home.processes());
    for victim in victims {
        let pid = rustix::process::Pid::from_raw(victim.pid.try_into().unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
}
