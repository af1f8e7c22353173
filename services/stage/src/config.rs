//! A service's configuration file, and the secrets that it names.
//!
//! One TOML file per service. Secrets stand in files of their own, never in the TOML.

use interlock_domain::signing::SignError;
use interlock_domain::{Keyring, Signer, Stage};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What every service needs, with the service's own table in `service`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config<S> {
    /// The broker.
    pub broker: Broker,
    /// Traces; absent for none.
    #[serde(default)]
    pub telemetry: Telemetry,
    /// Pieces of work at the same time, at least 1.
    #[serde(default = "one")]
    pub slots: usize,
    /// The service's own settings.
    pub service: S,
}

/// Where the broker is, and who we are to it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Broker {
    /// Address such as `nats://127.0.0.1:4222`.
    pub url: String,
    /// File with the stage's nkey seed.
    pub seed_file: PathBuf,
    /// File with every stage's public key.
    pub keyring_file: PathBuf,
}

/// Where traces go, and how much is logged.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Telemetry {
    /// OTLP/gRPC endpoint such as `http://127.0.0.1:4317`.
    pub otlp_endpoint: Option<String>,
    /// Filter such as `info` or `interlock_stage=debug`.
    pub log: Option<String>,
}

const fn one() -> usize {
    1
}

/// Why a service cannot be configured. Always a refusal: nothing changes by trying again.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file that is not of the expected form.
    #[error("{path} is not valid: {why}")]
    Invalid {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A key that cannot be used.
    #[error("the key in {path} cannot be used: {source}")]
    Key {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: SignError,
    },
    /// The command line.
    #[error("usage: {0} --config FILE")]
    Usage(String),
}

impl<S: DeserializeOwned> Config<S> {
    /// Reads the file that the command line names as `--config FILE`.
    pub fn from_args() -> Result<Self, ConfigError> {
        let mut args = std::env::args();
        let program = args.next().unwrap_or_else(|| "interlock".to_owned());
        match (args.next().as_deref(), args.next(), args.next()) {
            (Some("--config"), Some(path), None) => Self::load(Path::new(&path)),
            (_, _, _) => Err(ConfigError::Usage(program)),
        }
    }

    /// Reads and checks a configuration file.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let text = read(path)?;
        let config: Self = toml::from_str(&text).map_err(|e| invalid(path, e))?;
        if config.slots == 0 {
            return Err(invalid(path, "slots must be at least 1"));
        }
        Ok(config)
    }
}

impl Broker {
    /// The stage's own key.
    pub fn signer(&self, stage: Stage) -> Result<Signer, ConfigError> {
        let seed = self.seed()?;
        Signer::from_seed(stage, &seed).map_err(|source| ConfigError::Key {
            path: self.seed_file.clone(),
            source,
        })
    }

    /// The seed's text, for the connection's own handshake.
    pub fn seed(&self) -> Result<String, ConfigError> {
        Ok(read(&self.seed_file)?.trim().to_owned())
    }

    /// Everybody's public keys.
    pub fn keyring(&self) -> Result<Keyring, ConfigError> {
        let path = &self.keyring_file;
        let keys: BTreeMap<String, String> = toml::from_str(&read(path)?).map_err(|e| invalid(path, e))?;
        let mut known = Vec::new();
        for (name, key) in &keys {
            let stage: Stage = name.parse().map_err(|e| invalid(path, e))?;
            known.push((stage, key.as_str()));
        }
        Keyring::new(known).map_err(|source| ConfigError::Key {
            path: path.clone(),
            source,
        })
    }
}

fn read(path: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(path).map_err(|source| ConfigError::Read {
        path: path.to_owned(),
        source,
    })
}

fn invalid(path: &Path, why: impl ToString) -> ConfigError {
    ConfigError::Invalid {
        path: path.to_owned(),
        why: why.to_string(),
    }
}
