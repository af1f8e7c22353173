//! What the client sends.

use interlock_model::{Client, Prompt, Protocol, Secret};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::replay::Replay;
use crate::scripts::{prompt, quick};

const OPENAI: &str = "HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"{}\"},\"finish_reason\":\"stop\"}]}\n\n\
    data: [DONE]\n\n";
const ANTHROPIC: &str = "HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\n\
    data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n\
    data: {\"type\":\"message_stop\"}\n\n";
const NO_JSON_MODE: &str = "HTTP/1.1 400 Bad Request\ncontent-type: application/json\n\n\
    {\"error\":\"'response_format.type' must be 'json_schema' or 'text'\"}";

async fn ask(client: &Client, prompt: &Prompt) -> u32 {
    let cancel = CancellationToken::new();
    client.complete(prompt, &cancel).await.unwrap().attempts
}

#[tokio::test]
async fn openai_requests_have_the_protocols_form() {
    let replay = Replay::new(&[OPENAI]).await;
    let mut config = quick(&replay.url, Protocol::OpenAi);
    config.api_key = Some(Secret::new("sk-1"));
    ask(&Client::new(config).unwrap(), &prompt()).await;
    let request = replay.requests().remove(0);
    assert!(request.head.starts_with("post /v1/chat/completions http/1.1"));
    assert!(request.head.contains("\r\nauthorization: bearer sk-1"));
    assert_eq!(
        request.body,
        json!({
            "model": "test-model",
            "messages": [
                {"role": "system", "content": prompt().system},
                {"role": "user", "content": prompt().user},
            ],
            "stream": true,
            "stream_options": {"include_usage": true},
            "max_tokens": 16384,
        })
    );
}

#[tokio::test]
async fn anthropic_requests_have_the_protocols_form() {
    let replay = Replay::new(&[ANTHROPIC]).await;
    let mut config = quick(&replay.url, Protocol::Anthropic);
    config.api_key = Some(Secret::new("sk-2"));
    let mut prompt = prompt();
    prompt.json = true;
    ask(&Client::new(config).unwrap(), &prompt).await;
    let request = replay.requests().remove(0);
    assert!(request.head.starts_with("post /v1/messages http/1.1"));
    assert!(request.head.contains("\r\nx-api-key: sk-2"));
    assert!(request.head.contains("\r\nanthropic-version: 2023-06-01"));
    assert!(!request.head.contains("authorization"));
    assert_eq!(
        request.body,
        json!({
            "model": "test-model",
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.user}],
            "stream": true,
            "max_tokens": 16384,
        })
    );
}

#[tokio::test]
async fn a_prompt_may_lower_the_output_limit_and_not_raise_it() {
    for (reply, protocol) in [(OPENAI, Protocol::OpenAi), (ANTHROPIC, Protocol::Anthropic)] {
        let replay = Replay::new(&[reply]).await;
        let mut config = quick(&replay.url, protocol);
        config.max_output_tokens = 100;
        let client = Client::new(config).unwrap();
        for (wish, sent) in [(None, 100), (Some(7), 7), (Some(101), 100)] {
            let prompt = Prompt {
                max_output_tokens: wish,
                ..prompt()
            };
            ask(&client, &prompt).await;
            let body = replay.requests().pop().unwrap().body;
            assert_eq!(body["max_tokens"], sent);
        }
    }
}

#[tokio::test]
async fn an_empty_system_text_and_a_missing_key_are_left_out() {
    for (reply, protocol) in [(OPENAI, Protocol::OpenAi), (ANTHROPIC, Protocol::Anthropic)] {
        let replay = Replay::new(&[reply]).await;
        let prompt = Prompt {
            system: String::new(),
            ..prompt()
        };
        ask(&Client::new(quick(&replay.url, protocol)).unwrap(), &prompt).await;
        let request = replay.requests().remove(0);
        assert!(!request.body.to_string().contains("system"));
        assert!(!request.head.contains("authorization") && !request.head.contains("x-api-key"));
    }
}

#[tokio::test]
async fn json_mode_is_asked_for_until_the_server_has_none() {
    let replay = Replay::new(&[OPENAI, NO_JSON_MODE, OPENAI]).await;
    let client = Client::new(quick(&replay.url, Protocol::OpenAi)).unwrap();
    let prompt = Prompt { json: true, ..prompt() };
    assert_eq!(ask(&client, &prompt).await, 1);
    assert_eq!(ask(&client, &prompt).await, 2);
    assert_eq!(ask(&client, &prompt).await, 1);
    let asked: Vec<bool> = replay
        .requests()
        .iter()
        .map(|request| request.body["response_format"]["type"] == "json_object")
        .collect();
    assert_eq!(asked, [true, true, false, false]);
}
