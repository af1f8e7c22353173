//! The server over a real socket, by hand-written HTTP: what clients see, and what is counted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::path::Path;

use interlock_scripted::{Options, ScriptedServer};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

fn answers(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}

/// Sends one request and reads until the server closes: status, and head with body as they came.
async fn exchange(url: &str, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
    let address = url.strip_prefix("http://").unwrap().strip_suffix("/v1").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-type: application/json\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).await.ok();
    let reply = String::from_utf8_lossy(&reply).into_owned();
    (reply[9..12].parse().unwrap(), reply)
}

fn asks(line: &str, stream: bool) -> String {
    json!({"model": "m", "stream": stream, "max_tokens": 10,
        "stream_options": {"include_usage": true},
        "messages": [{"role": "system", "content": "s"},
                     {"role": "user", "content": format!("{line}\nmore")}]})
    .to_string()
}

async fn chat(server: &ScriptedServer, line: &str, stream: bool) -> (u16, String) {
    exchange(&server.url, "POST", "/v1/chat/completions", "", &asks(line, stream)).await
}

async fn message(server: &ScriptedServer, line: &str, stream: bool) -> (u16, String) {
    let headers = "anthropic-version: 2023-06-01\r\n";
    exchange(&server.url, "POST", "/v1/messages", headers, &asks(line, stream)).await
}

const PLAN: &str = "# interlock request: plan attempt 1";

#[tokio::test]
async fn both_protocols_serve_the_file_streamed_and_whole() {
    let dir = answers(&[("src/data.py.2.md", "x = 'é'\n"), ("plan.1.md", "{}")]);
    let server = ScriptedServer::start(dir.path()).await.unwrap();
    let line = "# interlock request: write src/data.py attempt 2 and anything";
    let (status, reply) = chat(&server, line, true).await;
    assert_eq!(status, 200);
    assert!(reply.contains(r#""content":"x = 'é'\n""#), "{reply}");
    assert!(reply.contains(r#""choices":[],"#), "{reply}");
    assert!(reply.contains("data: [DONE]"), "{reply}");
    let (status, reply) = message(&server, line, true).await;
    assert_eq!(status, 200);
    assert!(reply.contains("event: message_stop"), "{reply}");
    for (status, reply) in [chat(&server, line, false).await, message(&server, line, false).await] {
        assert_eq!(status, 200);
        assert!(reply.contains(r"x = 'é'\n"), "{reply}");
    }
    assert_eq!(chat(&server, PLAN, true).await.0, 200);
    assert_eq!(server.stats().completed("src/data.py.2"), 4);
    assert_eq!(server.stats().completed("plan.1"), 1);
}

#[tokio::test]
async fn an_incomplete_script_is_refused_with_the_file_it_lacks() {
    let dir = answers(&[("plan.1.md", "{}"), ("broken.1.md", "---\nstatsu: 500\n---\n")]);
    let server = ScriptedServer::start(dir.path()).await.unwrap();
    let (status, reply) = chat(&server, "# interlock request: plan attempt 2", true).await;
    assert_eq!(status, 400);
    assert!(reply.contains("plan.2.md"), "{reply}");
    let (status, reply) = chat(&server, "# interlock request: broken attempt 1", true).await;
    assert_eq!(status, 400);
    assert!(reply.contains("statsu"), "{reply}");
    for line in [
        "plan attempt 1",
        "# interlock request: plan",
        "# interlock request: plan attempt 0",
        "# interlock request: write ../../etc/passwd attempt 1",
        "# interlock request: write /etc/passwd attempt 1",
        "# interlock request: read a b attempt 1",
    ] {
        assert_eq!(chat(&server, line, true).await.0, 400, "{line}");
    }
    assert_eq!(server.stats().completed("plan.2"), 0);
    assert_eq!(server.stats().started("plan.2"), 1);
}

#[tokio::test]
async fn a_fault_with_times_passes() {
    let fault = "---\nstatus: 429\nretry_after: 7\ntimes: 2\n---\nfine";
    let dir = answers(&[("plan.1.md", fault)]);
    let server = ScriptedServer::start(dir.path()).await.unwrap();
    for _ in 0..2 {
        let (status, reply) = chat(&server, PLAN, true).await;
        assert_eq!(status, 429);
        assert!(reply.contains("retry-after: 7"), "{reply}");
    }
    assert_eq!(chat(&server, PLAN, true).await.0, 200);
    assert_eq!(server.stats().started("plan.1"), 3);
    assert_eq!(server.stats().completed("plan.1"), 1);
}

#[tokio::test]
async fn a_cut_answer_is_delivered_up_to_the_cut_and_never_counted() {
    let text = format!("---\ncut_after_bytes: 101\n---\n{}", "a".repeat(400));
    let dir = answers(&[("plan.1.md", &text)]);
    let server = ScriptedServer::start(dir.path()).await.unwrap();
    let (_, reply) = chat(&server, PLAN, true).await;
    let delivered = reply
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str::<Value>(data).unwrap())
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().map(str::len))
        .sum::<usize>();
    assert_eq!(delivered, 101);
    assert!(!reply.ends_with("0\r\n\r\n"), "the body must not end in order");
    assert_eq!(server.stats().completed("plan.1"), 0);
}

#[tokio::test]
async fn keys_and_models_are_checked_when_asked_for() {
    let dir = answers(&[("plan.1.md", "{}")]);
    let server = ScriptedServer::start_with(Options {
        answers: dir.path().to_owned(),
        api_key: Some("right".to_owned()),
        models: vec!["other".to_owned()],
        log: None,
    })
    .await
    .unwrap();
    let body = asks(PLAN, true);
    let path = "/v1/chat/completions";
    for (headers, expected) in [
        ("", 401),
        ("authorization: Bearer wrong\r\n", 401),
        ("authorization: Bearer right\r\n", 404),
    ] {
        let (status, _) = exchange(&server.url, "POST", path, headers, &body).await;
        assert_eq!(status, expected, "{headers}");
    }
    let (status, _) = exchange(&server.url, "POST", "/v1/messages", "x-api-key: right\r\n", &body).await;
    assert_eq!(status, 400, "without anthropic-version");
    let (status, models) = exchange(&server.url, "GET", "/v1/models", "", "").await;
    assert_eq!(status, 200);
    assert!(models.contains(r#""id":"other""#), "{models}");
}

#[tokio::test]
async fn counts_and_log_agree() {
    let dir = answers(&[("plan.1.md", "{}")]);
    let log = dir.path().join("log.jsonl");
    let server = ScriptedServer::start_with(Options {
        answers: dir.path().to_owned(),
        log: Some(log.clone()),
        ..Options::default()
    })
    .await
    .unwrap();
    chat(&server, PLAN, true).await;
    let (_, stats) = exchange(&server.url, "GET", "/stats", "", "").await;
    let counts: Value = serde_json::from_str(stats.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(
        counts,
        json!({"started": {"plan.1": 1}, "completed": {"plan.1": 1}, "abandoned": {}})
    );
    assert_log(&log, &["started", "completed"]);
}

fn assert_log(path: &Path, events: &[&str]) {
    let text = std::fs::read_to_string(path).unwrap();
    let seen: Vec<String> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["event"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(seen, events);
}

#[tokio::test]
async fn a_missing_folder_is_said_at_once() {
    let error = ScriptedServer::start("/nowhere/at/all").await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}
