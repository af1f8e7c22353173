//! The client against real HTTP on loopback: scripted answers, replayed replies, TLS, proxies.
//! Tests assert kinds of errors and counts of requests, never wording.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

mod cancelling;
mod configuration;
mod endings;
mod environment;
mod faults;
mod replay;
mod replies;
mod requests;
mod scripts;
mod span;
