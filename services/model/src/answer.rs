//! What goes to a model and what comes back.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// One question to the model.
#[derive(Clone, Default)]
pub struct Prompt {
    /// The system text; may be empty.
    pub system: String,
    /// The user's text; its first line is the request line.
    pub user: String,
    /// Tokens that this answer may have; never more than the configuration allows.
    pub max_output_tokens: Option<u32>,
    /// Ask for JSON where the protocol has a way to. A hint: the answer must be parsed all the same.
    /// The prompt must itself ask for JSON (OpenAI refuses JSON mode if the word is not there).
    pub json: bool,
}

/// Sizes only: prompts hold source code and do not belong in logs.
impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt")
            .field("system_bytes", &self.system.len())
            .field("user_bytes", &self.user.len())
            .field("max_output_tokens", &self.max_output_tokens)
            .field("json", &self.json)
            .finish()
    }
}

/// A whole answer: the server said how it ended. Its serde form is what is stored of a completed call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The text, possibly empty.
    pub text: String,
    /// How it ended. Only [`Finish::Complete`] is an answer that may be used.
    pub finish: Finish,
    /// Tokens of the exchange that succeeded; failed attempts before it are not in it.
    pub usage: Usage,
    /// The model as the server names it; the one asked for if it names none.
    pub model: String,
    /// Time from the call to the end of the answer, with all attempts and waits.
    pub latency: Duration,
    /// Exchanges that were made, from 1.
    pub attempts: u32,
}

/// How an answer ended, as the server said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finish {
    /// The model came to its end.
    Complete,
    /// The output limit cut it off.
    Truncated,
    /// The model or its provider declined; with what was said about it.
    Refused(String),
}

/// Tokens spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt, with those read from or written to a cache.
    pub input_tokens: u64,
    /// Tokens of the answer, with those of reasoning that is not shown.
    pub output_tokens: u64,
    /// The server reported no counts, or not both: what is missing is estimated from lengths, high
    /// rather than low.
    pub estimated: bool,
}
