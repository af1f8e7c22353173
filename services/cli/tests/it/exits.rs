//! The real program with what is missing or wrong: its exit code, and what it says.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

struct Machine {
    dir: TempDir,
}

struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Machine {
    /// A machine on which nothing of Interlock is built and no tool is installed.
    fn bare() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    fn script(&self, below: &str, script: &str) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn interlock(&self, words: &[&str]) -> Said {
        let out = Command::new(env!("CARGO_BIN_EXE_interlock"))
            .args(words)
            .current_dir(self.dir.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("INTERLOCK_HOME", self.path("home"))
            .env("INTERLOCK_CACHE", self.path("cache"))
            .env("INTERLOCK_BIN_DIR", self.path("bin"))
            .output()
            .unwrap();
        Said {
            code: out.status.code(),
            out: String::from_utf8(out.stdout).unwrap(),
            err: String::from_utf8(out.stderr).unwrap(),
        }
    }

    fn says(&self, words: &[&str], code: i32, told: &[&str]) {
        let said = self.interlock(words);
        assert_eq!(said.code, Some(code), "{words:?}: {}{}", said.out, said.err);
        for word in told {
            assert!(
                said.out.contains(word) || said.err.contains(word),
                "{words:?} does not say {word:?}: {}{}",
                said.out,
                said.err
            );
        }
    }
}

fn tiny() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tasks/tiny");
    path.to_string_lossy().into_owned()
}

#[test]
fn usage_is_two_and_help_is_zero() {
    let machine = Machine::bare();
    machine.says(&["--help"], 0, &["Exit codes"]);
    machine.says(&["version"], 0, &["interlock "]);
    machine.says(&["launch"], 2, &["launch"]);
    machine.says(&["run"], 2, &["<TASK>"]);
    machine.says(&["down"], 0, &["no stack is running"]);
    assert!(!machine.path("home").exists(), "nothing of it needs a state folder");
}

#[test]
fn a_task_that_cannot_be_read_starts_nothing() {
    let machine = Machine::bare();
    machine.says(&["run", "nowhere"], 2, &["nowhere", "No such file"]);
    fs::write(machine.path("task.toml"), "name = \"x\"\n").unwrap();
    machine.says(&["run", "."], 2, &["task.toml", "goal"]);
    fs::create_dir_all(machine.path("full/of")).unwrap();
    machine.says(&["run", &tiny(), "--out", "full"], 2, &["full", "new or empty"]);
    machine.says(&["export", "latest", "full"], 2, &["full", "new or empty"]);
    machine.says(&["run", &tiny(), "--detach"], 2, &["interlock up"]);
    assert!(!machine.path("home").exists());
}

#[test]
fn a_stack_that_cannot_start_says_what_is_missing() {
    let machine = Machine::bare();
    machine.says(&["run", &tiny()], 2, &["nats-server", "make setup"]);
    machine.says(&["up"], 2, &["no model", "INTERLOCK_MODEL_URL", "--answers"]);
    machine.says(&["up", "--answers", "nowhere"], 2, &["nowhere", "does not exist"]);
    let answers = format!("{}/answers", tiny());
    machine.says(&["up", "--answers", &answers], 2, &["did not start", "nats-server"]);

    machine.script("cache/tools/bin/nats-server", "echo nats-server: v2.9.25");
    machine.says(&["run", &tiny()], 2, &["version 2.9.25", "2.10 or newer"]);
    machine.script("cache/tools/bin/nats-server", "echo nats-server: v2.14.0");
    machine.says(&["run", &tiny()], 2, &["interlock-bootstrap", "make build"]);
    machine.script("bin/interlock-bootstrap", "echo no seed to be had >&2; exit 1");
    machine.says(
        &["run", &tiny()],
        2,
        &["setting up the broker failed", "no seed to be had"],
    );
    machine.script("bin/interlock-bootstrap", "mkdir -p \"$2\"; echo > \"$2/nats.conf\"");
    machine.script(
        "cache/tools/bin/nats-server",
        "[ \"$1\" = --version ] && echo nats-server: v2.14.0 && exit; echo port is taken >&2; exit 7",
    );
    machine.says(
        &["run", &tiny()],
        2,
        &["broker ended with exit status 7", "port is taken"],
    );
    assert!(
        !machine.path("home/stack.json").exists(),
        "no notice of a stack that is not there"
    );
}

#[test]
fn doctor_names_everything_that_is_missing() {
    let machine = Machine::bare();
    let told = [
        "MISSING  programs",
        "interlock-planner",
        "MISSING  nats-server",
        "MISSING  uv",
        "MISSING  sandbox",
        "interlock-sandbox-probe",
        "INTERLOCK_MODEL_URL is not set",
        "missing or not working",
    ];
    machine.says(&["doctor"], 2, &told);

    machine.script("cache/tools/bin/nats-server", "echo nats-server: v2.9.25");
    machine.script("cache/tools/bin/uv", "echo broken >&2; exit 1");
    machine.script(
        "bin/interlock-sandbox-probe",
        r#"echo '{"tier":null,"tried":[{"tier":"namespaces","ok":false,"reason":"user namespaces are closed"}]}'; exit 1"#,
    );
    let told = [
        "version 2.9.25 does not sync",
        "does not work: exit status 1: broken",
        "tier namespaces does not hold here: user namespaces are closed",
        "no tier holds",
    ];
    machine.says(&["doctor"], 2, &told);
    machine.script(
        "bin/interlock-sandbox-probe",
        r#"echo '{"tier":"landlock","tried":[{"tier":"landlock","ok":true,"reason":""}]}'"#,
    );
    machine.says(&["doctor"], 2, &["tier landlock holds"]);
}
