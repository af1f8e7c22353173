//! The configuration of model access, as it stands in a service's TOML file, and its defaults.
//! The key is never in that file: it comes from another file or from the environment.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use thiserror::Error;

use crate::Secret;

/// Which API the server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Chat completions, as OpenAI and most local servers have them.
    #[default]
    OpenAi,
    /// Anthropic messages.
    Anthropic,
}

/// Where the model is, and how long, how often and how much.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Base of the API, with its version: `http://127.0.0.1:1234/v1`.
    pub url: String,
    /// The model's name as the server knows it.
    pub model: String,
    /// The key itself, if the program has it; takes precedence over the two sources below.
    #[serde(skip)]
    pub api_key: Option<Secret>,
    /// A file that holds the key and nothing else.
    #[serde(default)]
    pub api_key_file: Option<PathBuf>,
    /// An environment variable that holds the key.
    #[serde(default)]
    pub api_key_env: Option<String>,
    /// The API that the server speaks.
    #[serde(default)]
    pub protocol: Protocol,
    /// Upper bound of one answer, in tokens.
    #[serde(default = "default_output_tokens")]
    pub max_output_tokens: u32,
    /// Time to reach the server, TLS included.
    #[serde(
        default = "default_connect",
        rename = "connect_timeout_seconds",
        deserialize_with = "seconds"
    )]
    pub connect_timeout: Duration,
    /// An exchange in which no byte arrives for this long is given up. Local servers read the whole
    /// prompt before their first byte.
    #[serde(
        default = "default_stall",
        rename = "stall_timeout_seconds",
        deserialize_with = "seconds"
    )]
    pub stall_timeout: Duration,
    /// Time for the whole call: every attempt and every wait in between.
    #[serde(
        default = "default_total",
        rename = "total_timeout_seconds",
        deserialize_with = "seconds"
    )]
    pub total_timeout: Duration,
    /// Exchanges per call, from 1.
    #[serde(default = "default_attempts")]
    pub max_attempts: u32,
    /// Base of the exponential wait between attempts.
    #[serde(
        default = "default_retry_base",
        rename = "retry_base_seconds",
        deserialize_with = "seconds"
    )]
    pub retry_base: Duration,
    /// Longest wait between two attempts. A server that asks for more ends the call.
    #[serde(
        default = "default_retry_wait",
        rename = "max_retry_wait_seconds",
        deserialize_with = "seconds"
    )]
    pub max_retry_wait: Duration,
    /// An answer with more bytes of text than this is given up.
    #[serde(default = "default_answer_bytes")]
    pub max_answer_bytes: usize,
}

/// Why there can be no client with this configuration.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// Not an http(s) URL with a host and without user, query or fragment.
    #[error("model url {url:?}: {why}")]
    Url {
        /// The value.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// A value that must be more than zero is zero, or a name is empty.
    #[error("model configuration: {0} must not be empty or zero")]
    Empty(&'static str),
    /// The key's file cannot be read.
    #[error("model key file {path}: {source}", path = path.display())]
    KeyFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The key's environment variable is not set, or is not text.
    #[error("model key: environment variable {0} is not set")]
    KeyVariable(String),
    /// The key is empty or holds characters that no header may hold.
    #[error("the model key is empty or not a header value")]
    Key,
    /// The TLS set-up failed, for lack of CA certificates for example.
    #[error("no HTTP client: {0}")]
    Http(String),
}

impl ModelConfig {
    /// The defaults, for this server and model.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            model: model.into(),
            api_key: None,
            api_key_file: None,
            api_key_env: None,
            protocol: Protocol::default(),
            max_output_tokens: default_output_tokens(),
            connect_timeout: default_connect(),
            stall_timeout: default_stall(),
            total_timeout: default_total(),
            max_attempts: default_attempts(),
            retry_base: default_retry_base(),
            max_retry_wait: default_retry_wait(),
            max_answer_bytes: default_answer_bytes(),
        }
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let positive = [
            ("model", !self.model.is_empty()),
            ("max_output_tokens", self.max_output_tokens > 0),
            ("connect_timeout_seconds", !self.connect_timeout.is_zero()),
            ("stall_timeout_seconds", !self.stall_timeout.is_zero()),
            ("total_timeout_seconds", !self.total_timeout.is_zero()),
            ("max_attempts", self.max_attempts > 0),
            ("retry_base_seconds", !self.retry_base.is_zero()),
            ("max_retry_wait_seconds", !self.max_retry_wait.is_zero()),
            ("max_answer_bytes", self.max_answer_bytes > 0),
        ];
        match positive.into_iter().find(|(_, holds)| !holds) {
            Some((name, _)) => Err(ConfigError::Empty(name)),
            None => Ok(()),
        }
    }

    /// The key from wherever it is to come from; `None` if no source is named.
    pub(crate) fn key(&self) -> Result<Option<Secret>, ConfigError> {
        if let Some(key) = &self.api_key {
            return Ok(Some(key.clone()));
        }
        if let Some(path) = &self.api_key_file {
            let text = std::fs::read_to_string(path).map_err(|source| ConfigError::KeyFile {
                path: path.clone(),
                source,
            })?;
            return Ok(Some(Secret::new(text.trim())));
        }
        if let Some(name) = &self.api_key_env {
            let text = std::env::var(name).map_err(|_| ConfigError::KeyVariable(name.to_owned()))?;
            return Ok(Some(Secret::new(text.trim())));
        }
        Ok(None)
    }
}

fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    Duration::try_from_secs_f64(seconds).map_err(serde::de::Error::custom)
}

// A long source file has some 5,000 tokens; what reasoning models think counts as well.
fn default_output_tokens() -> u32 {
    16_384
}

fn default_connect() -> Duration {
    Duration::from_secs(10)
}

fn default_stall() -> Duration {
    Duration::from_secs(120)
}

fn default_total() -> Duration {
    Duration::from_secs(900)
}

fn default_attempts() -> u32 {
    5
}

fn default_retry_base() -> Duration {
    Duration::from_millis(500)
}

fn default_retry_wait() -> Duration {
    Duration::from_secs(60)
}

// Far above any source file, far below the broker's message limit of 1 MiB.
fn default_answer_bytes() -> usize {
    512 * 1024
}
