//! What the program's exit code says.

use std::process::ExitCode;

/// The ways in which a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done; for a run: accepted.
    Done,
    /// The run was refused, failed or cancelled; or an audit found something.
    NotAccepted,
    /// Wrong usage, or something is missing that the command needs.
    Setup,
    /// A human has to answer before the run goes on.
    Waiting,
    /// Interrupted by a signal.
    Interrupted,
}

impl Exit {
    /// The number that the shell sees.
    pub const fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::NotAccepted => 1,
            Exit::Setup => 2,
            Exit::Waiting => 3,
            // What shells answer for a program that SIGINT ended.
            Exit::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
