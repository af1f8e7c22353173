//! Tests of the command line that need no stack. Whole runs are tested end to end, with the real services.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::type_complexity,
    clippy::disallowed_methods
)]

mod args;
mod audit;
mod causes;
mod exits;
mod fake;
mod gateway;
mod home;
mod pages;
mod places;
mod processes;
mod report;
mod standing;
mod tasks;
mod views;
mod views_text;

// The domain's own runs, signed with real keys, so that both crates' tests speak about the same ones.
#[allow(dead_code, reason = "the domain's tests use all of it, these a part")]
#[path = "../../../domain/tests/domain/chain.rs"]
mod chain;
#[allow(dead_code, reason = "the domain's tests use all of it, these a part")]
#[path = "../../../domain/tests/domain/moves.rs"]
mod moves;
#[allow(dead_code, reason = "the domain's tests use all of it, these a part")]
#[path = "../../../domain/tests/domain/samples.rs"]
mod samples;
#[allow(dead_code, reason = "the domain's tests use all of it, these a part")]
#[path = "../../../domain/tests/domain/stations.rs"]
mod stations;
