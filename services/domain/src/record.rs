//! A record of a run's chain, and a control of the lane beside it, as validated values.

use crate::ids::{Digest, RunId};
use crate::payload::Payload;
use crate::stage::Stage;

/// Version of the record format that this build writes and reads.
pub const RECORD_VERSION: u32 = 1;

/// One link of a chain, with its signature already checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The run.
    pub run: RunId,
    /// Position in the chain, from 1.
    pub seq: u64,
    /// Who wrote it.
    pub stage: Stage,
    /// Digest of the previous record's body; `None` on the first one only.
    pub parent: Option<Digest>,
    /// Time of writing in Unix milliseconds. Never decides anything.
    pub time_unix_ms: i64,
    /// The content.
    pub payload: Payload,
}

impl Record {
    /// The subject that this record, and no other, is stored under.
    pub fn subject(&self) -> String {
        subject(self.stage, self.run, self.seq)
    }
}

/// The subject of a run's record number `seq`, if `stage` writes it.
pub fn subject(stage: Stage, run: RunId, seq: u64) -> String {
    format!("evt.{stage}.{run}.{seq}")
}

/// The subject of a run's control number `k`, from 1.
pub fn control_subject(run: RunId, k: u64) -> String {
    format!("ctl.{run}.{k}")
}

/// The run that a record's or a control's subject belongs to.
pub fn run_of_subject(subject: &str) -> Option<RunId> {
    let mut parts = subject.split('.');
    match parts.next()? {
        "evt" => parts.nth(1)?.parse().ok(),
        "ctl" => parts.next()?.parse().ok(),
        _ => None,
    }
}

/// A human intervention in the lane beside the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// The run.
    pub run: RunId,
    /// Position in the lane, from 1.
    pub k: u64,
    /// Time of writing in Unix milliseconds.
    pub time_unix_ms: i64,
    /// What is to happen.
    pub action: ControlAction,
}

/// The interventions there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlAction {
    /// End the run and everything that belongs to it.
    Cancel {
        /// Who.
        by: String,
        /// Why, in their own words.
        reason: String,
    },
}
