//! The binary as others start it: its first line, its files, and every way it must end.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

const BINARY: &str = env!("CARGO_BIN_EXE_interlock-scripted-model");

fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    line.trim_end().to_owned()
}

#[test]
fn says_where_it_listens_and_ends_on_sigterm() {
    let dir = tempfile::tempdir().unwrap();
    let port_file = dir.path().join("port");
    let mut child = Command::new(BINARY)
        .arg("--answers")
        .arg(dir.path())
        .arg("--port-file")
        .arg(&port_file)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let url = first_line(&mut child);
    let port = std::fs::read_to_string(&port_file).unwrap();
    assert_eq!(url, format!("http://127.0.0.1:{}/v1", port.trim()));
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn ends_when_its_parent_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    // The shell stays the parent: it has something left to do after the server.
    let script = format!("{BINARY} --answers \"$0\" --die-with-parent; true");
    let mut shell = Command::new("sh")
        .args(["-c", &script])
        .arg(dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let url = first_line(&mut shell);
    assert!(url.starts_with("http://"), "{url}");
    shell.kill().unwrap();
    shell.wait().unwrap();
    // The server holds the other end of the pipe, so this ends exactly when the server does.
    let mut rest = String::new();
    shell.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}

#[test]
fn a_missing_folder_is_an_error() {
    let output = Command::new(BINARY)
        .args(["--answers", "/nowhere/at/all"])
        .output()
        .unwrap();
    assert!(!output.status.success());
}
