//! The sandbox as its callers see it: probed once, then one `run` per program.

mod probe;
mod run;
mod spawner;

use std::os::unix::fs::FileTypeExt as _;
use std::path::{Component, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::command::{Command, Tier};
use crate::error::SandboxError;
use crate::observed::{Observed, Progress};
use crate::plan::{self, Tools};
pub use probe::{CanaryReport, ProbeReport, TierReport};
use spawner::Spawner;

/// Where the sandbox finds its tools.
#[derive(Clone, Debug)]
pub struct SandboxConfig {
    /// The binary `interlock-launcher`.
    pub launcher: PathBuf,
    /// The binary `interlock-supervisor`.
    pub supervisor: PathBuf,
    /// Bubblewrap; without it only the landlock tier is left.
    pub bwrap: Option<PathBuf>,
    /// The tier to use. If it does not hold there is no sandbox: a demanded tier never falls to the other.
    pub tier: Option<Tier>,
    /// A folder for temporary files of the landlock tier and of the probe. Made if it is missing.
    pub scratch: PathBuf,
}

/// A sandbox that was seen to hold.
#[derive(Debug)]
pub struct Sandbox {
    tools: Tools,
    supervisor: PathBuf,
    scratch: PathBuf,
    tier: Tier,
    spawner: Spawner,
    runs: AtomicU64,
    report: ProbeReport,
}

impl Sandbox {
    /// Tries the tiers by running canaries in them, and keeps the strongest that holds.
    ///
    /// # Errors
    /// [`SandboxError::NoTier`] if none holds, or not the demanded one.
    pub async fn probe(config: SandboxConfig) -> Result<Sandbox, SandboxError> {
        let (sandbox, report) = Sandbox::try_tiers(config).await?;
        sandbox.ok_or_else(|| {
            let why: Vec<String> = report.tiers.iter().map(TierReport::why_not).collect();
            SandboxError::NoTier(why.join(" | "))
        })
    }

    /// As [`Sandbox::probe`], but says what was seen even if no tier holds.
    ///
    /// # Errors
    /// If the tools are not there or the probe cannot be set up.
    pub async fn try_tiers(config: SandboxConfig) -> Result<(Option<Sandbox>, ProbeReport), SandboxError> {
        let failed = |path: &PathBuf| {
            let path = path.clone();
            move |source| SandboxError::Missing { path, source }
        };
        std::fs::create_dir_all(&config.scratch).map_err(failed(&config.scratch))?;
        let real = |path: &PathBuf| std::fs::canonicalize(path).map_err(failed(path));
        let mut sandbox = Sandbox {
            tools: Tools {
                launcher: real(&config.launcher)?,
                bwrap: config.bwrap.as_ref().map(real).transpose()?,
                devices: Vec::new(),
            },
            supervisor: real(&config.supervisor)?,
            scratch: real(&config.scratch)?,
            tier: Tier::Namespaces,
            spawner: Spawner::new().map_err(failed(&config.supervisor))?,
            runs: AtomicU64::new(0),
            report: ProbeReport::default(),
        };
        let tiers = Tier::ALL
            .into_iter()
            .filter(|tier| config.tier.is_none_or(|demanded| demanded == *tier));
        for tier in tiers {
            sandbox.tier = tier;
            let tried = probe::probe(&sandbox).await;
            let holds = tried.holds();
            sandbox.report.tiers.push(tried);
            if holds {
                let report = sandbox.report.clone();
                return Ok((Some(sandbox), report));
            }
        }
        Ok((None, sandbox.report))
    }

    /// Lets programs of the profile `work` use these devices of the machine.
    ///
    /// # Errors
    /// [`SandboxError::BadCommand`] for what is no character device below `/dev`.
    pub fn with_devices(mut self, devices: &[PathBuf]) -> Result<Sandbox, SandboxError> {
        for device in devices {
            let is_device = std::fs::symlink_metadata(device).is_ok_and(|meta| meta.file_type().is_char_device());
            let is_plain = device.components().all(|part| !matches!(part, Component::ParentDir));
            if !(is_device && is_plain && device.starts_with("/dev")) {
                return Err(SandboxError::BadCommand(format!(
                    "sandbox.devices names {}, which is no character device below /dev on this machine; name one as \
                     `ls -l /dev` shows it, or leave it out",
                    device.display()
                )));
            }
        }
        self.tools.devices = devices.to_vec();
        Ok(self)
    }

    /// What was tried when this sandbox was set up.
    pub fn probe_report(&self) -> &ProbeReport {
        &self.report
    }

    /// How programs are confined here.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Runs one program and says what was seen. Dropping the future ends the program.
    ///
    /// # Errors
    /// Only when nothing can be said about the program; how it ended is [`Observed::end`].
    pub async fn run(&self, command: Command, cancel: CancellationToken) -> Result<Observed, SandboxError> {
        self.run_with_progress(command, cancel, None).await
    }

    /// As [`Sandbox::run`], with a sign of life about once a second.
    ///
    /// # Errors
    /// As [`Sandbox::run`].
    pub async fn run_with_progress(
        &self,
        command: Command,
        cancel: CancellationToken,
        progress: Option<watch::Sender<Progress>>,
    ) -> Result<Observed, SandboxError> {
        self.run_logged(command, cancel, progress, None).await
    }

    /// As [`Sandbox::run_with_progress`]; both streams are also written whole, as they come, to the files
    /// [`STDOUT`](crate::STDOUT) and [`STDERR`](crate::STDERR) of a folder that no mount shows to the program.
    /// [`Limits::output_total`](crate::Limits::output_total) bounds them. Where writing fails, the file ends early.
    ///
    /// # Errors
    /// As [`Sandbox::run`].
    pub async fn run_logged(
        &self,
        mut command: Command,
        cancel: CancellationToken,
        progress: Option<watch::Sender<Progress>>,
        logs: Option<PathBuf>,
    ) -> Result<Observed, SandboxError> {
        let stdin = command.stdin.take().unwrap_or_default();
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let scratch = self.scratch.join(format!("run-{}-{number}", std::process::id()));
        let mut job = plan::job(&self.tools, self.tier, command, scratch)?;
        job.logs = logs;
        run::run(&self.spawner, &self.supervisor, job, &stdin, cancel, progress).await
    }
}
