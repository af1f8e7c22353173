//! A program whose executor is killed: it is run again, goes on from its checkpoint, or a human is asked. As the task says.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

use interlock_e2e::stack::{Up, copy};
use interlock_e2e::{Home, tasks};
use rustix::process::{Pid, Signal, kill_process};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The task under this policy.
fn task(home: &Home, policy: &str) -> PathBuf {
    let folder = home.path().join("counter");
    copy(&tasks().join("counter"), &folder).unwrap();
    let path = folder.join("task.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("interrupted = \"resume\""));
    let text = text.replace("interrupted = \"resume\"", &format!("interrupted = \"{policy}\""));
    std::fs::write(&path, text).unwrap();
    path
}

/// Submits it, and kills the executor when the program has counted for a while.
fn lose_the_program<'a>(home: &'a Home, policy: &str) -> Up<'a> {
    let task = task(home, policy);
    let up = Up::start(home, &tasks().join("counter/answers"));
    let submitted = home.interlock(&["run", "--detach", &task.to_string_lossy()]).unwrap();
    assert_eq!(submitted.code, Some(0), "{}", submitted.stderr);
    // What it says of its own progress.
    until(home, |page| page.contains("%, about") && page.contains("(counting)"));
    let executor = home.processes().into_iter().find(|p| p.name == "interlock-executor");
    let executor = Pid::from_raw(executor.unwrap().pid.try_into().unwrap()).unwrap();
    kill_process(executor, Signal::KILL).unwrap();
    up
}

fn until(home: &Home, wanted: impl Fn(&str) -> bool) -> String {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let page = home.interlock(&["show", "latest"]).unwrap().stdout;
        if wanted(&page) {
            return page;
        }
        assert!(Instant::now() < deadline, "{page}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Waits for the end and answers where the last execution began to count.
fn began_at(home: &Home) -> u32 {
    let watched = home.interlock(&["watch", "latest"]).unwrap();
    assert_eq!(watched.code, Some(0), "{}{}", watched.stdout, watched.stderr);
    let logs = home
        .interlock(&["logs", "latest", "--stream", "stdout"])
        .unwrap()
        .stdout;
    let count = logs.lines().find_map(|line| line.strip_prefix("begins at "));
    count.unwrap().parse().unwrap()
}

fn checkpoints(home: &Home) -> usize {
    let folder = home.path().join("home/scratch/executor/checkpoints");
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn a_lost_program_goes_on_from_its_checkpoint() {
    let home = Home::new().unwrap();
    let up = lose_the_program(&home, "resume");
    let count = began_at(&home);
    assert!((1..80).contains(&count), "it began at {count}");
    assert_eq!(checkpoints(&home), 0, "nothing is left when the result is there");
    drop(up);
    assert_eq!(home.leftovers(), []);
}

#[test]
fn a_lost_program_is_run_again_from_its_beginning() {
    let home = Home::new().unwrap();
    let up = lose_the_program(&home, "rerun");
    assert_eq!(began_at(&home), 0);
    drop(up);
    assert_eq!(home.leftovers(), []);
}

#[test]
fn a_human_is_asked_about_a_lost_program() {
    let home = Home::new().unwrap();
    let up = lose_the_program(&home, "ask");
    let page = until(&home, |page| page.contains("waits for guidance"));
    assert!(page.contains("execution 1 was lost with its executor"), "{page}");
    let approved = home.interlock(&["approve", "latest"]).unwrap();
    assert_eq!(approved.code, Some(0), "{}{}", approved.stdout, approved.stderr);
    assert_eq!(began_at(&home), 0);
    let audit = home.interlock(&["audit", "latest"]).unwrap();
    assert_eq!(audit.code, Some(0), "{}{}", audit.stdout, audit.stderr);
    drop(up);
    assert_eq!(home.leftovers(), []);
}
