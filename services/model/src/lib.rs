//! Model access: one prompt in, one whole answer or a typed error out. The only crate of Interlock
//! with an HTTP client, and the only owner of retries.
//!
//! What it must not do: interpret an answer (extraction is the generator's, checks are the
//! planner's), keep a budget, or hand out a partial answer as an answer.

mod answer;
mod anthropic;
mod client;
mod complaint;
mod config;
mod connect;
mod endpoint;
mod error;
mod exchange;
mod openai;
mod retry;
mod secret;
mod sse;
mod transcript;

pub use answer::{Answer, Finish, Prompt, Usage};
pub use client::Client;
pub use config::{ConfigError, ModelConfig, Protocol};
pub use error::ModelError;
pub use secret::Secret;
