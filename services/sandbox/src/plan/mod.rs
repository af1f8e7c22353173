//! Turns a command into a job: checks it, translates paths, and writes down every wall. Starts nothing.

mod paths;
mod walls;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command::{Arg, Command, Limits, Profile, Tier};
use crate::error::SandboxError;
use crate::policy::{self, Filesystem};
use crate::wire::{Job, Launch, WatchLimits, Word, Wrap};
use paths::Places;

/// Where the launcher lies inside the namespaces.
const LAUNCHER_INSIDE: &str = "/run/interlock/launcher";
/// Where temporary files go inside the namespaces.
pub(crate) const SCRATCH_INSIDE: &str = "/tmp";
/// A process may map this many times the tree's resident memory, since mapped is not used: measured, torch maps six
/// times what it uses, most of it files. The tree is watched; this only stops one process between two looks.
const DATA_NUMERATOR: u64 = 3;
const DATA_DENOMINATOR: u64 = 2;
/// The port on the sandbox's own loopback interface where the proxy is found. Nothing else listens there.
const PROXY_PORT: u16 = 3128;
/// Threads count as tasks too; this leaves room for them and still ends a bomb between two looks.
const TASKS_BASE: u64 = 512;
const TASKS_PER_PROCESS: u64 = 4;
/// Processor seconds that one process may use beyond the tree's limit before the kernel ends it.
const CPU_MARGIN: u64 = 2;

/// The binaries that put up the walls.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    pub(crate) launcher: PathBuf,
    pub(crate) bwrap: Option<PathBuf>,
    /// Devices that are passed to programs of the profile `work`.
    pub(crate) devices: Vec<PathBuf>,
}

/// The job for one command. `scratch` is a folder that does not exist yet, for the landlock tier.
pub(crate) fn job(tools: &Tools, tier: Tier, command: Command, scratch: PathBuf) -> Result<Job, SandboxError> {
    let policy = policy::filesystem().map_err(|e| SandboxError::SetUp(e.to_string()))?;
    let places = Places::new(tier, &command.mounts, &scratch)?;
    if !command.limits.network.is_empty() && (tier, command.profile) != (Tier::Namespaces, Profile::Work) {
        return Err(SandboxError::BadCommand(format!(
            "a network needs the tier {} and the profile work; here is {tier}, where nothing but ports could be told apart: \
             run it on a machine whose `interlock doctor` shows that tier, or without a network",
            Tier::Namespaces
        )));
    }
    let passed = match command.profile {
        Profile::Work => tools.devices.clone(),
        Profile::Strict => Vec::new(),
    };
    let (launcher, wrap, scratch) = match tier {
        Tier::Namespaces => {
            let bwrap = tools.bwrap.clone();
            let bwrap = bwrap.ok_or_else(|| SandboxError::NoTier("bubblewrap is not there".to_owned()))?;
            let options = walls::options(&policy, &command, &tools.launcher, &passed);
            (
                PathBuf::from(LAUNCHER_INSIDE),
                Some(Wrap {
                    program: bwrap,
                    options,
                }),
                None,
            )
        }
        Tier::Landlock => (tools.launcher.clone(), None, Some(scratch)),
    };
    let inside_scratch = scratch.as_deref().unwrap_or(Path::new(SCRATCH_INSIDE));
    let access = places.access(&policy, tier, command.profile, inside_scratch);

    let word = |arg: Arg| -> Result<Word, SandboxError> {
        Ok(match arg {
            Arg::Text(text) => checked(text)?.into(),
            Arg::Inside(path) => checked(places.seen(&path)?.into_os_string())?.into(),
        })
    };
    let mut env: Vec<(String, Word)> = policy::environment(&inside_scratch.to_string_lossy())
        .map_err(|e| SandboxError::SetUp(e.to_string()))?
        .into_iter()
        .filter(|(name, _)| !command.env.contains_key(name))
        .map(|(name, value)| (name, Word::Text(value)))
        .collect();
    if !command.limits.network.is_empty() {
        let proxy = format!("http://127.0.0.1:{PROXY_PORT}");
        let names = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
        env.extend(names.map(|name| (name.to_owned(), Word::Text(proxy.clone()))));
    }
    for (name, value) in command.env {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(SandboxError::BadCommand(format!("environment variable {name:?}")));
        }
        env.push((name, word(value)?));
    }
    let program = word(command.program)?;
    if !Path::new(&OsString::from(program.clone())).is_absolute() {
        return Err(SandboxError::BadCommand(
            "the program is not an absolute path".to_owned(),
        ));
    }
    let limits = &command.limits;
    let tasks = u64::from(limits.processes) * TASKS_PER_PROCESS + TASKS_BASE;
    Ok(Job {
        tier,
        parent: std::process::id(),
        launcher,
        wrap,
        launch: Launch {
            tier,
            profile: command.profile,
            program,
            args: command.args.into_iter().map(word).collect::<Result<_, _>>()?,
            env,
            cwd: places.seen(&command.cwd)?,
            readable: access.readable,
            writable: access.writable,
            devices: access.devices,
            passed,
            proxy: (!limits.network.is_empty()).then_some(PROXY_PORT),
            open_files: u64::from(limits.open_files),
            file_bytes: limits.file_bytes,
            data_bytes: limits.memory_bytes.saturating_mul(DATA_NUMERATOR) / DATA_DENOMINATOR,
            // Outside a user namespace the kernel counts every process of the uid, the service's own included.
            tasks: match tier {
                Tier::Namespaces => Some(tasks),
                Tier::Landlock => None,
            },
            cpu_seconds: limits.cpu.map(|cpu| cpu.as_secs() + CPU_MARGIN),
        },
        watch: watch(limits, tasks),
        writable: command
            .mounts
            .into_iter()
            .filter(|mount| mount.writable)
            .map(|mount| mount.host)
            .collect(),
        own: match tier {
            Tier::Namespaces => own_file_systems(&policy, command.profile),
            Tier::Landlock => Vec::new(),
        },
        scratch,
        allowed: limits.network.clone(),
        logs: None,
    })
}

/// Where the namespaces have memory for files: see `walls`.
fn own_file_systems(policy: &Filesystem, profile: Profile) -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::from(SCRATCH_INSIDE)];
    match profile {
        Profile::Work => folders.push(PathBuf::from(&policy.shared_memory.path)),
        Profile::Strict => {}
    }
    folders
}

fn watch(limits: &Limits, tasks: u64) -> WatchLimits {
    WatchLimits {
        wall_ms: millis(limits.wall),
        grace_ms: millis(limits.grace),
        cpu_ms: limits.cpu.map(millis),
        memory_bytes: limits.memory_bytes,
        processes: limits.processes,
        tasks,
        output_kept: limits.output_bytes,
        output_total: limits.output_total,
        stall_ms: limits.stall.map(millis),
        disk_bytes: limits.disk_bytes,
        disk_files: u64::from(limits.disk_files),
        // `/tmp` and `/dev/shm`.
        scratch_bytes: limits.scratch_bytes.saturating_mul(2),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A word that can stand on a command line.
fn checked(word: OsString) -> Result<OsString, SandboxError> {
    if std::os::unix::ffi::OsStrExt::as_bytes(word.as_os_str()).contains(&0) {
        return Err(SandboxError::BadCommand("a word holds a zero byte".to_owned()));
    }
    Ok(word)
}
