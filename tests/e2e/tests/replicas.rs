//! Two verifiers share forty runs that are in flight at once, and one of them may die: nothing is lost, nothing doubled.

#![allow(clippy::unwrap_used, clippy::panic)]
#![allow(clippy::disallowed_methods, reason = "a process is killed")]

use interlock_e2e::stack::{Up, copy};
use interlock_e2e::{Home, tasks};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// Runs at once.
const RUNS: usize = 40;
/// Verdicts of each: its two levels.
const VERDICTS: usize = 2;
const PATIENCE: Duration = Duration::from_secs(240);

/// The smallest task, with a name for each copy.
fn submit_all(home: &Home) -> Vec<String> {
    let task = home.path().join("task");
    copy(&tasks().join("tiny"), &task).unwrap();
    let path = task.join("task.toml");
    let submit = |_| {
        let submitted = home.interlock(&["run", &path.to_string_lossy(), "--detach"]).unwrap();
        assert_eq!(submitted.code, Some(0), "{}{}", submitted.stdout, submitted.stderr);
        let id = submitted.stdout.split_whitespace().find(|word| word.len() == 26);
        id.unwrap_or_else(|| panic!("no run in {}", submitted.stdout))
            .to_owned()
    };
    (0..RUNS).map(submit).collect()
}

/// How many runs have ended, and how many of them as accepted.
fn ended(home: &Home) -> (usize, usize) {
    let listed = home.interlock(&["ps", "--json"]).unwrap();
    let status = |event: &serde_json::Value| event["status"].as_str().unwrap_or_default().to_owned();
    let all: Vec<String> = listed.events.iter().map(status).collect();
    let over = all
        .iter()
        .filter(|status| !["active", "waiting", ""].contains(&status.as_str()));
    (over.count(), all.iter().filter(|status| *status == "accepted").count())
}

fn wait_for_all(home: &Home) {
    let deadline = Instant::now() + PATIENCE;
    while ended(home).0 < RUNS {
        assert!(Instant::now() < deadline, "{:?} of {RUNS} runs have ended", ended(home));
        std::thread::sleep(Duration::from_millis(300));
    }
    assert_eq!(ended(home), (RUNS, RUNS));
}

/// The levels that a verifier says it has checked, as its log has them.
fn checked(home: &Home, name: &str) -> usize {
    let log = std::fs::read_to_string(home.path().join(format!("home/logs/{name}.log"))).unwrap();
    log.lines()
        .filter(|line| line.contains("checked") && line.contains("level"))
        .count()
}

fn verifiers(home: &Home) -> Vec<u32> {
    let processes = home.processes();
    let verifiers = processes
        .iter()
        .filter(|process| process.name.starts_with("interlock-verif"));
    verifiers.map(|process| process.pid).collect()
}

fn audit(home: &Home, runs: &[String]) {
    assert_eq!(runs.iter().collect::<BTreeSet<_>>().len(), RUNS);
    for run in runs {
        let audit = home.interlock(&["audit", run]).unwrap();
        assert_eq!(audit.code, Some(0), "{run}: {}{}", audit.stdout, audit.stderr);
        let shown = home.interlock(&["show", run, "--json"]).unwrap();
        let verdicts = shown.events.iter().filter(|event| event["kind"] == "verdict").count();
        assert_eq!(verdicts, VERDICTS, "{run}: {}", shown.stdout);
    }
}

fn start(home: &Home) -> Up<'_> {
    let answers: PathBuf = tasks().join("tiny/answers");
    Up::start_with(home, &answers, &["--verifiers", "2"])
}

#[test]
fn two_verifiers_share_forty_runs_evenly() {
    let home = Home::new().unwrap();
    let stack = start(&home);
    assert_eq!(verifiers(&home).len(), 2);
    let runs = submit_all(&home);
    wait_for_all(&home);
    let shares = [checked(&home, "verifier"), checked(&home, "verifier-2")];
    let all: usize = shares.iter().sum();
    assert!(all >= RUNS * VERDICTS, "{shares:?}");
    for share in shares {
        assert!(share * 100 >= all * 35, "uneven: {shares:?}");
    }
    audit(&home, &runs);
    stack.down().unwrap();
    assert_eq!(home.leftovers(), []);
}

#[test]
fn a_verifier_that_is_killed_loses_nothing() {
    let home = Home::new().unwrap();
    let stack = start(&home);
    let runs = submit_all(&home);
    let deadline = Instant::now() + PATIENCE;
    while ended(&home).0 < RUNS / 8 {
        assert!(Instant::now() < deadline, "{:?}", ended(&home));
        std::thread::sleep(Duration::from_millis(100));
    }
    let victim = verifiers(&home).first().copied().unwrap();
    assert!(
        Command::new("kill")
            .args(["-9", &victim.to_string()])
            .status()
            .unwrap()
            .success()
    );
    wait_for_all(&home);
    audit(&home, &runs);
    stack.down().unwrap();
    assert_eq!(home.leftovers(), []);
}
