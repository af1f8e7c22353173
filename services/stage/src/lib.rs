//! Turns a handler into a service: bus, work loop, configuration, telemetry, shutdown, blobs.
//!
//! Knows nothing of what a stage does. The only user of the broker's client library.

pub mod blobs;
pub mod broker;
pub mod bus;
pub mod chain;
pub mod config;
pub mod given;
mod live;
mod memory;
mod once;
pub mod run;
pub mod shutdown;
pub mod telemetry;
pub mod work;
mod worker;
pub mod workspace;

pub use bus::{Bus, BusError};
pub use chain::{Chain, ChainError};
pub use config::Config;
pub use given::Given;
pub use once::{OnceError, once};
pub use run::{Service, ServiceError, connect};
pub use work::{Handler, Work, WorkError};
