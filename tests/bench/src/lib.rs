//! Measures what Interlock adds to a run beside the model, the checks and the program.
//!
//! Every number comes from the signed records of real runs on the real stack; the broker's share is measured beside
//! them, on the same machine and in the same minute.

pub mod broker;
pub mod example;
pub mod ledger;

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
    /// The broker, while appending.
    #[error(transparent)]
    Bus(#[from] interlock_stage::BusError),
}
