//! What all tests of the sandbox share: real binaries, both tiers, small Python programs.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use interlock_sandbox::{Arg, Command, Limits, Mount, Observed, Profile, Sandbox, SandboxConfig, Tier};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A sandbox with a folder of its own.
pub struct Bench {
    pub sandbox: Sandbox,
    pub folder: TempDir,
}

pub fn config(tier: Option<Tier>, scratch: &Path) -> SandboxConfig {
    SandboxConfig {
        launcher: env!("CARGO_BIN_EXE_interlock-launcher").into(),
        supervisor: env!("CARGO_BIN_EXE_interlock-supervisor").into(),
        bwrap: Some("/usr/bin/bwrap".into()),
        tier,
        scratch: scratch.to_owned(),
    }
}

impl Bench {
    pub async fn new(tier: Tier) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        for name in ["src", "out"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let sandbox = Sandbox::probe(config(Some(tier), &folder.path().join("scratch")))
            .await
            .unwrap();
        Bench { sandbox, folder }
    }

    pub fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// One of the programs in `tests/programs`, over a read-only source folder and a writable output folder, with a
    /// word on its command line by which its processes are found.
    pub fn program(&self, name: &str) -> Command {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
        let mut command = self.python(&std::fs::read_to_string(path).unwrap());
        command.args.push(Arg::text(self.marker()));
        command
    }

    /// Stands on the command line of every process of this bench.
    pub fn marker(&self) -> String {
        format!(
            "marker-{}",
            self.folder
                .path()
                .file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .trim_start_matches('.')
        )
    }

    /// Processes of this bench that still run.
    pub fn running(&self) -> Vec<String> {
        processes_with(&self.marker())
    }

    /// A Python program over a read-only source folder and a writable output folder.
    pub fn python(&self, program: &str) -> Command {
        std::fs::write(self.folder.path().join("src/main.py"), program).unwrap();
        Command {
            program: Arg::text("/usr/bin/python3"),
            args: vec![Arg::text("-I"), Arg::inside("/work/src/main.py")],
            env: BTreeMap::from([("OUT".to_owned(), Arg::inside("/work/out"))]),
            cwd: "/work/out".to_owned(),
            mounts: vec![
                Mount {
                    host: self.folder.path().join("src"),
                    inside: "/work/src".to_owned(),
                    writable: false,
                },
                Mount {
                    host: self.out(),
                    inside: "/work/out".to_owned(),
                    writable: true,
                },
            ],
            profile: Profile::Work,
            limits: limits(),
            stdin: None,
        }
    }

    pub async fn run(&self, command: Command) -> Observed {
        self.sandbox.run(command, CancellationToken::new()).await.unwrap()
    }
}

/// Limits that no honest test program reaches.
pub fn limits() -> Limits {
    Limits {
        wall: Duration::from_secs(60),
        grace: Duration::from_millis(300),
        ..Limits::default()
    }
}

pub fn stdout(observed: &Observed) -> String {
    observed.stdout.to_text()
}

/// Processes with a word on their command line, zombies left out.
pub fn processes_with(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(word) {
            found.push(format!("{}: {line}", entry.file_name().to_string_lossy()));
        }
    }
    found
}
