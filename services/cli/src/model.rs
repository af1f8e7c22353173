//! Which model a stack uses: a real endpoint that the environment names, or scripted answers from a folder.
//!
//! Talks to nobody; the planner and the generator do.

use crate::locate::Env;
use std::fmt;
use std::path::{Path, PathBuf};

/// A model to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelChoice {
    /// A server that speaks one of the two protocols.
    Endpoint(Endpoint),
    /// Answers from files, served by the scripted model.
    Scripted(PathBuf),
}

/// A model's server.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Base of the API, with its version.
    pub url: String,
    /// The model's name as the server knows it.
    pub model: String,
    /// `openai` or `anthropic`.
    pub protocol: String,
    /// The key. Goes into a file of the owner's, never into a command line or a configuration.
    pub api_key: Option<String>,
}

/// Why there is no model to use.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ModelError {
    /// Neither source is there.
    #[error(
        "no model: set INTERLOCK_MODEL_URL and INTERLOCK_MODEL (and INTERLOCK_API_KEY if the server wants a key), \
         or name a folder of scripted answers ([model] answers in the task, --answers for `interlock up`)"
    )]
    None,
    /// An endpoint without the model's name.
    #[error("INTERLOCK_MODEL_URL is set and INTERLOCK_MODEL is not: set it to the model's name as the server knows it")]
    NoName,
    /// A variable that is not text.
    #[error("{0} is not text")]
    NotText(&'static str),
    /// A protocol that nobody speaks.
    #[error("INTERLOCK_MODEL_PROTOCOL is {0:?}; expected openai or anthropic")]
    Protocol(String),
    /// A folder that is not there.
    #[error(
        "the folder of scripted answers {0} does not exist; correct the path, or set INTERLOCK_MODEL_URL for a real model"
    )]
    NoAnswers(PathBuf),
    /// The running stack has other answers than the task brings.
    #[error(
        "the running stack uses {running}, and this task brings {wanted}: stop it (interlock down), then start it \
         with these (interlock up --answers DIR) or let the run start its own"
    )]
    Other {
        /// What the stack has.
        running: String,
        /// What the task has.
        wanted: String,
    },
}

impl ModelChoice {
    /// The endpoint of the environment if it names one, else the answers if there are any.
    pub fn choose(env: Env<'_>, answers: Option<&Path>) -> Result<Self, ModelError> {
        if let Some(url) = text(env, "INTERLOCK_MODEL_URL")? {
            let protocol = text(env, "INTERLOCK_MODEL_PROTOCOL")?.unwrap_or_else(|| "openai".to_owned());
            if !matches!(protocol.as_str(), "openai" | "anthropic") {
                return Err(ModelError::Protocol(protocol));
            }
            return Ok(ModelChoice::Endpoint(Endpoint {
                url,
                model: text(env, "INTERLOCK_MODEL")?.ok_or(ModelError::NoName)?,
                protocol,
                api_key: text(env, "INTERLOCK_API_KEY")?,
            }));
        }
        let answers = answers.ok_or(ModelError::None)?;
        let missing = || ModelError::NoAnswers(answers.to_owned());
        let folder = answers.canonicalize().map_err(|_| missing())?;
        if folder.is_dir() {
            Ok(ModelChoice::Scripted(folder))
        } else {
            Err(missing())
        }
    }
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelChoice::Endpoint(endpoint) => write!(f, "{} at {}", endpoint.model, endpoint.url),
            ModelChoice::Scripted(folder) => write!(f, "scripted answers of {}", folder.display()),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Endpoint {
            url,
            model,
            protocol,
            api_key,
        } = self;
        write!(f, "Endpoint({model} at {url}, {protocol}, key: {})", api_key.is_some())
    }
}

fn text(env: Env<'_>, name: &'static str) -> Result<Option<String>, ModelError> {
    let Some(value) = env(name) else {
        return Ok(None);
    };
    let value = value.into_string().map_err(|_| ModelError::NotText(name))?;
    Ok(Some(value.trim().to_owned()).filter(|value| !value.is_empty()))
}
