//! `interlock`, the command line: a client of the gateway that can start a private stack to be a client of.
//!
//! It starts the same programs with the same credentials that a cluster has, and knows nothing that the gateway does
//! not tell it: what it shows comes from signed records. It never links a stage, and it is no side door into a run.

pub mod args;
pub mod audit;
pub mod client;
pub mod commands;
pub mod console;
pub mod error;
pub mod exit;
pub mod follow;
pub mod home;
pub mod keyring;
pub mod locate;
pub mod model;
pub mod notice;
pub mod progress;
pub mod report;
pub mod runs;
pub mod session;
pub mod signals;
pub mod stack;
pub mod task;
pub mod view;
