//! What a caller asks for: a program, what it may see, and how far it may go. Pure data; starts nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use interlock_domain::destination::Destination;
use serde::{Deserialize, Serialize};

/// How a program is confined. Stamped on every result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Own user, mount, process, network and IPC namespaces, with landlock and seccomp inside.
    Namespaces,
    /// Landlock, seccomp and resource limits only: for pods where user namespaces are closed.
    Landlock,
}

impl Tier {
    /// Every tier, the strongest first.
    pub const ALL: [Tier; 2] = [Tier::Namespaces, Tier::Landlock];

    /// The name used in configuration, records and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Tier::Namespaces => "namespaces",
            Tier::Landlock => "landlock",
        }
    }

    /// The tier with that name.
    pub fn from_name(name: &str) -> Option<Tier> {
        Tier::ALL.into_iter().find(|tier| tier.name() == name)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How much a program needs beside files and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Checks: no sockets at all, no shared memory, nothing executable in writable folders.
    Strict,
    /// Real runs: local sockets and `/dev/shm`, without which process pools hang.
    Work,
}

/// How far a program may go. Everything counts the whole tree of processes unless it says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Longest time from start to end.
    pub wall: Duration,
    /// Time between the polite and the final signal.
    pub grace: Duration,
    /// Most processor time, user and system together.
    pub cpu: Option<Duration>,
    /// Most resident memory. Pages shared between processes count once where the kernel tells.
    pub memory_bytes: u64,
    /// Most processes alive at the same time. Threads have a limit too, which leaves room for four of them per process
    /// and 512 more; to pass it is to pass this one.
    pub processes: u32,
    /// Most open descriptors of one process.
    pub open_files: u32,
    /// Largest single file.
    pub file_bytes: u64,
    /// How much of each of stdout and stderr is kept, half from the head and half from the tail.
    pub output_bytes: u64,
    /// Most bytes that may be written to stdout and stderr together before the run is ended.
    pub output_total: u64,
    /// Longest time without any output and with next to no processor time (under one percent).
    pub stall: Option<Duration>,
    /// Most bytes in all writable mounts together, as allocated on disk; temporary files count where they lie on disk
    /// (tier landlock).
    pub disk_bytes: u64,
    /// Most files and folders in all writable mounts together, and in each folder of temporary files.
    pub disk_files: u32,
    /// Size of each of `/tmp` and `/dev/shm`, where they are the sandbox's own (tier namespaces).
    pub scratch_bytes: u64,
    /// What it may reach over the network, through a proxy that it finds in its environment. Empty: nothing at all. Only in
    /// the tier namespaces and the profile work: landlock tells ports apart, but not hosts.
    pub network: Vec<Destination>,
}

impl Default for Limits {
    /// Room for one small check. Real runs say what they need.
    fn default() -> Limits {
        Limits {
            wall: Duration::from_secs(60),
            grace: Duration::from_secs(2),
            cpu: None,
            memory_bytes: 2 << 30,
            processes: 64,
            open_files: 1024,
            file_bytes: 1 << 30,
            output_bytes: 1 << 20,
            output_total: 1 << 30,
            stall: None,
            disk_bytes: 4 << 30,
            disk_files: 100_000,
            scratch_bytes: 256 << 20,
            network: Vec::new(),
        }
    }
}

/// A file or folder of the host that the program sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Where it lies on the host. Absolute; must exist.
    pub host: PathBuf,
    /// Where the program sees it (tier namespaces). Absolute, without `.` and `..`.
    pub inside: String,
    /// Whether the program may write there.
    pub writable: bool,
}

/// A word of a command line or the value of an environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// Passed on as it is.
    Text(OsString),
    /// A path as the sandbox sees it. Replaced by the host's path in the landlock tier, where nothing is remapped.
    Inside(String),
}

impl Arg {
    /// A plain word.
    pub fn text(word: impl Into<OsString>) -> Arg {
        Arg::Text(word.into())
    }

    /// A path inside the sandbox.
    pub fn inside(path: impl Into<String>) -> Arg {
        Arg::Inside(path.into())
    }
}

/// One program to run in the sandbox.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The program: an absolute path.
    pub program: Arg,
    /// Its arguments, without the program itself.
    pub args: Vec<Arg>,
    /// Its environment, beyond the few variables that every program gets (`policy/environment.json`).
    /// Nothing is inherited.
    pub env: BTreeMap<String, Arg>,
    /// The working folder, as the sandbox sees it.
    pub cwd: String,
    /// What it sees beside the system's own folders.
    pub mounts: Vec<Mount>,
    /// What kind of program it is.
    pub profile: Profile,
    /// How far it may go.
    pub limits: Limits,
    /// What it reads from stdin; `None` is an empty stdin.
    pub stdin: Option<Vec<u8>>,
}
