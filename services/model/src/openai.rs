//! OpenAI chat completions, the request and the stream: as OpenAI sends it, and as llama.cpp, vLLM,
//! LM Studio, Ollama and the large gateways do.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Prompt;
use crate::complaint::Complaint;
use crate::sse::Event;
use crate::transcript::{Ending, Fault, Step, Transcript};

/// The request, streamed, with usage.
pub(crate) fn request(model: &str, prompt: &Prompt, limit_field: &str, limit: u32, json_mode: bool) -> Value {
    let mut messages = Vec::new();
    if !prompt.system.is_empty() {
        messages.push(json!({"role": "system", "content": prompt.system}));
    }
    messages.push(json!({"role": "user", "content": prompt.user}));
    let mut body = json!({
        "model": model,
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
        (limit_field): limit,
    });
    if json_mode && let Some(fields) = body.as_object_mut() {
        fields.insert("response_format".to_owned(), json!({"type": "json_object"}));
    }
    body
}

#[derive(Deserialize)]
struct Chunk {
    model: Option<String>,
    choices: Option<Vec<Choice>>,
    usage: Option<Counts>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u32,
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

/// Fields that show a model's reasoning are left out: they are no part of the answer.
#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Counts {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

/// Takes one event into the transcript.
pub(crate) fn apply(event: &Event, transcript: &mut Transcript) -> Result<Step, Fault> {
    let data = event.data.trim();
    if data == "[DONE]" {
        return Ok(Step::End);
    }
    if data.is_empty() {
        return Ok(Step::More);
    }
    if event.name.as_deref() == Some("error") {
        return Err(Fault::Complaint(Complaint::from_body(data.as_bytes())));
    }
    let chunk: Chunk =
        serde_json::from_str(data).map_err(|error| Fault::Protocol(format!("an event that is no chunk: {error}")))?;
    if let Some(error) = chunk.error {
        return Err(Fault::Complaint(Complaint::from_json(&error)));
    }
    if let Some(model) = chunk.model.filter(|model| !model.is_empty()) {
        transcript.model = Some(model);
    }
    if let Some(counts) = chunk.usage {
        transcript.input_tokens = counts.prompt_tokens.or(transcript.input_tokens);
        transcript.output_tokens = counts.completion_tokens.or(transcript.output_tokens);
    }
    // One answer was asked for. The chunk with the usage has no choices at all.
    let first = chunk.choices.unwrap_or_default();
    for choice in first.into_iter().filter(|choice| choice.index == 0) {
        if let Some(delta) = choice.delta {
            transcript.say(delta.content.as_deref().unwrap_or_default())?;
            transcript.refuse(delta.refusal.as_deref().unwrap_or_default())?;
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            transcript.end(ending(&reason)?);
        }
    }
    Ok(Step::More)
}

fn ending(reason: &str) -> Result<Ending, Fault> {
    match reason {
        "stop" | "eos" | "end_turn" | "stop_sequence" => Ok(Ending::Complete),
        "length" | "max_tokens" | "model_length" => Ok(Ending::Truncated),
        "content_filter" => Ok(Ending::Refused(Some(reason.to_owned()))),
        // Gateways end a stream so when the server behind them broke.
        "error" => Err(Fault::Complaint(Complaint::default())),
        // Tools were not offered. What else there may be must not pass for a complete answer.
        _ => Err(Fault::Protocol(format!("finish reason {reason:?}"))),
    }
}
