//! Reads a run's chain and replays it.
//!
//! The pure function says who writes next, and so where the next record must lie: nothing that
//! anybody sends decides what is read. Every record's signature, parent and legality is checked.

use crate::bus::{Bus, BusError};
use interlock_domain::authority::{reads_records_of, record_stream};
use interlock_domain::record::{control_subject, subject};
use interlock_domain::signing::OpenError;
use interlock_domain::state::{Event, Illegal, apply};
use interlock_domain::{Disposition, Keyring, RunId, RunState, Stage};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Runs whose state is kept, so that each replay reads only what is new.
const KEPT: usize = 512;

/// Replays chains for one stage.
#[derive(Clone, Debug)]
pub struct Chain {
    bus: Bus,
    keyring: Arc<Keyring>,
    known: Arc<Mutex<BTreeMap<RunId, RunState>>>,
}

/// Why a chain cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    /// The broker.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// A record that cannot be believed or understood.
    #[error("{subject} cannot be accepted: {source}")]
    Open {
        /// Where it is stored.
        subject: String,
        /// Why.
        source: OpenError,
    },
    /// A record that may not stand there.
    #[error("{subject} is not legal: {source}")]
    Illegal {
        /// Where it is stored.
        subject: String,
        /// Why.
        source: Illegal,
    },
}

impl ChainError {
    /// What the caller should do.
    pub const fn disposition(&self) -> Disposition {
        match self {
            ChainError::Bus(e) => e.disposition(),
            ChainError::Open { .. } | ChainError::Illegal { .. } => Disposition::Escalate,
        }
    }
}

impl Chain {
    /// A reader with the public keys that it believes.
    pub fn new(bus: Bus, keyring: Keyring) -> Self {
        Self {
            bus,
            keyring: Arc::new(keyring),
            known: Arc::default(),
        }
    }

    /// The run's state from every record that this stage may read.
    pub async fn replay(&self, run: RunId) -> Result<RunState, ChainError> {
        let mut state = self.recall(run);
        let readable = reads_records_of(self.bus.stage());
        while let Some(actor) = state.chain_actor().filter(|actor| readable.contains(actor)) {
            let place = subject(actor, run, state.seq + 1);
            let Some(bytes) = self.bus.read(&record_stream(actor), &place).await? else {
                break;
            };
            let opened = self.keyring.open_record(&bytes).map_err(|source| ChainError::Open {
                subject: place.clone(),
                source,
            })?;
            state = apply(state, Event::Record(&opened))
                .map_err(|source| ChainError::Illegal { subject: place, source })?;
        }
        let state = self.controls(state).await?;
        self.remember(&state);
        Ok(state)
    }

    /// The state with every control of its lane that was not seen yet.
    pub async fn controls(&self, mut state: RunState) -> Result<RunState, ChainError> {
        loop {
            let place = control_subject(state.run, state.controls + 1);
            let Some(bytes) = self.bus.read(&record_stream(Stage::Gateway), &place).await? else {
                return Ok(state);
            };
            let opened = self.keyring.open_control(&bytes).map_err(|source| ChainError::Open {
                subject: place.clone(),
                source,
            })?;
            state = apply(state, Event::Control(&opened))
                .map_err(|source| ChainError::Illegal { subject: place, source })?;
        }
    }

    fn recall(&self, run: RunId) -> RunState {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&run).cloned().unwrap_or_else(|| RunState::new(run))
    }

    fn remember(&self, state: &RunState) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(state.run, state.clone());
        if known.len() > KEPT {
            // Run ids sort by age: the oldest run is the one least likely to move again.
            known.pop_first();
        }
    }
}
