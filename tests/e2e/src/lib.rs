//! Drives the real `interlock` command for end-to-end tests: a home of its own, real broker, real
//! sandbox, scripted model. It knows nothing of the services' insides.

#![allow(
    clippy::disallowed_methods,
    reason = "tests start the real programs, and wait for them"
)]

pub mod json;
pub mod model;
pub mod stack;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A home for stacks and runs that nobody else uses; removed when dropped.
pub struct Home {
    dir: tempfile::TempDir,
}

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// Exit status.
    pub code: Option<i32>,
    /// Each line of stdout that is JSON.
    pub events: Vec<Value>,
    /// Stdout.
    pub stdout: String,
    /// Stderr.
    pub stderr: String,
}

/// A process of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// File name of its program.
    pub name: String,
}

impl Home {
    /// A new, empty home.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self {
            dir: tempfile::Builder::new().prefix("interlock-e2e-").tempdir()?,
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A command in this home, with nothing of a real model in its environment.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(binaries().join("interlock"));
        command
            .args(args)
            .current_dir(self.path())
            .env("INTERLOCK_HOME", self.path().join("home"))
            .env_remove("INTERLOCK_MODEL_URL")
            .env_remove("INTERLOCK_MODEL")
            .env_remove("INTERLOCK_API_KEY")
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub fn interlock(&self, args: &[&str]) -> std::io::Result<Ended> {
        Ok(Ended::of(self.command(args).output()?))
    }

    /// Runs an example task to its end on a private stack.
    pub fn run(&self, task: &str) -> std::io::Result<Ended> {
        let path = tasks().join(task).join("task.toml");
        self.interlock(&["run", &path.to_string_lossy(), "--json", "--out", "result"])
    }

    /// Starts an example task and lets it go on.
    pub fn start(&self, task: &str) -> std::io::Result<Child> {
        let path = tasks().join(task).join("task.toml");
        let mut command = self.command(&["run", &path.to_string_lossy(), "--json", "--out", "result"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    }

    /// The command that runs a task with a model at this address; its output can be read while it goes on.
    pub fn with_model(&self, task: &Path, url: &str) -> Command {
        let mut command = self.command(&["run", &task.to_string_lossy(), "--json", "--out", "result"]);
        command
            .env("INTERLOCK_MODEL_URL", url)
            .env("INTERLOCK_MODEL", "scripted")
            .env("INTERLOCK_API_KEY", "none")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Every living process that belongs to this home.
    pub fn processes(&self) -> Vec<Process> {
        let marker = self.path().to_string_lossy().into_owned();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        pids.filter(|pid| *pid != std::process::id())
            .filter_map(|pid| belongs(pid, &marker))
            .collect()
    }

    /// Waits until no process of this home is left, and names those that are.
    pub fn leftovers(&self) -> Vec<Process> {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let left = self.processes();
            if left.is_empty() || Instant::now() >= deadline {
                return left;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Ended {
    /// From a finished process.
    pub fn of(output: Output) -> Self {
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        Self {
            code: output.status.code(),
            events: stdout
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok())
                .collect(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            stdout,
        }
    }

    /// The last event: the result.
    pub fn result(&self) -> Value {
        self.events.last().cloned().unwrap_or_default()
    }
}

/// Every file below a folder.
pub fn files_below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// Where the example tasks lie.
pub fn tasks() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tasks")
}

/// Where cargo puts the binaries that these tests run.
pub fn binaries() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    // target/<profile>/deps/<test>, or target/<profile>/<program>
    let folder = own.parent().unwrap_or(Path::new("."));
    if folder.ends_with("deps") {
        folder.parent().unwrap_or(folder)
    } else {
        folder
    }
    .to_path_buf()
}

fn belongs(pid: u32, marker: &str) -> Option<Process> {
    let folder = PathBuf::from(format!("/proc/{pid}"));
    let read = |name: &str| fs::read(folder.join(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let state = read("stat").ok()?;
    // A zombie is no process any more: its parent has yet to read its status.
    let after_name = state.rsplit_once(')')?.1.trim_start();
    if after_name.starts_with('Z') {
        return None;
    }
    let cmdline = read("cmdline").unwrap_or_default();
    let environ = read("environ").unwrap_or_default();
    // A sandboxed program is told nothing of this home, and yet its files come from there.
    let mounts = read("mountinfo").unwrap_or_default();
    let cwd = fs::read_link(folder.join("cwd"))
        .map(|path| path.to_string_lossy().into_owned())
        .unwrap_or_default();
    if ![&cmdline, &environ, &mounts, &cwd]
        .iter()
        .any(|text| text.contains(marker))
    {
        return None;
    }
    let program = cmdline.split('\0').next().unwrap_or_default();
    let name = Path::new(program)
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    Some(Process { pid, name })
}
