//! Runs programs that nobody trusts, watches them from outside, and reports what was seen. The only crate that
//! starts processes. It decides nothing about what a result means.

mod command;
mod dialogue;
mod environment;
mod error;
pub mod exec;
mod kernel;
pub mod launcher;
mod machine;
mod observed;
mod plan;
mod policy;
mod process;
mod python;
mod results;
mod sandbox;
mod settings;
pub mod supervisor;
mod wire;

pub use command::{Arg, Command, Limits, Mount, Profile, Tier};
pub use dialogue::{ANSWERS, Asker, Listener, REQUESTS, dialogue};
pub use environment::{Environment, EnvironmentError, Environments, existing};
pub use error::SandboxError;
pub use machine::{MachineAnswer, probe_this_machine};
pub use observed::{Captured, End, LimitKind, Observed, Progress, STDERR, STDOUT};
pub use policy::system_paths;
pub use python::{ENVIRONMENT_INSIDE, PYTHON_INSIDE, PythonError, python_mounts};
pub use results::{Entry, EntryKind, Listing, ResultError, ResultFolder, remove_tree};
pub use sandbox::{CanaryReport, ProbeReport, Sandbox, SandboxConfig, TierReport};
pub use settings::{EnvironmentSettings, RunnerSettings, SandboxSettings};
