//! Each service is killed once during a run: the run ends as if nothing had been, and no completed
//! call of the model is made again.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use interlock_e2e::model::Model;
use interlock_e2e::{Ended, Home, json, tasks};
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

/// After the first record of this kind, this service is killed. Whoever is killed has just written the
/// record, is about to act on it, or looks on.
const KILLS: [(&str, &str); 5] = [
    ("request", "interlock-gateway"),
    ("plan", "interlock-planner"),
    ("candidate", "interlock-verifier"),
    ("verdict", "interlock-generator"),
    ("execution-started", "interlock-executor"),
];

#[test]
fn every_service_may_die_once() {
    let home = Home::new().unwrap();
    let model = Model::of_task("digits").unwrap();
    let path = tasks().join("digits/task.toml");
    let mut child = home
        .command(&["run", &path.to_string_lossy(), "--json", "--out", "result"])
        .env("INTERLOCK_MODEL_URL", model.url())
        .env("INTERLOCK_MODEL", "scripted")
        .env("INTERLOCK_API_KEY", "none")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut left: Vec<(&str, &str)> = KILLS.to_vec();
    let mut lines = String::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        left.retain(|(kind, service)| {
            let is_seen = line.contains(&format!("\"kind\":\"{kind}\""));
            if is_seen {
                kill(&home, service);
            }
            !is_seen
        });
        lines.push_str(&line);
        lines.push('\n');
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
    assert_eq!(home.leftovers(), []);
    let audit = home.interlock(&["audit", "latest"]).unwrap();
    assert_eq!(audit.code, Some(0), "{}{}", audit.stdout, audit.stderr);
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
