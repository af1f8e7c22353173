//! The generator's parts without a bus: extraction, prompts, repairs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod cases;
mod prompts;
mod repairs;
mod scripted;
mod turns;
