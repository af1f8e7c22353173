//! One process per sandboxed program: starts it, watches it, ends it, reports once. It dies with its caller and takes
//! the whole tree along. It does not judge how the program ended.

mod capture;
mod cgroup;
mod disk;
mod end;
mod meter;
mod pipes;
mod proxy;
mod report;
mod request;
mod start;
mod tree;
mod watch;

use std::io;
use std::process::ExitCode;

use rustix::process::{DumpableBehavior, Signal};

use crate::command::Tier;
use crate::kernel;
use crate::wire::{self, Job, Kind};

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
enum SupervisorError {
    /// No readable job came in.
    #[error("no job: {0}")]
    Job(#[source] io::Error),
    /// The caller was gone before anything was started.
    #[error("the caller is gone")]
    Orphan,
    /// The program's first process could not be started.
    #[error("cannot start {what}: {source}")]
    Start {
        /// What was to be started.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// A system call that does not fail did.
    #[error("{0}")]
    System(#[from] io::Error),
}

/// The supervisor's whole life.
pub fn main() -> ExitCode {
    match supervise() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("interlock-supervisor: {error}");
            ExitCode::FAILURE
        }
    }
}

fn supervise() -> Result<(), SupervisorError> {
    kernel::close_on_exec_from(3)?;
    let mut input = io::stdin().lock();
    let job = wire::read_frame(&mut input, Kind::Job).map_err(SupervisorError::Job)?;
    let job: Job = serde_json::from_slice(&job).map_err(|e| SupervisorError::Job(e.into()))?;
    let stdin = wire::read_frame(&mut input, Kind::Stdin).map_err(SupervisorError::Job)?;
    drop(input);
    bind_to_caller(&job)?;
    // A single thread: the walls die with the thread that started them.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(report::run(job, stdin))
}

/// Makes this process the parent of every orphan below it, and its own life depend on the caller's.
fn bind_to_caller(job: &Job) -> Result<(), SupervisorError> {
    let system = |error: rustix::io::Errno| SupervisorError::System(error.into());
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).map_err(system)?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(system)?;
    // A pid namespace dies with bubblewrap, which dies with this process: certain death is best. Without one,
    // somebody has to be left to sweep.
    let signal = match job.tier {
        Tier::Namespaces => Signal::KILL,
        Tier::Landlock => Signal::TERM,
    };
    rustix::process::set_parent_process_death_signal(Some(signal)).map_err(system)?;
    if caller_lives(job) {
        Ok(())
    } else {
        Err(SupervisorError::Orphan)
    }
}

fn caller_lives(job: &Job) -> bool {
    let parent = rustix::process::getppid().and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok());
    parent == Some(job.parent)
}
