//! What the two protocols have in common: the request as far as it matters here, and a reply
//! rendered into frames. Must know nothing of faults; those are the body's business.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;

use crate::script::Finish;

/// The protocol a request came in by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    OpenAi,
    Anthropic,
}

/// The fields of a request, of either protocol, that a scripted model looks at.
#[derive(Debug, Deserialize)]
pub(crate) struct ChatRequest {
    pub(crate) model: String,
    pub(crate) messages: Vec<Message>,
    #[serde(default)]
    pub(crate) stream: bool,
    #[serde(default)]
    pub(crate) stream_options: StreamOptions,
    /// Anthropic refuses a request without it, and so does this server.
    pub(crate) max_tokens: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct StreamOptions {
    #[serde(default)]
    pub(crate) include_usage: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Message {
    role: String,
    content: Content,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(default)]
    text: String,
}

impl ChatRequest {
    /// The last user message, which is the one to answer.
    pub(crate) fn prompt(&self) -> String {
        self.messages
            .iter()
            .rev()
            .find(|message| message.role == "user")
            .map(|message| message.content.text())
            .unwrap_or_default()
    }

    fn input_bytes(&self) -> usize {
        self.messages.iter().map(|message| message.content.text().len()).sum()
    }
}

impl Content {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Parts(parts) => parts.iter().map(|part| part.text.as_str()).collect(),
        }
    }
}

/// What is to be said, before it takes a protocol's form.
pub(crate) struct Said<'a> {
    pub(crate) model: &'a str,
    pub(crate) text: &'a str,
    pub(crate) finish: Finish,
    pub(crate) input_tokens: usize,
    pub(crate) output_tokens: usize,
    pub(crate) include_usage: bool,
}

impl<'a> Said<'a> {
    pub(crate) fn new(request: &'a ChatRequest, text: &'a str, finish: Finish) -> Self {
        Self {
            model: &request.model,
            text,
            finish,
            // Four bytes a token: the usual estimate for English and code.
            input_tokens: request.input_bytes() / 4 + 1,
            output_tokens: text.len() / 4 + 1,
            include_usage: request.stream_options.include_usage,
        }
    }
}

/// A streamed reply, in the order of sending.
pub(crate) struct Frames {
    pub(crate) opening: Vec<Bytes>,
    pub(crate) content: Vec<Bytes>,
    pub(crate) closing: Vec<Bytes>,
}

impl Wire {
    pub(crate) fn frames(self, said: &Said<'_>, pieces: &[&str]) -> Frames {
        match self {
            Self::OpenAi => crate::openai::frames(said, pieces),
            Self::Anthropic => crate::anthropic::frames(said, pieces),
        }
    }

    pub(crate) fn whole(self, said: &Said<'_>) -> Value {
        match self {
            Self::OpenAi => crate::openai::whole(said),
            Self::Anthropic => crate::anthropic::whole(said),
        }
    }

    pub(crate) fn error(self, code: &str, message: &str) -> Value {
        match self {
            Self::OpenAi => crate::openai::error(code, message),
            Self::Anthropic => crate::anthropic::error(code, message),
        }
    }

    pub(crate) fn error_frame(self, code: &str) -> Bytes {
        let body = self.error(code, "the script says so");
        match self {
            Self::OpenAi => crate::openai::frame(&body),
            Self::Anthropic => crate::anthropic::frame("error", &body),
        }
    }
}
