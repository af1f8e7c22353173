//! Measures what Interlock adds to a run beside the model, the checks and the program.
//!
//! Every number comes from the signed records of real runs on the real stack; the broker's share is measured beside
//! them, on the same machine and in the same minute. The verifier is measured beside what it replaces.
#![allow(clippy::disallowed_methods, reason = "what is measured is started and waited for")]

pub mod broker;
pub mod example;
pub mod ledger;
mod place;
pub mod project;
pub mod sandbox;
mod times;
pub mod verify;

/// Why there is no measurement.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A process or a file.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A run that did not end as it should.
    #[error("{task} ended with exit code {code:?}: {said}")]
    Run {
        /// Which task.
        task: String,
        /// Its exit code.
        code: Option<i32>,
        /// What it said.
        said: String,
    },
    /// The broker.
    #[error(transparent)]
    Service(#[from] interlock_stage::ServiceError),
    /// Something that has to be there first.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// What is measured did not do what it should.
    #[error("{0}")]
    Wrong(String),
    /// The sandbox.
    #[error(transparent)]
    Sandbox(#[from] interlock_sandbox::SandboxError),
    /// The environment.
    #[error(transparent)]
    Environment(#[from] interlock_sandbox::EnvironmentError),
    /// A check.
    #[error(transparent)]
    Check(#[from] interlock_verifier::toolbox::ToolError),
    /// The broker, while appending.
    #[error(transparent)]
    Bus(#[from] interlock_stage::BusError),
}
