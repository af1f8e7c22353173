//! A service's configuration: what is accepted, and what a refusal names.

use crate::server::Server;
use interlock_domain::Stage;
use interlock_stage::config::{Broker, Config};
use serde::Deserialize;
use std::path::Path;

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Own {
    greeting: String,
}

const GOOD: &str = r#"
slots = 3
[broker]
url = "nats://127.0.0.1:4222"
seed_file = "planner.nk"
keyring_file = "keyring.toml"
[telemetry]
otlp_endpoint = "http://127.0.0.1:4317"
[service]
greeting = "hello"
"#;

fn load(dir: &Path, text: &str) -> Result<Config<Own>, String> {
    let file = dir.join("planner.toml");
    std::fs::write(&file, text).unwrap();
    Config::load(&file).map_err(|e| e.to_string())
}

#[test]
fn what_is_said_is_what_is_meant() {
    let dir = tempfile::tempdir().unwrap();
    let config = load(dir.path(), GOOD).unwrap();
    assert_eq!(config.slots, 3);
    assert_eq!(config.service.greeting, "hello");
    assert_eq!(config.telemetry.otlp_endpoint.as_deref(), Some("http://127.0.0.1:4317"));
    let least = GOOD.replace("slots = 3", "");
    assert_eq!(load(dir.path(), &least).unwrap().slots, 1);
}

#[test]
fn a_mistake_is_named_with_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        ("slots = 3", "slots = 0", "slots must be at least 1"),
        ("slots = 3", "slot = 3", "unknown field `slot`"),
        ("slots = 3", "slots = -1", "slots"),
        ("seed_file", "seed", "unknown field `seed`"),
        ("greeting", "greetings", "unknown field `greetings`"),
        ("otlp_endpoint", "endpoint", "unknown field `endpoint`"),
        ("url = \"nats://127.0.0.1:4222\"\n", "", "missing field `url`"),
        ("[service]", "[[service]", "planner.toml is not valid"),
    ];
    for (from, to, says) in cases {
        let error = load(dir.path(), &GOOD.replacen(from, to, 1)).unwrap_err();
        assert!(error.contains(says) && error.contains("planner.toml"), "{to}: {error}");
    }
    let error = Config::<Own>::load(&dir.path().join("none.toml")).unwrap_err();
    assert!(error.to_string().contains("none.toml"), "{error}");
}

#[tokio::test]
async fn keys_are_read_and_bad_ones_named() {
    let server = Server::bare().await;
    let broker = server.broker(Stage::Planner);
    assert_eq!(
        broker.signer(Stage::Planner).unwrap().public_key(),
        server.identities.public(Stage::Planner)
    );
    broker.keyring().unwrap();
    let dir = server.dir();
    let with = |seed: &str, keyring: &str| {
        std::fs::write(dir.join("seed"), seed).unwrap();
        std::fs::write(dir.join("ring.toml"), keyring).unwrap();
        Broker {
            url: server.url.clone(),
            seed_file: dir.join("seed"),
            keyring_file: dir.join("ring.toml"),
        }
    };
    let good = server.identities.public(Stage::Planner);
    let error = with("SUNOSEED", "").signer(Stage::Planner).unwrap_err().to_string();
    assert!(error.contains("seed") && !error.contains("SUNOSEED"), "{error}");
    for keyring in [
        format!("plannner = \"{good}\"\n"),
        "planner = \"UNOKEY\"\n".to_owned(),
        "planner = 7\n".to_owned(),
        "planner".to_owned(),
    ] {
        let error = with("", &keyring).keyring().unwrap_err().to_string();
        assert!(error.contains("ring.toml"), "{keyring}: {error}");
    }
}
