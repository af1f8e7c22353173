//! Confines itself, then becomes the program. Runs inside bubblewrap in the tier namespaces, directly under the
//! supervisor in the landlock tier. A wall that cannot be put up ends everything: there is no weaker way.

pub(crate) mod canary;
mod confine;
mod filter;

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::wire::Launch;
use crate::{fds, process};

/// Written to the status pipe when all walls stand and the program comes next.
pub(crate) const READY: &str = "ready\n";
/// The argument with which the prober starts this binary as a program inside the sandbox.
pub(crate) const CANARY: &str = "canary";
/// Exit status when there is no program to report about. The supervisor goes by the status pipe, not by this.
const FAILED: u8 = 125;

/// What went wrong before the program ran.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchError {
    /// Called by hand, or by a supervisor of another version.
    #[error("usage: interlock-launcher SPEC-FD STATUS-FD; started by interlock-supervisor only")]
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
    fn wall(
        what: impl Into<String>,
    ) -> impl FnOnce(Box<dyn std::error::Error + Send + Sync>) -> LaunchError {
        let what = what.into();
        move |source| LaunchError::Wall { what, source }
    }
}

/// The launcher's whole life.
pub fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(CANARY) {
        return match canary::main() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("interlock-launcher: canary: {error}");
                ExitCode::from(FAILED)
            }
        };
    }
    let (spec, mut status) = match descriptors() {
        Ok(pair) => pair,
        Err(error) => {
            eprintln!("interlock-launcher: {error}");
            return ExitCode::from(FAILED);
        }
    };
    let message = match launch(spec, &mut status) {
        Ok(never_started) => format!("exec {never_started}"),
        Err(error) => format!("wall {error}"),
    };
    // The supervisor reads this instead of the exit status, which a program could imitate.
    let _ = status.write_all(message.as_bytes());
    ExitCode::from(FAILED)
}

fn descriptors() -> Result<(File, File), LaunchError> {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<i32>());
    let (Some(Ok(spec)), Some(Ok(status)), None) = (numbers.next(), numbers.next(), numbers.next()) else {
        return Err(LaunchError::Usage);
    };
    let spec = fds::adopt(spec).map_err(LaunchError::Spec)?;
    let status = fds::adopt(status).map_err(LaunchError::Spec)?;
    Ok((spec.into(), status.into()))
}

/// Puts up the walls and executes the program. Returns only if the program could not be executed.
fn launch(mut spec: File, status: &mut File) -> Result<std::io::Error, LaunchError> {
    let mut bytes = Vec::new();
    spec.read_to_end(&mut bytes).map_err(LaunchError::Spec)?;
    drop(spec);
    let launch: Launch = serde_json::from_slice(&bytes).map_err(|e| LaunchError::Spec(e.into()))?;
    fds::close_on_exec_from(3).map_err(|e| LaunchError::wall("closing inherited descriptors")(e.into()))?;

    let program = PathBuf::from(OsString::from(launch.program.clone()));
    let mut command = process::command(&program);
    command.args(launch.args.iter().cloned().map(OsString::from));
    command.envs(launch.env.iter().map(|(name, value)| (name, OsString::from(value.clone()))));

    confine::session(&launch)?;
    confine::privileges()?;
    confine::files(&launch)?;
    confine::limits(&launch)?;
    filter::install(&launch)?;
    status.write_all(READY.as_bytes()).map_err(|e| LaunchError::wall("status pipe")(e.into()))?;
    Ok(command.exec())
}
