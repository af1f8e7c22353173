//! The one table of who may write, read and wake whom.
//!
//! The broker's configuration is generated from it, bootstrap makes streams and consumers from it,
//! the README's table is checked against it, and a test compares it with what the broker refuses.

use crate::stage::Stage;

/// The edges of the state machine: `to` is woken by `from`'s records, through a durable consumer.
/// There is none from the generator to the executor, and nobody but the gateway wakes the planner.
pub const EDGES: [(Stage, Stage); 12] = [
    (Stage::Gateway, Stage::Planner),
    (Stage::Gateway, Stage::Generator),
    (Stage::Gateway, Stage::Verifier),
    (Stage::Gateway, Stage::Executor),
    (Stage::Planner, Stage::Gateway),
    (Stage::Generator, Stage::Verifier),
    (Stage::Generator, Stage::Gateway),
    (Stage::Verifier, Stage::Generator),
    (Stage::Verifier, Stage::Executor),
    (Stage::Verifier, Stage::Gateway),
    (Stage::Executor, Stage::Generator),
    (Stage::Executor, Stage::Gateway),
];

/// Whose records a stage may read, to replay a run's chain.
/// The planner only ever acts while nobody but the gateway and itself has written.
pub const fn reads_records_of(reader: Stage) -> &'static [Stage] {
    match reader {
        Stage::Planner => &[Stage::Gateway, Stage::Planner],
        Stage::Generator | Stage::Verifier | Stage::Executor | Stage::Gateway => &Stage::ALL,
    }
}

/// Whose blobs a stage may read.
pub const fn reads_blobs_of(reader: Stage) -> &'static [Stage] {
    match reader {
        Stage::Planner => &[Stage::Gateway, Stage::Planner],
        Stage::Generator => &[Stage::Gateway, Stage::Generator],
        Stage::Verifier => &[Stage::Gateway, Stage::Generator, Stage::Verifier],
        Stage::Executor => &[Stage::Gateway, Stage::Generator, Stage::Executor],
        Stage::Gateway => &Stage::ALL,
    }
}

/// Whether a stage stores completed model calls, under `call.<stage>.<run>.<key>`.
pub const fn calls_model(stage: Stage) -> bool {
    matches!(stage, Stage::Planner | Stage::Generator)
}

/// Whether a stage may read sealed truth. The gateway stores it and cannot read it back.
pub const fn reads_sealed(stage: Stage) -> bool {
    matches!(stage, Stage::Executor)
}

/// Whether a stage may store sealed truth.
pub const fn writes_sealed(stage: Stage) -> bool {
    matches!(stage, Stage::Gateway)
}

/// Whether a stage may write the control lane.
pub const fn writes_controls(stage: Stage) -> bool {
    matches!(stage, Stage::Gateway)
}

/// Whether a stage tells what a running program is doing: signs of life and output, which are no records and prove nothing.
pub const fn tells_live(stage: Stage) -> bool {
    matches!(stage, Stage::Executor)
}

/// Whether a stage hears what running programs are doing.
pub const fn hears_live(stage: Stage) -> bool {
    matches!(stage, Stage::Gateway)
}

/// The stream that holds a stage's records (and the gateway's controls).
pub fn record_stream(stage: Stage) -> String {
    format!("EVT_{}", stage.upper())
}

/// The stream that holds a stage's blobs and model calls.
pub fn blob_stream(stage: Stage) -> String {
    format!("BLOB_{}", stage.upper())
}

/// The stream that holds sealed truth.
pub const SEALED_STREAM: &str = "SEALED";

/// The durable consumer on `from`'s stream that wakes `to`.
pub fn consumer(to: Stage) -> &'static str {
    to.name()
}

/// The stages whose records wake `to`.
pub fn wakers(to: Stage) -> impl Iterator<Item = Stage> {
    EDGES
        .into_iter()
        .filter(move |(_, woken)| *woken == to)
        .map(|(from, _)| from)
}
