//! Confines itself, then becomes the program. Runs inside bubblewrap in the tier namespaces, directly under the
//! supervisor in the landlock tier. A wall that cannot be put up ends everything: there is no weaker way.

pub(crate) mod canary;
mod confine;
mod filter;
mod gate;
pub(crate) mod init;

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::wire::Launch;
use crate::{kernel, process};

/// Written to the status pipe when all walls stand and the program comes next.
pub(crate) const READY: &str = "ready\n";
/// What precedes the reason why the program could not be executed.
pub(crate) const NOT_STARTED: &str = "not started ";
/// What precedes the reason why a wall could not be put up.
pub(crate) const NO_WALL: &str = "no wall ";
/// The argument with which the prober starts this binary as a program inside the sandbox.
pub(crate) const CANARY: &str = "canary";
/// Exit status when there is no program to report about. The supervisor goes by the status pipe, not by this.
const FAILED: u8 = 125;

/// What went wrong before the program ran.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchError {
    /// Called by hand, or by a supervisor of another version.
    #[error("usage: interlock-launcher [init] SPEC-FD STATUS-FD; started by interlock-supervisor only")]
    Usage,
    /// The instructions could not be read.
    #[error("cannot read the launch instructions: {0}")]
    Spec(#[source] std::io::Error),
    /// A wall could not be put up.
    #[error("{what}: {source}")]
    Wall {
        /// Which one.
        what: String,
        /// What the system said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl LaunchError {
    fn wall(what: impl Into<String>) -> impl FnOnce(Box<dyn std::error::Error + Send + Sync>) -> LaunchError {
        let what = what.into();
        move |source| LaunchError::Wall { what, source }
    }
}

/// The launcher's whole life.
pub fn main() -> ExitCode {
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let first = words.first().and_then(|word| word.to_str()).unwrap_or_default();
    let done = if first == CANARY {
        canary::main().map_err(LaunchError::Spec)
    } else if first == init::INIT {
        words.remove(0);
        become_init(words)
    } else {
        become_program(words)
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("interlock-launcher: {error}");
            ExitCode::from(FAILED)
        }
    }
}

/// The descriptors that the words name: the job, the status pipe and, for a program with a network, the way to the proxy.
fn numbers(words: &[OsString]) -> Result<(i32, i32, Option<i32>), LaunchError> {
    let numbered = words
        .iter()
        .map(|word| word.to_str().and_then(|text| text.parse().ok()));
    let numbers: Vec<i32> = numbered.collect::<Option<_>>().ok_or(LaunchError::Usage)?;
    match numbers.as_slice() {
        [spec, status] => Ok((*spec, *status, None)),
        [spec, status, proxy] => Ok((*spec, *status, Some(*proxy))),
        _ => Err(LaunchError::Usage),
    }
}

fn become_init(words: Vec<OsString>) -> Result<(), LaunchError> {
    let (_, status, _) = numbers(&words)?;
    let mut pipe = File::from(kernel::adopt(status).map_err(LaunchError::Spec)?);
    init::main(words, &mut pipe).map_err(|error| LaunchError::wall("first process")(error.into()))
}

/// Returns only if the program could not be started.
fn become_program(words: Vec<OsString>) -> Result<(), LaunchError> {
    let (spec, status, proxy) = numbers(&words)?;
    let spec = File::from(kernel::adopt(spec).map_err(LaunchError::Spec)?);
    let mut status = File::from(kernel::adopt(status).map_err(LaunchError::Spec)?);
    let proxy = proxy.map(kernel::adopt).transpose().map_err(LaunchError::Spec)?;
    let message = match launch(spec, &mut status, proxy) {
        Ok(error) => format!("{NOT_STARTED}{error}\n"),
        Err(error) => format!("{NO_WALL}{error}\n"),
    };
    // The supervisor reads this instead of the exit status, which a program could imitate.
    status.write_all(message.as_bytes()).map_err(LaunchError::Spec)
}

/// Puts up the walls and executes the program. Returns only if the program could not be executed.
fn launch(mut spec: File, status: &mut File, proxy: Option<OwnedFd>) -> Result<std::io::Error, LaunchError> {
    let mut bytes = Vec::new();
    spec.read_to_end(&mut bytes).map_err(LaunchError::Spec)?;
    drop(spec);
    let launch: Launch = serde_json::from_slice(&bytes).map_err(|e| LaunchError::Spec(e.into()))?;
    kernel::close_on_exec_from(3).map_err(|e| LaunchError::wall("closing inherited descriptors")(e.into()))?;

    let program = PathBuf::from(OsString::from(launch.program.clone()));
    let mut command = process::command(&program);
    command.args(launch.args.iter().cloned().map(OsString::from));
    command.envs(
        launch
            .env
            .iter()
            .map(|(name, value)| (name, OsString::from(value.clone()))),
    );

    if let (Some(port), Some(channel)) = (launch.proxy, proxy) {
        gate::hand_out(port, &channel).map_err(|e| LaunchError::wall("the way to the proxy")(e.into()))?;
    }
    confine::session(&launch)?;
    confine::privileges()?;
    confine::files(&launch)?;
    confine::limits(&launch)?;
    filter::install(&launch)?;
    status
        .write_all(READY.as_bytes())
        .map_err(|e| LaunchError::wall("status pipe")(e.into()))?;
    Ok(command.exec())
}
