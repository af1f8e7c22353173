//! What a call leaves in traces: names, counts and kinds, never texts or keys.

use std::io;
use std::sync::{Arc, Mutex};

use interlock_model::{Client, ModelConfig, Prompt, Protocol, Secret};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tracing::instrument::WithSubscriber as _;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::scripts::Scripted;

#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl io::Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Everything that one call writes at the most talkative level, and its span when it closes.
async fn traced(config: ModelConfig) -> (String, Value) {
    let captured = Captured::default();
    let writer = captured.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(move || writer.clone())
        .finish();
    let client = Client::new(config).unwrap();
    let prompt = Prompt {
        system: "SYSTEM-TEXT".to_owned(),
        user: "# interlock request: plan attempt 1\nUSER-TEXT".to_owned(),
        ..Prompt::default()
    };
    let cancel = CancellationToken::new();
    // Whether it succeeds is in the span.
    drop(client.complete(&prompt, &cancel).with_subscriber(subscriber).await);
    let text = String::from_utf8(captured.0.lock().unwrap().clone()).unwrap();
    let span = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|line| line["fields"]["message"] == "close" && line["span"]["name"] == "model.call")
        .map(|line| line["span"].clone())
        .unwrap();
    (text, span)
}

#[tokio::test]
async fn a_call_is_a_span_with_the_agreed_names() {
    let scripted = Scripted::new("---\nstatus: 500\ntimes: 1\n---\nANSWER-TEXT").await;
    let mut config = scripted.config(Protocol::Anthropic);
    config.api_key = Some(Secret::new("KEY-TEXT"));
    let (text, span) = traced(config).await;
    assert_eq!(span["gen_ai.system"], "anthropic");
    assert_eq!(span["gen_ai.operation.name"], "chat");
    assert_eq!(span["gen_ai.request.model"], "test-model");
    assert_eq!(span["gen_ai.response.model"], "test-model");
    assert!(span["gen_ai.usage.input_tokens"].as_u64().unwrap() > 1);
    assert!(span["gen_ai.usage.output_tokens"].as_u64().unwrap() > 1);
    assert_eq!(span["server.address"], "127.0.0.1");
    assert_eq!(span["attempts"], 2);
    assert_eq!(span.get("error.type"), None);
    for hidden in ["SYSTEM-TEXT", "USER-TEXT", "ANSWER-TEXT", "KEY-TEXT"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
}

#[tokio::test]
async fn a_failed_call_says_so() {
    let scripted = Scripted::new("---\nstatus: 400\nmessage: UPSTREAM-TEXT\n---\n").await;
    let (text, span) = traced(scripted.config(Protocol::OpenAi)).await;
    assert_eq!(span["error.type"], "rejected");
    assert_eq!(span["otel.status_code"], "ERROR");
    assert_eq!(span["attempts"], 1);
    assert!(!text.contains("UPSTREAM-TEXT"));
}
