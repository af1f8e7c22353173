//! Tests against a real nats-server on loopback, with the real configuration and the real identities.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

mod blobs;
mod bootstrap;
mod calls;
mod config;
mod crashes;
mod endings;
mod lab;
mod live;
mod permissions;
mod program;
mod proxy;
mod server;
mod traces;
mod worker;
mod workspaces;
