//! A program that runs, as others see it: its output while it writes it, how it is, and that nobody knows when its
//! executor says nothing. What is not known changes nothing.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

use interlock_e2e::stack::Up;
use interlock_e2e::{Home, tasks};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Lines that the task's program writes to stdout.
const LINES: usize = 40;
/// Bytes that it writes to stderr.
const STDERR: usize = 6 << 20;

#[test]
fn a_running_program_is_followed_and_silence_changes_nothing() {
    let home = Home::new().unwrap();
    let task = tasks().join("talker/task.toml");
    let up = Up::start(&home, &tasks().join("talker/answers"));
    let submitted = home.interlock(&["run", "--detach", &task.to_string_lossy()]).unwrap();
    assert_eq!(submitted.code, Some(0), "{}", submitted.stderr);
    let too_early = home.interlock(&["logs", "latest"]).unwrap();
    assert!(too_early.stderr.contains("--follow"), "{}", too_early.stderr);

    let mut follow = home
        .command(&["logs", "latest", "--follow", "--stream", "stdout"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(follow.stdout.take().unwrap()).lines();
    let mut seen = vec![lines.next().unwrap().unwrap()];
    let page = said_of_it(&home, |page| page.contains("1 process"));
    assert!(page.contains("The program now"), "{page}");
    assert!(!page.contains("unknown"), "{page}");

    let executor = home.processes().into_iter().find(|p| p.name == "interlock-executor");
    let executor = Pid::from_raw(executor.unwrap().pid.try_into().unwrap()).unwrap();
    kill_process(executor, Signal::STOP).unwrap();
    said_of_it(&home, |page| page.contains("whether it still runs is unknown"));
    kill_process(executor, Signal::CONT).unwrap();

    seen.extend(lines.map(Result::unwrap));
    let expected: Vec<String> = (0..LINES).map(|number| format!("line {number}")).collect();
    assert_eq!(seen, expected, "each line once and in order");
    let mut complaints = String::new();
    follow.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
    assert!(follow.wait().unwrap().success(), "{complaints}");

    let watched = home.interlock(&["watch", "latest", "--json"]).unwrap();
    assert_eq!(watched.code, Some(0), "{}{}", watched.stdout, watched.stderr);
    let started = watched.stdout.matches("\"kind\":\"execution-started\"").count();
    assert_eq!(started, 1, "it was started once: {}", watched.stdout);
    let whole = home.interlock(&["logs", "latest", "--stream", "stderr"]).unwrap();
    assert_eq!(whole.stdout.len(), STDERR, "the whole stream is kept");
    assert!(!whole.stdout.contains("dropped"));
    let late = home.interlock(&["logs", "latest", "-f", "--stream", "stdout"]).unwrap();
    assert_eq!(late.stdout.lines().count(), LINES, "the end of it is long on record");
    let page = home.interlock(&["show", "latest"]).unwrap().stdout;
    assert!(
        page.contains("resources.json") && !page.contains("The program now"),
        "{page}"
    );
    drop(up);
    assert_eq!(home.leftovers(), []);
}

/// What `show` says, as soon as it says this.
fn said_of_it(home: &Home, wanted: impl Fn(&str) -> bool) -> String {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let page = home.interlock(&["show", "latest"]).unwrap().stdout;
        if wanted(&page) {
            return page;
        }
        assert!(Instant::now() < deadline, "{page}");
        std::thread::sleep(Duration::from_millis(100));
    }
}
