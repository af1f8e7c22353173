//! What a running stack says about itself to other commands, in `stack.json` of the state folder.
//!
//! True only while the folder's lock is held: a notice alone proves nothing.

use serde::{Deserialize, Serialize};

/// What a stack is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Started by `up`; every command may use it.
    Shared,
    /// Belongs to one `run` and ends with it.
    Private,
    /// Broker and gateway only, for a command that looks at what is on record.
    View,
}

/// The notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// What it is there for.
    pub kind: Kind,
    /// The process that holds it.
    pub pid: u32,
    /// The gateway's address.
    pub address: String,
    /// The broker's address.
    pub broker: String,
    /// The model, for people.
    pub model: Option<String>,
    /// The model's address.
    pub model_url: Option<String>,
    /// Its processes.
    pub members: Vec<Member>,
}

/// One process of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its process, while there is one.
    pub pid: Option<u32>,
    /// How often it had to be started again.
    pub restarts: u32,
}
