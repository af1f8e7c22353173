//! A task that lets its program reach one server: it is reached, the other is not, and the record says what was wanted.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

use interlock_e2e::stack::copy;
use interlock_e2e::{Home, tasks};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

const PROGRAM: &str = "```python
\"\"\"Fetches the number of rows from the one server, and tries another.\"\"\"

from __future__ import annotations

import urllib.error
import urllib.request


def run(config, recorder):
    \"\"\"Records what the allowed server answers.\"\"\"
    try:
        urllib.request.urlopen(config[\"other\"], timeout=20)
    except urllib.error.HTTPError as error:
        print(\"refused:\", error.read().decode().strip())
    with urllib.request.urlopen(config[\"server\"], timeout=20) as answer:
        recorder.metric(\"rows\", int(answer.read()), \"count\")
```
";

const TASK: &str = r#"name = "fetches"
goal = "Fetch the number of rows."
[environment]
lock = "requirements.lock"
[[criteria]]
metric = "rows"
unit = "count"
direction = "at_least"
threshold = 42
evidence = "recorded"
[limits]
wall_seconds = 60
repairs = 0
[gates]
plan = "automatic"
guidance = "stop"
[program]
network = ["127.0.0.1:SERVER"]
[config]
server = "http://127.0.0.1:SERVER/rows"
other = "http://127.0.0.1:OTHER/rows"
[model]
answers = "answers"
"#;

/// A server that answers everything with 42; its port.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let _ = connection.read(&mut [0; 4096]);
            let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n42");
        }
    });
    port
}

fn task(home: &Home, server: u16, other: u16) -> std::path::PathBuf {
    let folder = home.path().join("task");
    copy(&tasks().join("slow"), &folder).unwrap();
    std::fs::write(folder.join("answers/src/experiment.py.1.md"), PROGRAM).unwrap();
    let text = TASK.replace("SERVER", &server.to_string());
    std::fs::write(folder.join("task.toml"), text.replace("OTHER", &other.to_string())).unwrap();
    folder.join("task.toml")
}

#[test]
fn a_program_reaches_what_its_task_allows() {
    let home = Home::new().unwrap();
    let (allowed, other) = (server(), server());
    let path = task(&home, allowed, other);
    let mut command = home.command(&["run", &path.to_string_lossy()]);
    command.env("INTERLOCK_SANDBOX_TIER", "namespaces");
    let ended = interlock_e2e::Ended::of(command.output().unwrap());
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let logs = home.interlock(&["logs", "latest"]).unwrap().stdout;
    assert!(logs.contains("refused: the task does not allow 127.0.0.1:"), "{logs}");
    let json = home.interlock(&["show", "latest", "--json"]).unwrap().stdout;
    assert!(
        json.contains("network/denied") && json.contains(&other.to_string()),
        "{json}"
    );
    assert_eq!(home.leftovers(), []);
}

#[test]
fn a_tier_that_cannot_tell_hosts_apart_refuses_the_run_and_says_so() {
    let home = Home::new().unwrap();
    let path = task(&home, server(), server());
    let mut command = home.command(&["run", &path.to_string_lossy()]);
    command.env("INTERLOCK_SANDBOX_TIER", "landlock");
    let ended = interlock_e2e::Ended::of(command.output().unwrap());
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    let said = format!("{}{}", ended.stdout, ended.stderr);
    assert!(said.contains("program.network needs the tier namespaces"), "{said}");
    assert_eq!(home.leftovers(), []);
}
