//! The configuration file, where the key comes from, and that it never gets out.

use std::io::Write as _;

use interlock_model::{Client, ConfigError, ModelConfig, Protocol, Secret};
use interlock_scripted::Options;

use crate::replay::Replay;
use crate::scripts::{Scripted, ask, quick};

const KEY: &str = "sk-very-secret";

#[test]
fn a_small_file_is_enough_and_a_full_one_is_read() {
    let config: ModelConfig = toml::from_str("url = 'http://h/v1'\nmodel = 'm'").unwrap();
    let defaults = ModelConfig::new("http://h/v1", "m");
    assert_eq!(format!("{config:?}"), format!("{defaults:?}"));
    let config: ModelConfig = toml::from_str(
        "url = 'http://h/v1'\nmodel = 'm'\nprotocol = 'anthropic'\nmax_output_tokens = 5\n\
         connect_timeout_seconds = 0.5\nstall_timeout_seconds = 2\ntotal_timeout_seconds = 3.0\n\
         max_attempts = 2\nretry_base_seconds = 0.1\nmax_retry_wait_seconds = 9\n\
         max_answer_bytes = 77\napi_key_env = 'K'\napi_key_file = '/k'",
    )
    .unwrap();
    assert_eq!(config.protocol, Protocol::Anthropic);
    assert_eq!(config.connect_timeout.as_millis(), 500);
    assert_eq!(config.max_answer_bytes, 77);
}

#[test]
fn mistakes_in_the_file_are_errors() {
    for wrong in [
        "api_key = 'sk-1'",
        "protocol = 'gemini'",
        "stall_timeout = 3",
        "stall_timeout_seconds = -1",
        "max_attempts = -1",
    ] {
        let text = format!("url = 'http://h/v1'\nmodel = 'm'\n{wrong}");
        assert!(toml::from_str::<ModelConfig>(&text).is_err(), "{wrong}");
    }
}

#[test]
fn values_that_cannot_work_are_refused() {
    for wrong in [
        "max_attempts = 0",
        "max_output_tokens = 0",
        "connect_timeout_seconds = 0",
        "stall_timeout_seconds = 0",
        "total_timeout_seconds = 0",
        "retry_base_seconds = 0",
        "max_retry_wait_seconds = 0",
        "max_answer_bytes = 0",
    ] {
        let text = format!("url = 'http://h/v1'\nmodel = 'm'\n{wrong}");
        let error = Client::new(toml::from_str(&text).unwrap()).unwrap_err();
        assert!(matches!(error, ConfigError::Empty(_)), "{wrong}: {error:?}");
    }
    let unnamed = Client::new(ModelConfig::new("http://h/v1", "")).unwrap_err();
    assert!(matches!(unnamed, ConfigError::Empty("model")));
    let no_url = Client::new(ModelConfig::new("h/v1", "m")).unwrap_err();
    assert!(matches!(no_url, ConfigError::Url { .. }));
}

#[tokio::test]
async fn the_key_comes_from_a_file() {
    let options = Options {
        api_key: Some(KEY.to_owned()),
        ..Options::default()
    };
    let scripted = Scripted::with("fine", options).await;
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "{KEY}").unwrap();
    let mut config = scripted.config(Protocol::OpenAi);
    config.api_key_file = Some(file.path().to_owned());
    assert_eq!(ask(config).await.unwrap().text, "fine");
}

#[test]
fn a_key_that_is_named_must_be_there() {
    let mut config = ModelConfig::new("http://h/v1", "m");
    config.api_key_env = Some("INTERLOCK_TEST_VARIABLE_THAT_IS_NOT_SET".to_owned());
    let error = Client::new(config.clone()).unwrap_err();
    assert!(matches!(error, ConfigError::KeyVariable(_)));
    config.api_key_file = Some("/nowhere/at/all".into());
    let error = Client::new(config.clone()).unwrap_err();
    assert!(matches!(error, ConfigError::KeyFile { .. }));
    for bad in ["", "two\nlines"] {
        config.api_key = Some(Secret::new(bad));
        assert!(matches!(Client::new(config.clone()), Err(ConfigError::Key)), "{bad:?}");
    }
}

#[tokio::test]
async fn the_key_is_never_shown() {
    // A server that quotes the key in its complaint.
    let quoting = format!("HTTP/1.1 400 Bad Request\n\n{{\"error\":{{\"message\":\"bad key {KEY}\"}}}}");
    for protocol in [Protocol::OpenAi, Protocol::Anthropic] {
        let replay = Replay::new(&[&quoting]).await;
        let mut config = quick(&replay.url, protocol);
        config.api_key = Some(Secret::new(KEY));
        let shown = format!("{config:?} {:?}", Client::new(config.clone()).unwrap());
        assert!(!shown.contains(KEY), "{shown}");
        let error = ask(config).await.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains("[key]") && !shown.contains(KEY), "{shown}");
    }
}
