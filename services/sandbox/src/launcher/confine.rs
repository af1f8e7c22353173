//! Session, privileges, landlock and resource limits, in the order in which they are applied. Each either holds or
//! is an error.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope,
};
use rustix::process::{Resource, Rlimit, Signal};
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::LaunchError;
use crate::command::{Profile, Tier};
use crate::wire::Launch;

/// The oldest landlock that confines signals and abstract sockets. Anything older is refused.
const REQUIRED: ABI = ABI::V6;
/// Makes the kernel choose the program, never the supervisor, when memory runs out. Half of the scale's 1000.
const OOM_SCORE: &str = "500";

/// Leaves the supervisor ten times the weight of any one process of the program, so that a bomb cannot starve it.
const NICE: i32 = 10;

/// Own session (no terminal), death with the supervisor, first victim when memory runs out.
pub(super) fn session(launch: &Launch) -> Result<(), LaunchError> {
    match launch.tier {
        // Bubblewrap has done both: --new-session, --die-with-parent.
        Tier::Namespaces => {}
        Tier::Landlock => {
            rustix::process::setsid().map_err(|e| LaunchError::wall("setsid")(e.into()))?;
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
                .map_err(|e| LaunchError::wall("parent death signal")(e.into()))?;
        }
    }
    // Helps, not walls.
    let _ = rustix::process::nice(NICE);
    let _ = std::fs::write("/proc/self/oom_score_adj", OOM_SCORE);
    rustix::process::chdir(&launch.cwd)
        .map_err(|e| LaunchError::wall(format!("working folder {}", launch.cwd.display()))(e.into()))
}

/// No capability is left, and none can come back.
pub(super) fn privileges() -> Result<(), LaunchError> {
    let held = rustix::thread::capabilities(None).map_err(|e| LaunchError::wall("capget")(e.into()))?;
    if held.effective.contains(CapabilitySet::SETPCAP) {
        for capability in CapabilitySet::all().iter() {
            // Capabilities that this kernel does not know cannot be dropped and need not be.
            let _ = rustix::thread::remove_capability_from_bounding_set(capability);
        }
    }
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(
        None,
        CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        },
    )
    .map_err(|e| LaunchError::wall("capset")(e.into()))?;
    rustix::thread::set_no_new_privs(true).map_err(|e| LaunchError::wall("no_new_privs")(e.into()))
}

/// Landlock: files, TCP, signals and abstract sockets.
pub(super) fn files(launch: &Launch) -> Result<(), LaunchError> {
    let created = ruleset().map_err(|e| LaunchError::wall("landlock")(e.into()))?;
    let read = AccessFs::from_read(REQUIRED);
    let mut write = AccessFs::from_all(REQUIRED)
        & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::MakeFifo | AccessFs::IoctlDev)
        | AccessFs::ResolveUnix;
    match launch.profile {
        Profile::Strict => write &= !(AccessFs::Execute | AccessFs::MakeSock),
        Profile::Work => {}
    }
    let device = AccessFs::ReadFile | AccessFs::WriteFile;
    let rules = (launch.readable.iter().map(|path| (path, read)))
        .chain(launch.writable.iter().map(|path| (path, write)))
        .chain(launch.devices.iter().map(|path| (path, device)))
        .chain(launch.passed.iter().map(|path| (path, device | AccessFs::IoctlDev)));
    let mut created = created.set_compatibility(CompatLevel::BestEffort);
    for (path, access) in rules {
        created = allow(created, path, access)?;
    }
    if let Some(port) = launch.proxy {
        let rule = NetPort::new(port, AccessNet::ConnectTcp);
        created = created
            .add_rule(rule)
            .map_err(|e| LaunchError::wall("landlock rule for the proxy")(e.into()))?;
    }
    let status = created
        .restrict_self()
        .map_err(|e| LaunchError::wall("landlock restrict")(e.into()))?;
    if status.no_new_privs {
        Ok(())
    } else {
        Err(LaunchError::wall("landlock")("not enforced".into()))
    }
}

fn ruleset() -> Result<RulesetCreated, landlock::RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(REQUIRED))?
        .handle_access(AccessNet::from_all(REQUIRED))?
        .scope(Scope::from_all(REQUIRED))?
        // Kernels from ABI 9 on also confine pathname sockets; older ones rely on the mount view or on seccomp.
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::ResolveUnix)?
        .create()
}

fn allow(ruleset: RulesetCreated, path: &PathBuf, access: BitFlags<AccessFs>) -> Result<RulesetCreated, LaunchError> {
    let fail = |e: Box<dyn std::error::Error + Send + Sync>| {
        LaunchError::wall(format!("landlock rule for {}", path.display()))(e)
    };
    let access = if Path::new(path).is_dir() {
        access
    } else {
        access & AccessFs::from_file(ABI::V9)
    };
    let fd = PathFd::new(path).map_err(|e| fail(e.into()))?;
    ruleset
        .add_rule(PathBeneath::new(fd, access))
        .map_err(|e| fail(e.into()))
}

/// Resource limits of each single process; the supervisor watches the tree.
pub(super) fn limits(launch: &Launch) -> Result<(), LaunchError> {
    let set = |what: &str, resource: Resource, value: u64| {
        let limit = Rlimit {
            current: Some(value),
            maximum: Some(value),
        };
        rustix::process::setrlimit(resource, limit).map_err(|e| LaunchError::wall(what)(e.into()))
    };
    set("core size", Resource::Core, 0)?;
    set("open files", Resource::Nofile, launch.open_files)?;
    set("file size", Resource::Fsize, launch.file_bytes)?;
    set("data size", Resource::Data, launch.data_bytes)?;
    if let Some(tasks) = launch.tasks {
        set("tasks", Resource::Nproc, tasks)?;
    }
    if let Some(seconds) = launch.cpu_seconds {
        set("cpu time", Resource::Cpu, seconds)?;
    }
    Ok(())
}
