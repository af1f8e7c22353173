//! Runs the harness's own Python programs in the sandbox, in the run's environment.
//!
//! The workspace is mounted read-only; the programs' answers come back through stdout or a file of
//! their own, and a program that does not answer has not passed anything.

use crate::{lint, testing, tree, types};
use interlock_domain::WorkspacePath;
use interlock_domain::owned::{SOURCE_ROOT, tools};
use interlock_pysource::TREE_SCRIPT;
use interlock_sandbox::{
    Arg, Command, Environment, Limits, Mount, Observed, PYTHON_INSIDE, Profile, PythonError, Sandbox, SandboxError,
    python_mounts, remove_tree,
};
use interlock_stage::workspace::{Sources, WorkspaceError, lay_out};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_util::sync::CancellationToken;

/// Where checks see the workspace.
pub const WORK: &str = "/work";
/// Where checks see the harness's programs.
pub const TOOLS: &str = "/harness";
/// Where custom checkers lie.
pub const CHECKERS: &str = "/checkers";
/// Where a check may write its report.
pub const REPORT: &str = "/report";

/// Why a check could not be run. Never the workspace's fault.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The folders.
    #[error("cannot prepare a check: {0}")]
    Prepare(#[from] io::Error),
    /// The workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The environment.
    #[error(transparent)]
    Python(#[from] PythonError),
    /// The sandbox.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A Python file that is no text. The generator stores none, so that is a fault of ours.
    #[error("{0} is not UTF-8")]
    NotText(WorkspacePath),
    /// The static rules broke.
    #[error("the static rules broke: {0}")]
    Rules(String),
    /// The program answered something else than it was asked for.
    #[error("{tool} did not answer as it has to: {why}")]
    Answer {
        /// Which program.
        tool: &'static str,
        /// What came instead.
        why: String,
    },
}

/// A workspace laid out for checks, removed when dropped.
#[derive(Debug)]
pub struct Bench {
    folder: String,
    root: PathBuf,
    mounts: Vec<Mount>,
}

impl Bench {
    /// Lays out `sources` and the harness's programs below `scratch`.
    pub fn new(scratch: &Path, sources: &Sources, environment: &Environment) -> Result<Self, ToolError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("check-{}-{number}", std::process::id());
        let root = checks_folder(scratch, environment).join(&name);
        remove_tree(&root)?;
        let mut bench = Self {
            folder: format!("{name}/work"),
            root,
            mounts: python_mounts(&environment.path)?,
        };
        for (folder, inside, writable) in [
            ("work", WORK, false),
            ("harness", TOOLS, false),
            ("report", REPORT, true),
            ("checkers", CHECKERS, false),
        ] {
            let host = bench.root.join(folder);
            fs::create_dir_all(&host)?;
            bench.mounts.push(Mount {
                host,
                inside: inside.to_owned(),
                writable,
            });
        }
        // A level may have no source file yet; the folder has to be there all the same.
        fs::create_dir_all(bench.root.join("work").join(SOURCE_ROOT))?;
        lay_out(&bench.root.join("work"), sources)?;
        fs::write(bench.root.join("harness/compile_check.py"), tools::COMPILE_CHECK)?;
        write_importing(&bench.root.join("harness"))?;
        fs::write(bench.root.join("harness").join(lint::CONFIG), lint::DEFAULTS)?;
        fs::write(bench.root.join("harness").join(types::CONFIG), types::DEFAULTS)?;
        fs::write(bench.root.join("harness").join(tree::TOOL), TREE_SCRIPT)?;
        fs::write(bench.root.join("harness").join(testing::TOOL), tools::RUN_TESTS)?;
        Ok(bench)
    }

    /// The folder of the workspace, below [`checks_folder`].
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// The folder that a check writes its report to, on the host.
    pub fn report(&self) -> PathBuf {
        self.root.join("report")
    }

    /// Puts an executable where custom checkers lie.
    pub fn add_checker(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let path = self.root.join("checkers").join(name);
        fs::write(&path, content)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
    }

    /// Runs one of the harness's programs and waits for its end.
    pub async fn run(
        &self,
        sandbox: &Sandbox,
        asked: Asked,
        cancel: &CancellationToken,
    ) -> Result<Observed, ToolError> {
        let tool = Arg::inside(format!("{TOOLS}/{}", asked.tool));
        let mut args = vec![Arg::text("-I"), Arg::text("-B"), tool];
        args.extend(asked.args.iter().cloned());
        self.run_program(sandbox, Arg::inside(PYTHON_INSIDE), Asked { args, ..asked }, cancel)
            .await
    }

    /// Runs another program on the workspace and waits for its end.
    pub async fn run_program(
        &self,
        sandbox: &Sandbox,
        program: Arg,
        asked: Asked,
        cancel: &CancellationToken,
    ) -> Result<Observed, ToolError> {
        let command = Command {
            program,
            args: asked.args,
            env: BTreeMap::new(),
            cwd: WORK.to_owned(),
            mounts: self.mounts.clone(),
            profile: asked.profile,
            limits: asked.limits,
            stdin: asked.stdin,
        };
        Ok(sandbox.run(command, cancel.clone()).await?)
    }
}

/// The folder of all checks of one environment: what its fork servers may see, and no other environment's.
pub fn checks_folder(scratch: &Path, environment: &Environment) -> PathBuf {
    scratch.join(&environment.digest)
}

/// Writes the programs that import files.
pub fn write_importing(folder: &Path) -> io::Result<()> {
    tools::IMPORTING
        .iter()
        .try_for_each(|(name, content)| fs::write(folder.join(name), content))
}

/// One program of the harness with its arguments.
#[derive(Debug)]
pub struct Asked {
    /// File name of the program, or what it is called where it is no program of the harness.
    pub tool: &'static str,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// Its input.
    pub stdin: Option<Vec<u8>>,
    /// How far it may go.
    pub limits: Limits,
    /// How much it is allowed: what real runs are, where it runs what they run.
    pub profile: Profile,
}

impl Drop for Bench {
    fn drop(&mut self) {
        if let Err(error) = remove_tree(&self.root) {
            tracing::error!(root = %self.root.display(), %error, "a check's folders could not be removed");
        }
    }
}
