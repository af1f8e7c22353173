//! Model access: one prompt in, one whole answer or a typed error out. The only crate of Interlock
//! with an HTTP client, and the only owner of retries. Beside it stands what both of its users need:
//! the parts that prompts are made of, and the blocks that answers consist of.
//!
//! What it must not do: decide what an answer means (extraction is the generator's, checks are the
//! planner's), keep a budget, or hand out a partial answer as an answer.

mod answer;
mod anthropic;
mod briefing;
mod call;
mod client;
mod complaint;
mod config;
mod connect;
mod endpoint;
mod error;
mod exchange;
pub mod fences;
mod openai;
mod retry;
mod secret;
mod sse;
mod template;
mod transcript;

pub use answer::{Answer, Finish, Prompt, Usage};
pub use briefing::{Input, briefing, harness_modules};
pub use client::Client;
pub use config::{ConfigError, ModelConfig, Protocol};
pub use error::ModelError;
pub use secret::Secret;
pub use template::{TemplateError, fill};
