//! Starting, asking and ending processes.

use interlock_cli::stack::process::{self, Program};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn shell(dir: &TempDir, script: &str) -> Program {
    Program {
        name: "shell".to_owned(),
        path: PathBuf::from("/bin/sh"),
        args: vec!["-c".into(), script.into()],
        env: vec![("GIVEN".into(), "this".into())],
        log: dir.path().join("shell.log"),
    }
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

fn is_there(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

#[tokio::test]
async fn it_sees_what_it_is_given_and_its_words_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("shell.log"), "an older line\n").unwrap();
    let program = shell(&dir, "echo got $GIVEN; echo home=$HOME >&2; exit 3");
    let mut running = process::start(&program).unwrap();
    let status = running.wait_until(soon()).await.unwrap().unwrap();
    assert_eq!(process::describe(status), "exit status 3");
    assert_eq!(
        running.last_words(),
        "got this\nhome=",
        "nothing is inherited, nothing old is quoted"
    );
}

#[tokio::test]
async fn it_ends_when_it_is_asked_to_and_when_nobody_holds_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut polite = process::start(&shell(&dir, "exec sleep 600")).unwrap();
    assert!(polite.ended().unwrap().is_none());
    polite.terminate();
    let status = polite.wait_until(soon()).await.unwrap().unwrap();
    assert_eq!(process::describe(status), "signal 15");

    let deaf = process::start(&shell(&dir, "trap '' TERM; while :; do sleep 1; done")).unwrap();
    let pid = deaf.pid();
    assert!(is_there(pid));
    drop(deaf);
    assert!(!is_there(pid), "killed and reaped");
}

/// The kernel ends a child with the thread that started it, so even a killed command leaves nothing behind.
#[test]
fn it_ends_with_the_thread_that_started_it() {
    let dir = tempfile::tempdir().unwrap();
    let program = shell(&dir, "exec sleep 600");
    let mut running = std::thread::spawn(move || process::start(&program).unwrap())
        .join()
        .unwrap();
    let deadline = soon();
    let status = loop {
        match running.ended().unwrap() {
            Some(status) => break status,
            None => assert!(Instant::now() < deadline, "it outlives its starter"),
        }
        std::thread::yield_now();
    };
    assert_eq!(process::describe(status), "signal 9");
}

#[tokio::test]
async fn a_question_has_an_answer_or_an_end() {
    let sh = Path::new("/bin/sh");
    let words = |script: &str| -> Vec<OsString> { vec!["-c".into(), script.into()] };
    let answer = process::ask(sh, &words("echo yes; echo but >&2"), Duration::from_secs(20))
        .await
        .unwrap();
    assert!(answer.status.success());
    assert_eq!((answer.stdout.trim(), answer.stderr.trim()), ("yes", "but"));
    let silent = process::ask(sh, &words("exec sleep 600"), Duration::from_millis(1))
        .await
        .unwrap_err();
    assert!(silent.to_string().contains("gave no answer"), "{silent}");
    assert!(
        process::ask(Path::new("/nowhere"), &[], Duration::from_secs(1))
            .await
            .is_err()
    );
}

#[test]
fn a_detached_process_has_a_session_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("detached.log");
    let script = "echo $$ $(cut -d' ' -f6 /proc/self/stat); echo aside >&2";
    let child = process::detach(Path::new("/bin/sh"), &["-c".into(), script.into()], &log).unwrap();
    let pid = child.id().to_string();
    let out = child.wait_with_output().unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    assert_eq!(
        said.split_whitespace().collect::<Vec<_>>(),
        [pid.as_str(), pid.as_str()]
    );
    assert_eq!(fs::read_to_string(log).unwrap(), "aside\n");
}
