//! `interlock-exec`, which is what `interlock exec` runs: every exit code, limits by name, what it lists and what it
//! refuses.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use interlock_sandbox::LimitKind;
use serde_json::{Value, json};
use tempfile::TempDir;

const TIERS: [&str; 2] = ["namespaces", "landlock"];

struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Said {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}{}", self.out, self.err))
    }
}

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interlock-exec"));
    command.args(["--launcher", env!("CARGO_BIN_EXE_interlock-launcher")]);
    command.args(["--supervisor", env!("CARGO_BIN_EXE_interlock-supervisor")]);
    command
        .args(["--bwrap", "/usr/bin/bwrap", "--scratch", "scratch"])
        .args(words);
    command.current_dir(folder).env("KEY", "interlock_test_secret");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn exec_with(folder: &Path, words: &[&str], stdin: &[u8]) -> Said {
    let mut child = command(folder, words).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    Said {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn exec(folder: &Path, words: &[&str]) -> Said {
    exec_with(folder, words, b"")
}

#[test]
fn a_command_that_ends_with_0_is_0_and_all_of_it_is_shown() {
    for tier in TIERS {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir_all(folder.path().join("data")).unwrap();
        std::fs::write(folder.path().join("data/in.txt"), "hello").unwrap();
        std::fs::create_dir_all(folder.path().join("result")).unwrap();
        for name in ["same", "other", "gone"] {
            std::fs::write(folder.path().join("result").join(name), name).unwrap();
        }
        let script = "cp /dev/stdin here; echo more >> other; rm gone; ln -s /etc/passwd link; cat \"$1\" \
                      \"$INTERLOCK_IN_DATA/in.txt\"; pwd; echo \"$KEY\" >&2; test \"$INTERLOCK_OUT\" = \"$PWD\"";
        let words = [
            "--tier",
            tier,
            "--out",
            "result",
            "--mount",
            "data",
            "--stdin",
            "--limits",
            "wall=20s,memory=1GB",
            "--",
            "sh",
            "-c",
            script,
            "sh",
            "/in/data/in.txt",
        ];
        let said = exec_with(folder.path(), &words, b"from stdin");
        let seen = said.json();
        assert_eq!(said.code, Some(0), "{seen}");
        assert_eq!(seen["schema"], "interlock.exec/1");
        assert_eq!((&seen["tier"], &seen["profile"]), (&json!(tier), &json!("work")));
        assert_eq!(seen["end"], json!({"kind": "exited", "status": 0}));
        assert_eq!(seen["survivors"], 0);
        assert_eq!(seen["limits"]["wall_ms"], 20_000);
        assert_eq!(seen["limits"]["memory_bytes"], 1_000_000_000);
        assert!(
            seen["stdout"]["head"].as_str().unwrap().starts_with("hellohello/"),
            "{seen}"
        );
        assert_eq!(seen["stderr"]["head"], "\n", "no variable of the caller's");
        assert!(seen["duration_ms"].as_u64().unwrap() > 0 && seen["peak_processes"].as_u64().unwrap() > 0);
        let out = &seen["out"];
        assert_eq!(out["complete"], true);
        let changed: Vec<(&str, &str, &str)> = (out["changed"].as_array().unwrap().iter())
            .map(|f| ["path", "change", "kind"].map(|key| f[key].as_str().unwrap_or_default()))
            .map(|[path, change, kind]| (path, change, kind))
            .collect();
        assert_eq!(
            changed,
            [
                ("gone", "removed", ""),
                ("here", "added", "file"),
                ("link", "added", "link"),
                ("other", "changed", "file"),
            ]
        );
        assert_eq!(out["changed"][1]["bytes"], 10);
        assert_eq!(
            out["changed"][1]["sha256"],
            "3f4d0948f4454bce65ded77023b9260b17b6607696a733e2f667315f9bfd95b9"
        );
        assert_eq!(std::fs::read_dir(folder.path().join("scratch")).unwrap().count(), 0);
    }
}

/// Limits, and a program that reaches one: a limit that nothing reaches does not compile.
fn reached_by(limit: LimitKind) -> (&'static str, &'static str) {
    match limit {
        LimitKind::Wall => ("wall=700ms,grace=200ms", "import time; time.sleep(60)"),
        LimitKind::Cpu => ("cpu=700ms,grace=200ms", "while True: pass"),
        LimitKind::Stall => ("stall=700ms,grace=200ms", "import time; time.sleep(60)"),
        LimitKind::Output => ("output=4MB", "import os\nwhile True: os.write(1, bytes(1 << 16))"),
        LimitKind::Processes => (
            "processes=20",
            "import os, time\nwhile True:\n  try:\n    if not os.fork(): time.sleep(60)\n  except OSError: pass",
        ),
        LimitKind::Disk => (
            "disk=32MB",
            "n = 0\nwhile True:\n  n += 1\n  open(f'{n}', 'wb').write(bytes(8 << 20))",
        ),
        LimitKind::Memory => (
            "memory=256MB",
            "import os, time\nfor _ in range(4):\n  if os.fork(): continue\n  b = bytearray(100 << 20)\n  \
             time.sleep(60)\ntime.sleep(60)",
        ),
    }
}

/// Status, signal, limits by name: 1, each in both tiers.
#[test]
fn any_other_end_is_1_and_named() {
    let crash = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)";
    let mut cases = vec![
        (
            "wall=30s",
            "raise SystemExit(3)",
            json!({"kind": "exited", "status": 3}),
        ),
        ("wall=30s", crash, json!({"kind": "signaled", "signal": 11})),
    ];
    for limit in [
        LimitKind::Wall,
        LimitKind::Cpu,
        LimitKind::Memory,
        LimitKind::Processes,
        LimitKind::Output,
        LimitKind::Stall,
        LimitKind::Disk,
    ] {
        let (limits, program) = reached_by(limit);
        cases.push((limits, program, json!({"kind": "limit", "limit": limit.name()})));
    }
    for tier in TIERS {
        for (limits, program, end) in &cases {
            let folder = TempDir::new().unwrap();
            let words = [
                "--tier", tier, "--out", "out", "--limits", limits, "--", "python3", "-I", "-c", program,
            ];
            let said = exec(folder.path(), &words);
            let seen = said.json();
            assert_eq!((said.code, &seen["end"]), (Some(1), end), "{limits} in {tier}: {seen}");
            assert_eq!(seen["survivors"], 0, "{limits} in {tier}");
        }
    }
}

#[test]
fn a_signal_cancels_and_the_document_still_comes() {
    let folder = TempDir::new().unwrap();
    let words = ["--out", "out", "--limits", "grace=200ms", "--", "python3", "-c"];
    let program = "import time; open('ready', 'w').close(); time.sleep(60)";
    let child = command(folder.path(), &[&words[..], &[program]].concat())
        .spawn()
        .unwrap();
    while !folder.path().join("out/ready").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{seen}");
    assert_eq!(seen["end"], json!({"kind": "cancelled"}));
}

#[test]
fn what_cannot_be_run_is_2_and_says_what_to_do() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir_all(folder.path().join("a/data")).unwrap();
    std::fs::create_dir_all(folder.path().join("b/data")).unwrap();
    std::fs::write(folder.path().join("plain"), "").unwrap();
    let hidden = folder.path().join("tool");
    std::fs::copy("/bin/true", &hidden).unwrap();
    let cases: [(&[&str], &[&str]); 13] = [
        (&["--", "no-such-program"], &["no-such-program", "PATH"]),
        (&["--", "./plain"], &["./plain", "executed"]),
        (&["--", "./tool"], &["./tool", "--mount"]),
        (&[], &["no command", "`--`"]),
        (&["--"], &["no command"]),
        (&["--frob", "--", "true"], &["--frob"]),
        (
            &["--tier", "glass", "--", "true"],
            &["--tier glass", "namespaces or landlock"],
        ),
        (
            &["--profile", "soft", "--", "true"],
            &["--profile soft", "strict or work"],
        ),
        (&["--limits", "walls=3s", "--", "true"], &["walls=3s", "wall, grace"]),
        (
            &["--mount", "nowhere", "--", "true"],
            &["--mount nowhere", "No such file"],
        ),
        (
            &["--mount", "a/data", "--mount", "b/data", "--", "true"],
            &["/in/data", "DIR:NAME"],
        ),
        (&["--mount", "a/data:/proc/x", "--", "true"], &["/proc/x"]),
        (&["--out", "plain", "--", "true"], &["--out plain", "no folder"]),
    ];
    for (words, told) in cases {
        let said = exec(folder.path(), words);
        assert_eq!(said.code, Some(2), "{words:?}: {}{}", said.out, said.err);
        assert_eq!(said.out, "", "{words:?}");
        for word in told {
            assert!(said.err.contains(word), "{words:?} does not say {word:?}: {}", said.err);
        }
    }
    // Shown with a mount it runs, in both tiers, by whichever name.
    for tier in TIERS {
        for program in ["./tool", "/in/tools/tool"] {
            let said = exec(folder.path(), &["--tier", tier, "--mount", ".:tools", "--", program]);
            assert_eq!(said.code, Some(0), "{program} in {tier}: {}{}", said.out, said.err);
        }
    }
}

#[test]
fn a_demanded_tier_that_does_not_hold_is_2() {
    let folder = TempDir::new().unwrap();
    let said = exec(
        folder.path(),
        &["--bwrap", "/bin/false", "--tier", "namespaces", "--", "true"],
    );
    assert_eq!(said.code, Some(2), "{}", said.out);
    assert!(
        said.err.contains("interlock doctor") && said.err.contains("namespaces"),
        "{}",
        said.err
    );
}

#[test]
fn strict_has_no_sockets_and_work_has() {
    let folder = TempDir::new().unwrap();
    let program = "import socket; socket.socket(socket.AF_UNIX)";
    for (profile, code) in [("strict", 1), ("work", 0)] {
        let said = exec(
            folder.path(),
            &["--profile", profile, "--", "python3", "-I", "-c", program],
        );
        assert_eq!(said.code, Some(code), "{profile}: {}", said.out);
    }
}
