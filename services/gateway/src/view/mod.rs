//! The view of all runs: a projection of the streams, kept in memory.
//!
//! Holds nothing that the streams do not hold, so it can be rebuilt at any time; never writes.

mod place;
mod projection;
mod render;
mod run;

pub(crate) use place::Place;
pub(crate) use projection::Projection;
pub(crate) use render::{cancelled_by, status};
pub(crate) use run::Run;

use crate::refusal::Refusal;
use interlock_domain::{Keyring, Record, RunId, RunState, codec};
use interlock_proto::v1 as wire;
use interlock_stage::{Bus, BusError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The view, shared by calls, handler and tail.
#[derive(Clone, Debug)]
pub(crate) struct View {
    bus: Bus,
    projection: Arc<Mutex<Projection>>,
}

impl View {
    pub(crate) fn new(bus: Bus, keyring: Keyring) -> Self {
        Self {
            bus,
            projection: Arc::new(Mutex::new(Projection::new(keyring))),
        }
    }

    /// Takes in what is stored under a subject.
    pub(crate) fn keep(&self, subject: &str, bytes: &[u8]) -> Option<RunId> {
        self.lock().keep(subject, bytes)
    }

    /// Reads on in the streams until there is nothing new about `run`. A run that does not exist
    /// leaves no trace here, whatever id a caller makes up.
    pub(crate) async fn refresh(&self, run: RunId) -> Result<(), BusError> {
        loop {
            let places = self.lock().next_places(run);
            let mut found = false;
            for place in places {
                found |= self.fetch(run, place).await?;
            }
            if !found {
                return Ok(());
            }
        }
    }

    /// Takes in what led to `state`, if the view does not know it yet.
    pub(crate) async fn see(&self, state: &RunState) {
        if self.lock().knows(state.run, state.seq, state.controls) {
            return;
        }
        if let Err(error) = self.refresh(state.run).await {
            tracing::warn!(run = %state.run, %error, "the view is behind; it is read again in a moment");
        }
    }

    /// Looks at one run.
    pub(crate) fn look<T>(&self, run: RunId, look: impl FnOnce(&Run) -> T) -> Result<T, Refusal> {
        self.lock().get(run).map(look).ok_or(Refusal::NoRun(run))
    }

    /// Everything about one run, for a client.
    pub(crate) fn show(&self, run: RunId) -> Result<wire::RunView, Refusal> {
        self.look(run, render::view)
    }

    /// The view and whether the run has ended, both of the same moment.
    pub(crate) fn show_and_ended(&self, run: RunId) -> Result<(wire::RunView, bool), Refusal> {
        self.look(run, |run| (render::view(run), run.ended()))
    }

    /// The records of the chain.
    pub(crate) fn records(&self, run: RunId) -> Result<Vec<Record>, Refusal> {
        let records: Vec<wire::Record> = self.look(run, |run| render::applied(run).collect())?;
        let decoded = records.into_iter().map(codec::from_wire);
        decoded
            .collect::<Result<_, _>>()
            .map_err(|e| Refusal::Ours(format!("a record of {run} was accepted and cannot be decoded: {e}")))
    }

    /// The runs from the newest to the oldest, at most `limit`, older than `before`; and whether there are more.
    pub(crate) fn list(&self, limit: usize, before: Option<RunId>) -> (Vec<wire::RunSummary>, bool) {
        self.lock().list(limit, before)
    }

    /// Bumped whenever the run changes.
    pub(crate) fn subscribe(&self, run: RunId) -> Result<watch::Receiver<u64>, Refusal> {
        self.look(run, Run::subscribe)
    }

    /// The runs that the gateway owes a record.
    pub(crate) fn owed(&self) -> Vec<RunId> {
        self.lock().owed()
    }

    /// Whether something of the run is stored that nothing leads to, or not yet.
    pub(crate) fn has_unreached(&self, run: RunId) -> bool {
        self.look(run, Run::has_unreached).unwrap_or(false)
    }

    /// How many runs there are, and how many stored records belong to none.
    pub(crate) fn counts(&self) -> (u64, u64) {
        self.lock().counts()
    }

    /// Reads what is stored at `place`, if anything is.
    pub(crate) async fn read(&self, run: RunId, place: Place) -> Result<Option<bytes::Bytes>, BusError> {
        self.bus.read(&place.stream(), &place.subject(run)).await
    }

    async fn fetch(&self, run: RunId, place: Place) -> Result<bool, BusError> {
        let Some(bytes) = self.read(run, place).await? else {
            return Ok(false);
        };
        self.keep(&place.subject(run), &bytes);
        Ok(true)
    }

    fn lock(&self) -> MutexGuard<'_, Projection> {
        self.projection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
