//! The address of the model server, checked: where requests go, and nowhere else.

use std::net::IpAddr;

use reqwest::Url;

use crate::config::{ConfigError, Protocol};

/// The full address of the API call.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) url: Url,
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Endpoint {
    /// Checks the base URL and appends the protocol's path.
    pub(crate) fn new(base: &str, protocol: Protocol) -> Result<Self, ConfigError> {
        let wrong = |why: &str| ConfigError::Url {
            // A user part can hold a password; the rest is no secret.
            url: if base.contains('@') { "…@…" } else { base }.to_owned(),
            why: why.to_owned(),
        };
        let path = match protocol {
            Protocol::OpenAi => "chat/completions",
            Protocol::Anthropic => "messages",
        };
        let base_url = Url::parse(base).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(base_url.scheme(), "http" | "https") {
            return Err(wrong("neither http nor https"));
        }
        if !base_url.username().is_empty() || base_url.password().is_some() {
            return Err(wrong("keys go into api_key_file or api_key_env, not into the URL"));
        }
        if base_url.query().is_some() || base_url.fragment().is_some() {
            return Err(wrong("a base URL has no query and no fragment"));
        }
        let full = format!("{}/{path}", base_url.as_str().trim_end_matches('/'));
        let url = Url::parse(&full).map_err(|error| wrong(&error.to_string()))?;
        let host = url.host_str().ok_or_else(|| wrong("no host"))?.to_owned();
        let port = url.port_or_known_default().unwrap_or_default();
        Ok(Self { url, host, port })
    }

    /// On this machine, by its address or by the one name that always means it.
    pub(crate) fn is_loopback(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.url.scheme() == "http"
    }

    /// OpenAI's own servers refuse the old name of the output limit for their newer models; other
    /// servers know only the old one.
    pub(crate) fn output_limit_field(&self) -> &'static str {
        if self.host == "api.openai.com" {
            "max_completion_tokens"
        } else {
            "max_tokens"
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn endpoint(base: &str) -> Result<Endpoint, ConfigError> {
        Endpoint::new(base, Protocol::OpenAi)
    }

    #[test]
    fn the_path_is_appended_once() {
        for base in ["http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1/"] {
            let url = endpoint(base).unwrap().url;
            assert_eq!(url.as_str(), "http://127.0.0.1:1/v1/chat/completions");
        }
        let url = Endpoint::new("https://h/v1", Protocol::Anthropic).unwrap().url;
        assert_eq!(url.as_str(), "https://h/v1/messages");
    }

    #[test]
    fn what_is_no_base_url_is_refused() {
        for base in [
            "",
            "h/v1",
            "ftp://h",
            "file:///x",
            "https://u:p@h/v1",
            "http://h/?a=b",
            "http://h/#f",
        ] {
            assert!(matches!(endpoint(base), Err(ConfigError::Url { .. })), "{base}");
        }
        let error = endpoint("https://u:hunter2@h/v1").unwrap_err();
        assert!(!error.to_string().contains("hunter2"));
    }

    #[test]
    fn loopback_is_told_from_the_rest() {
        for (base, loopback) in [
            ("http://localhost/v1", true),
            ("http://127.8.9.1:80/v1", true),
            ("http://[::1]:8/v1", true),
            ("http://localhost.example.com/v1", false),
            ("http://10.0.0.1/v1", false),
        ] {
            assert_eq!(endpoint(base).unwrap().is_loopback(), loopback, "{base}");
        }
    }

    #[test]
    fn the_output_limit_has_two_names() {
        let field = |base| endpoint(base).unwrap().output_limit_field();
        assert_eq!(field("https://api.openai.com/v1"), "max_completion_tokens");
        assert_eq!(field("https://api.openai.com.example.org/v1"), "max_tokens");
    }
}
