//! The configuration file of each service, as the service itself reads it.
//!
//! Holds paths and addresses only; every secret stands in a file that is named here.

use super::runner;
use crate::home::{Home, HomeError, write_secret};
use crate::locate::{Env, LocateError, Locator};
use crate::model::{Endpoint, ModelChoice};
use interlock_domain::Stage;
use serde::Serialize;
use std::path::PathBuf;

#[cfg(test)]
mod tests;

/// Pieces of work that a service takes on at the same time.
const SLOTS: usize = 4;
/// The model's name when answers are scripted; the scripted model answers to every name.
const SCRIPTED: &str = "scripted";

/// What every service is told.
#[derive(Debug, Serialize)]
struct File<S> {
    slots: usize,
    broker: Broker,
    #[serde(skip_serializing_if = "Option::is_none")]
    telemetry: Option<Telemetry>,
    service: S,
}

#[derive(Debug, Serialize)]
struct Broker {
    url: String,
    seed_file: PathBuf,
    keyring_file: PathBuf,
}

#[derive(Debug, Serialize)]
struct Telemetry {
    #[serde(skip_serializing_if = "Option::is_none")]
    otlp_endpoint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<String>,
}

#[derive(Debug, Serialize)]
struct Gateway {
    listen: String,
    addr_file: PathBuf,
    token_file: PathBuf,
}

#[derive(Debug, Serialize)]
struct Asking {
    model: Model,
}

#[derive(Debug, Serialize)]
struct Model {
    url: String,
    model: String,
    protocol: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    api_key_file: Option<PathBuf>,
}

/// Why a service cannot be configured.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The state folder.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// A program or tool that is missing.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// A value that no TOML file can hold, such as a path that is not text.
    #[error("the configuration of {0} cannot be written: {1}")]
    Text(Stage, toml::ser::Error),
}

/// Where the gateway leaves its address.
pub(super) fn address_file(home: &Home) -> PathBuf {
    home.path("run/gateway.addr")
}

/// Writes the services' files.
pub(super) struct Writer<'a> {
    /// Where they go.
    pub home: &'a Home,
    /// Where programs are.
    pub locator: &'a Locator<'a>,
    /// The environment.
    pub env: Env<'a>,
    /// The broker's address.
    pub broker: &'a str,
}

impl Writer<'_> {
    /// The gateway's, listening at `listen`.
    pub(super) fn gateway(&self, listen: &str) -> Result<PathBuf, ConfigError> {
        let service = Gateway {
            listen: listen.to_owned(),
            addr_file: address_file(self.home),
            token_file: self.home.token_file(),
        };
        self.write(Stage::Gateway, Stage::Gateway.name(), service)
    }

    /// That of a stage that asks the model, which is at `url`.
    pub(super) fn asking(&self, stage: Stage, model: &ModelChoice, url: &str) -> Result<PathBuf, ConfigError> {
        let model = match model {
            ModelChoice::Scripted(_) => Model {
                url: url.to_owned(),
                model: SCRIPTED.to_owned(),
                protocol: "openai".to_owned(),
                api_key_file: None,
            },
            ModelChoice::Endpoint(endpoint) => Model {
                url: url.to_owned(),
                model: endpoint.model.clone(),
                protocol: endpoint.protocol.clone(),
                api_key_file: self.key_file(endpoint)?,
            },
        };
        self.write(stage, stage.name(), Asking { model })
    }

    /// That of a stage that runs programs; each of its replicas has a name, and files of its own.
    pub(super) fn running(&self, stage: Stage, name: &str) -> Result<PathBuf, ConfigError> {
        let scratch = self.home.folder(&format!("scratch/{name}"))?;
        self.write(stage, name, runner::runner(self.locator, self.env, scratch)?)
    }

    fn key_file(&self, endpoint: &Endpoint) -> Result<Option<PathBuf>, ConfigError> {
        let Some(key) = &endpoint.api_key else {
            return Ok(None);
        };
        let path = self.home.path("run/model.key");
        write_secret(&path, key.as_bytes())?;
        Ok(Some(path))
    }

    fn write(&self, stage: Stage, name: &str, service: impl Serialize) -> Result<PathBuf, ConfigError> {
        let otlp_endpoint = self
            .text("INTERLOCK_OTLP_ENDPOINT")
            .or_else(|| self.text("OTEL_EXPORTER_OTLP_ENDPOINT"));
        let log = self.text("INTERLOCK_LOG");
        let file = File {
            slots: SLOTS,
            broker: Broker {
                url: self.broker.to_owned(),
                seed_file: self.home.path(&format!("identities/{stage}.nk")),
                keyring_file: self.home.keyring(),
            },
            telemetry: (otlp_endpoint.is_some() || log.is_some()).then_some(Telemetry { otlp_endpoint, log }),
            service,
        };
        let text = toml::to_string(&file).map_err(|e| ConfigError::Text(stage, e))?;
        let path = self.home.path(&format!("run/{name}.toml"));
        write_secret(&path, text.as_bytes())?;
        Ok(path)
    }

    fn text(&self, name: &str) -> Option<String> {
        runner::text(self.env, name)
    }
}
