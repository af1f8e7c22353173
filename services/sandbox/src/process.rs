//! The one place where a process is started. Whoever wants another one comes here, and starts with an empty
//! environment.

use std::path::Path;
use std::process::Command;

/// A command with nothing inherited but the working folder.
#[expect(
    clippy::disallowed_methods,
    reason = "the sandbox crate is the one that may start processes, and only here"
)]
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command
}
