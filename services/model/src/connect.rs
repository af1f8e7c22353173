//! The one HTTP client: no redirects, no retries of its own, no proxy for loopback, one TLS provider.

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect;

use crate::Secret;
use crate::config::{ConfigError, ModelConfig, Protocol};
use crate::endpoint::Endpoint;

const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Builds the client that every exchange of one model goes through.
pub(crate) fn client(
    config: &ModelConfig,
    endpoint: &Endpoint,
    key: Option<&Secret>,
) -> Result<reqwest::Client, ConfigError> {
    // Fails only if somebody has installed a provider before, and then there is one.
    rustls::crypto::ring::default_provider().install_default().ok();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("interlock/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers(config.protocol, key)?)
        .connect_timeout(config.connect_timeout)
        // A redirect would carry prompt and key to a server that nobody configured.
        .redirect(redirect::Policy::none())
        // Retries have one owner, the loop in `client.rs`.
        .retry(reqwest::retry::never())
        // Every exchange ends its connection, so that a dropped one never confuses the next.
        .pool_max_idle_per_host(0);
    if endpoint.is_loopback() {
        builder = builder.no_proxy();
    }
    if endpoint.is_plain() {
        // No TLS will happen: images without CA certificates must work all the same.
        builder = builder.tls_certs_only([]);
        if key.is_some() && !endpoint.is_loopback() {
            tracing::warn!(host = endpoint.host, "the model key travels unencrypted");
        }
    }
    builder.build().map_err(|error| ConfigError::Http(error.to_string()))
}

fn headers(protocol: Protocol, key: Option<&Secret>) -> Result<HeaderMap, ConfigError> {
    let mut headers = HeaderMap::new();
    if protocol == Protocol::Anthropic {
        headers.insert(
            HeaderName::from_static("anthropic-version"),
            HeaderValue::from_static(ANTHROPIC_VERSION),
        );
    }
    if let Some(key) = key {
        if key.reveal().is_empty() {
            return Err(ConfigError::Key);
        }
        let (name, text) = match protocol {
            Protocol::OpenAi => (AUTHORIZATION, format!("Bearer {}", key.reveal())),
            Protocol::Anthropic => (HeaderName::from_static("x-api-key"), key.reveal().to_owned()),
        };
        let mut value = HeaderValue::from_str(&text).map_err(|_| ConfigError::Key)?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}
