//! Anthropic messages, as the real API sends them: named events, a ping between, the stop reason
//! and the final usage in `message_delta`.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::script::Finish;
use crate::wire::{Frames, Said};

const ID: &str = "msg_scripted";

pub(crate) fn frame(event: &str, data: &Value) -> Bytes {
    Bytes::from(format!("event: {event}\ndata: {data}\n\n"))
}

fn reason(finish: Finish) -> Option<&'static str> {
    match finish {
        Finish::Stop => Some("end_turn"),
        Finish::Length => Some("max_tokens"),
        Finish::Refusal | Finish::ContentFilter => Some("refusal"),
        Finish::Unsaid => None,
    }
}

pub(crate) fn frames(said: &Said<'_>, pieces: &[&str]) -> Frames {
    let opening = vec![
        frame(
            "message_start",
            &json!({"type": "message_start", "message": {
                "id": ID, "type": "message", "role": "assistant", "model": said.model,
                "content": [], "stop_reason": null, "stop_sequence": null,
                "usage": {"input_tokens": said.input_tokens, "output_tokens": 1},
            }}),
        ),
        frame(
            "content_block_start",
            &json!({"type": "content_block_start", "index": 0,
                "content_block": {"type": "text", "text": ""}}),
        ),
        frame("ping", &json!({"type": "ping"})),
    ];
    let content = pieces
        .iter()
        .map(|piece| {
            let delta = json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "text_delta", "text": piece}});
            frame("content_block_delta", &delta)
        })
        .collect();
    let mut closing = vec![frame(
        "content_block_stop",
        &json!({"type": "content_block_stop", "index": 0}),
    )];
    if let Some(reason) = reason(said.finish) {
        closing.push(frame(
            "message_delta",
            &json!({"type": "message_delta",
                "delta": {"stop_reason": reason, "stop_sequence": null},
                "usage": {"output_tokens": said.output_tokens}}),
        ));
        closing.push(frame("message_stop", &json!({"type": "message_stop"})));
    }
    Frames {
        opening,
        content,
        closing,
    }
}

pub(crate) fn whole(said: &Said<'_>) -> Value {
    json!({
        "id": ID, "type": "message", "role": "assistant", "model": said.model,
        "content": [{"type": "text", "text": said.text}],
        "stop_reason": reason(said.finish), "stop_sequence": null,
        "usage": {"input_tokens": said.input_tokens, "output_tokens": said.output_tokens},
    })
}

pub(crate) fn error(code: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": code, "message": message}})
}
