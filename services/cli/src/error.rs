//! Every error that can end a command, and the exit code that it ends with.

use crate::client::ClientError;
use crate::commands::export::ExportError;
use crate::exit::Exit;
use crate::home::HomeError;
use crate::locate::LocateError;
use crate::model::ModelError;
use crate::report::ReportError;
use crate::runs::WhichRun;
use crate::stack::StackError;
use crate::task::TaskFileError;

/// Why a command did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The state folder.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// A program or tool that is not there.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The task or a file that it names.
    #[error(transparent)]
    Task(#[from] TaskFileError),
    /// No model, or not the one that is needed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The local stack.
    #[error(transparent)]
    Stack(#[from] StackError),
    /// The gateway.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The run that was named.
    #[error(transparent)]
    Run(#[from] WhichRun),
    /// Files that could not be written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A report that could not be put together.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// What was asked for makes no sense as things stand.
    #[error("{0}")]
    Usage(String),
    /// It is understood, and cannot be done to the run as it stands.
    #[error("{0}")]
    NotNow(String),
    /// Something of the machine.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A signal came.
    #[error("interrupted")]
    Interrupted,
}

impl CliError {
    /// The exit code: a refusal by the gateway is an answer, everything else is a matter of set-up.
    pub fn exit(&self) -> Exit {
        match self {
            CliError::Client(error) if error.is_refusal() => Exit::NotAccepted,
            CliError::NotNow(_) => Exit::NotAccepted,
            CliError::Interrupted => Exit::Interrupted,
            CliError::Home(_)
            | CliError::Locate(_)
            | CliError::Task(_)
            | CliError::Model(_)
            | CliError::Stack(_)
            | CliError::Client(_)
            | CliError::Run(_)
            | CliError::Export(_)
            | CliError::Report(_)
            | CliError::Usage(_)
            | CliError::Io { .. } => Exit::Setup,
        }
    }
}
