//! Anthropic messages, the request and the stream.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Prompt;
use crate::complaint::Complaint;
use crate::sse::Event;
use crate::transcript::{Ending, Fault, Step, Transcript};

/// The request, streamed. There is no JSON mode; the prompt has to ask for JSON.
pub(crate) fn request(model: &str, prompt: &Prompt, limit: u32) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": limit,
        "messages": [{"role": "user", "content": prompt.user}],
        "stream": true,
    });
    if !prompt.system.is_empty()
        && let Some(fields) = body.as_object_mut()
    {
        fields.insert("system".to_owned(), json!(prompt.system));
    }
    body
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Data {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        content_block: Block,
    },
    ContentBlockDelta {
        delta: BlockDelta,
    },
    MessageDelta {
        delta: Stop,
        usage: Option<Counts>,
    },
    MessageStop,
    Error {
        error: Value,
    },
    /// `ping`, `content_block_stop`, and what newer versions add: the API reserves that right.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Start {
    model: Option<String>,
    usage: Option<Counts>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    /// Thinking and tools: no part of the answer.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BlockDelta {
    TextDelta {
        text: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Stop {
    stop_reason: Option<String>,
    stop_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    explanation: Option<String>,
}

#[derive(Deserialize)]
struct Counts {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Counts {
    /// All tokens of the prompt: what went through a cache is counted apart from the rest.
    fn input(&self) -> Option<u64> {
        let cached = self.cache_creation_input_tokens.unwrap_or(0) + self.cache_read_input_tokens.unwrap_or(0);
        self.input_tokens.map(|fresh| fresh + cached)
    }
}

/// Takes one event into the transcript.
pub(crate) fn apply(event: &Event, transcript: &mut Transcript) -> Result<Step, Fault> {
    let data = serde_json::from_str(&event.data)
        .map_err(|error| Fault::Protocol(format!("an event that cannot be read: {error}")))?;
    match data {
        Data::MessageStart { message } => {
            transcript.model = message.model;
            // The output count of this event is only the beginning of one.
            transcript.input_tokens = message.usage.and_then(|counts| counts.input());
        }
        Data::ContentBlockStart {
            content_block: Block::Text { text },
        }
        | Data::ContentBlockDelta {
            delta: BlockDelta::TextDelta { text },
        } => transcript.say(&text)?,
        Data::MessageDelta { delta, usage } => {
            if let Some(counts) = usage {
                transcript.input_tokens = counts.input().or(transcript.input_tokens);
                transcript.output_tokens = counts.output_tokens.or(transcript.output_tokens);
            }
            if let Some(reason) = delta.stop_reason {
                let explanation = delta.stop_details.and_then(|details| details.explanation);
                transcript.end(ending(&reason, explanation)?);
            }
        }
        Data::MessageStop => return Ok(Step::End),
        Data::Error { error } => return Err(Fault::Complaint(Complaint::from_json(&error))),
        Data::ContentBlockStart {
            content_block: Block::Other,
        }
        | Data::ContentBlockDelta {
            delta: BlockDelta::Other,
        }
        | Data::Other => {}
    }
    Ok(Step::More)
}

fn ending(reason: &str, explanation: Option<String>) -> Result<Ending, Fault> {
    match reason {
        "end_turn" | "stop_sequence" => Ok(Ending::Complete),
        "max_tokens" | "model_context_window_exceeded" => Ok(Ending::Truncated),
        "refusal" => Ok(Ending::Refused(Some(explanation.unwrap_or_else(|| reason.to_owned())))),
        // Tools were not offered. What else there may be must not pass for a complete answer.
        _ => Err(Fault::Protocol(format!("stop reason {reason:?}"))),
    }
}
