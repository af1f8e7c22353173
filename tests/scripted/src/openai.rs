//! OpenAI chat completions, as the real servers send them: a first delta without content, a usage
//! chunk without choices, `[DONE]` at the end.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::script::Finish;
use crate::wire::{Frames, Said};

const ID: &str = "chatcmpl-scripted";

pub(crate) fn frame(data: &Value) -> Bytes {
    Bytes::from(format!("data: {data}\n\n"))
}

fn reason(finish: Finish) -> Option<&'static str> {
    match finish {
        // A refusal has a field of its own; the reason is an ordinary stop.
        Finish::Stop | Finish::Refusal => Some("stop"),
        Finish::Length => Some("length"),
        Finish::ContentFilter => Some("content_filter"),
        Finish::Unsaid => None,
    }
}

fn field(finish: Finish) -> &'static str {
    match finish {
        Finish::Refusal => "refusal",
        Finish::Stop | Finish::Length | Finish::ContentFilter | Finish::Unsaid => "content",
    }
}

fn usage(said: &Said<'_>) -> Value {
    json!({
        "prompt_tokens": said.input_tokens,
        "completion_tokens": said.output_tokens,
        "total_tokens": said.input_tokens + said.output_tokens,
    })
}

pub(crate) fn frames(said: &Said<'_>, pieces: &[&str]) -> Frames {
    let chunk = |delta: Value, reason: Option<&str>| {
        frame(&json!({
            "id": ID, "object": "chat.completion.chunk", "created": 0, "model": said.model,
            "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}],
            "usage": null,
        }))
    };
    let opening = vec![chunk(
        json!({"role": "assistant", "content": null, "refusal": null}),
        None,
    )];
    let content = pieces
        .iter()
        .map(|piece| chunk(json!({field(said.finish): piece}), None))
        .collect();
    let mut closing = Vec::new();
    if let Some(reason) = reason(said.finish) {
        closing.push(chunk(json!({}), Some(reason)));
        if said.include_usage {
            closing.push(frame(&json!({
                "id": ID, "object": "chat.completion.chunk", "created": 0, "model": said.model,
                "choices": [], "usage": usage(said),
            })));
        }
        closing.push(Bytes::from_static(b"data: [DONE]\n\n"));
    }
    Frames {
        opening,
        content,
        closing,
    }
}

pub(crate) fn whole(said: &Said<'_>) -> Value {
    let mut message = json!({"role": "assistant", "content": null, "refusal": null});
    if let Some(slot) = message.get_mut(field(said.finish)) {
        *slot = json!(said.text);
    }
    json!({
        "id": ID, "object": "chat.completion", "created": 0, "model": said.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason(said.finish)}],
        "usage": usage(said),
    })
}

pub(crate) fn error(code: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": code, "param": null, "code": code}})
}
