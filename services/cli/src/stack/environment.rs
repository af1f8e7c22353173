//! What a service gets to see of our environment: named variables, never all of it.
//!
//! The model's key is not among them: it travels in a file that only two services are told of.

use std::ffi::OsString;

/// Passed on by name.
const NAMES: [&str; 19] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "TZ",
    "TMPDIR",
    "RUST_BACKTRACE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "INTERLOCK_CACHE",
];
/// Passed on by how the name begins: locale, folders, and where packages come from.
const BEGINNINGS: [&str; 4] = ["LC_", "XDG_", "UV_", "PIP_"];

/// The part of `all` that is passed on.
pub(super) fn passed_on(all: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    all.filter(|(name, _)| {
        name.to_str()
            .is_some_and(|name| NAMES.contains(&name) || BEGINNINGS.iter().any(|start| name.starts_with(start)))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_credentials_stay_here() {
        let pair = |name: &str| (OsString::from(name), OsString::from("x"));
        let all = [
            "PATH",
            "INTERLOCK_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "OPENAI_API_KEY",
            "LC_ALL",
            "UV_INDEX_URL",
        ];
        let passed: Vec<_> = passed_on(all.into_iter().map(pair))
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(passed, ["PATH", "LC_ALL", "UV_INDEX_URL"]);
    }
}
