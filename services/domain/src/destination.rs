//! What a program may reach over the network: hosts and ports by name, and nothing without being named.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Longest name of a host (RFC 1035).
const MAX_HOST: usize = 253;

/// A host and a port.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Destination {
    host: String,
    port: u16,
}

/// Why a text names no destination.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} names no destination: {why}; write HOST:PORT, such as data.example.org:443")]
pub struct DestinationError {
    text: String,
    why: &'static str,
}

impl Destination {
    /// Its host, in lower case.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Its port.
    pub const fn port(&self) -> u16 {
        self.port
    }
}

impl FromStr for Destination {
    type Err = DestinationError;

    fn from_str(text: &str) -> Result<Self, DestinationError> {
        let wrong = |why| DestinationError {
            text: text.chars().take(MAX_HOST).collect(),
            why,
        };
        let (host, port) = text.rsplit_once(':').ok_or_else(|| wrong("it has no port"))?;
        let port = port.parse().ok().filter(|port| *port > 0);
        let port = port.ok_or_else(|| wrong("its port is no number from 1 to 65535"))?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-' || c == '_';
        if host.is_empty() || host.len() > MAX_HOST || !host.chars().all(is_plain) {
            return Err(wrong("its host is neither a name nor an IPv4 address"));
        }
        Ok(Self {
            host: host.trim_end_matches('.').to_ascii_lowercase(),
            port,
        })
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_a_host_with_a_port_is_a_destination() {
        for (text, is) in [
            ("PyPI.org:443", "pypi.org:443"),
            ("10.0.0.1:80", "10.0.0.1:80"),
            ("a_b.example.:1", "a_b.example:1"),
        ] {
            assert_eq!(text.parse::<Destination>().unwrap().to_string(), is);
        }
        let long = format!("{}:1", "a".repeat(254));
        for text in [
            "",
            ":1",
            "a",
            "a:",
            "a:0",
            "a:65536",
            "a:b",
            "*:443",
            "a b:1",
            "http://a:1",
            "[::1]:1",
            "a/b:1",
            &long,
        ] {
            let error = text.parse::<Destination>().unwrap_err();
            assert!(error.to_string().contains("HOST:PORT"), "{error}");
        }
    }
}
