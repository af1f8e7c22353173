//! Tests of the pure core. The cases stand in `tests/cases`, one folder for each kind.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::type_complexity
)]

mod cases;
mod chain;
mod codec;
mod criteria;
mod exploration;
mod illegal;
mod illegal_results;
mod moves;
mod ownership;
mod paths;
mod plans;
mod samples;
mod search;
mod shadow;
mod signing;
mod state;
mod state_endings;
mod state_properties;
mod stations;
mod tasks;
mod wire;
