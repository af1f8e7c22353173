//! Tests against a real nats-server on loopback, with the real configuration and the real identities.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

mod bootstrap;
mod lab;
mod permissions;
mod server;
mod worker;
