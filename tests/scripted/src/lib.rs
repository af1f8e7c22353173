//! A model whose answers are files: the same HTTP protocols as the real ones, scripted answers, and
//! the faults that real servers show. Stands in for the model, and for nothing else; it never looks
//! at what a prompt says beyond its request line.
//!
//! See `README.md` for the form of requests and of answer files.

mod anthropic;
mod begun;
mod body;
mod handler;
mod key;
mod openai;
mod script;
mod server;
mod stats;
mod wire;

pub use key::{Key, KeyError};
pub use server::{Options, Scripted, ScriptedServer, serve};
pub use stats::{Counts, Stats};
