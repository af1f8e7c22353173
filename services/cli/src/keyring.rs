//! The public keys that an audit trusts, from a file with one `stage = "key"` a line.

use crate::error::CliError;
use interlock_domain::{Keyring, Stage};
use std::collections::BTreeMap;
use std::path::Path;

/// Reads a keyring.
///
/// # Errors
/// The file is not there, or is no keyring.
pub fn read(path: &Path) -> Result<Keyring, CliError> {
    let text = std::fs::read_to_string(path).map_err(|source| CliError::Io {
        doing: format!("cannot read the keys in {}", path.display()),
        source,
    })?;
    let wrong = |why: String| CliError::Usage(format!("{} is no keyring: {why}", path.display()));
    let keys: BTreeMap<String, String> = toml::from_str(&text).map_err(|e| wrong(e.to_string()))?;
    let mut known = Vec::new();
    for (name, key) in &keys {
        let stage: Stage = name.parse().map_err(|_| wrong(format!("{name:?} is no stage")))?;
        known.push((stage, key.as_str()));
    }
    Keyring::new(known).map_err(|e| wrong(e.to_string()))
}
