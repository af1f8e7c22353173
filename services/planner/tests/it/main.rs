//! The planner without a broker: cases of answers, prompts, and the attempts against a scripted model.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod attempts;
mod cases;
mod prompts;
mod scripted;
