//! What a stage's handler gets, and what it may answer.

use crate::bus::{Appended, Bus, BusError};
use crate::chain::{Chain, ChainError};
use crate::telemetry;
use bytes::Bytes;
use interlock_domain::payload::StageFailure;
use interlock_domain::record::Record;
use interlock_domain::signing::{Opened, SignError};
use interlock_domain::state::{Event, Illegal, apply};
use interlock_domain::{FailureClass, Payload, RunState, Signer, Stage};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio_util::sync::CancellationToken;

/// A stage's own part. One handler, any number of concurrent pieces of work.
pub trait Handler: Send + Sync + 'static {
    /// Whose handler it is.
    const STAGE: Stage;

    /// Called when this stage is the run's next actor. Appends what it has to say through `work`
    /// and returns; returning `Ok` without having appended means that it waits for somebody.
    fn handle(&self, work: &mut Work) -> impl Future<Output = Result<(), WorkError>> + Send;

    /// Called with the state after every message and every append, whoever acts next. For views only.
    fn observe(&self, _state: &RunState) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// Why a piece of work ended without its record.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// Another worker wrote the record first. Its record stands, and ours is dropped.
    #[error("another worker was faster")]
    Superseded,
    /// The run was cancelled while we worked.
    #[error("the run was cancelled")]
    Cancelled,
    /// The broker. Handed back, and tried again later.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The chain.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// Time may help: handed back, and tried again later. When it has not helped often enough, it is a
    /// failure of this class.
    #[error("{why}")]
    Later {
        /// What it is if it stays.
        class: FailureClass,
        /// What happened.
        why: String,
    },
    /// This stage cannot go on, and says so on the chain.
    #[error("{}", .0.message)]
    Failed(StageFailure),
    /// What we wanted to say would not have been legal. A defect of ours.
    #[error("this stage tried to write a record that is not legal: {0}")]
    Illegal(#[from] Illegal),
    /// What we wanted to say cannot be signed.
    #[error(transparent)]
    Sign(#[from] SignError),
}

impl WorkError {
    /// Trouble that time may end.
    pub fn later(class: FailureClass, why: impl Into<String>) -> Self {
        WorkError::Later { class, why: why.into() }
    }

    /// A failure without refused answers.
    pub fn failed(failure: FailureClass, message: impl Into<String>) -> Self {
        WorkError::Failed(StageFailure {
            failure,
            message: message.into(),
            refused: Vec::new(),
        })
    }
}

/// One piece of work: a run in which this stage is the next actor.
#[derive(Debug)]
pub struct Work {
    /// The run as its chain tells it.
    pub state: RunState,
    /// The bus, for blobs and calls.
    pub bus: Bus,
    /// Fires when the run is cancelled or the service shuts down.
    pub cancel: CancellationToken,
    pub(crate) chain: Chain,
    pub(crate) signer: Arc<Signer>,
    pub(crate) appended: u64,
}

impl Work {
    /// Writes the next record of the chain.
    ///
    /// It is checked against the state first: a stage never stores a record that others would refuse.
    pub async fn append(&mut self, payload: Payload) -> Result<(), WorkError> {
        let record = Record {
            run: self.state.run,
            seq: self.state.seq + 1,
            stage: self.signer.stage(),
            parent: self.state.head,
            time_unix_ms: now_unix_ms(),
            payload,
        };
        let (bytes, digest) = self.signer.sign_record(&record)?;
        let subject = record.subject();
        let opened = Opened { value: record, digest };
        let next = apply(self.state.clone(), Event::Record(&opened))?;
        match self
            .bus
            .append(&subject, telemetry::current_headers(), Bytes::from(bytes))
            .await?
        {
            Appended::Stored => self.state = next,
            Appended::Existed => {
                // A publish that reported a time-out may have landed: then the stored record is ours.
                let stored = self.chain.replay(self.state.run).await?;
                if stored.seq != next.seq || stored.head != next.head {
                    return Err(WorkError::Superseded);
                }
                self.state = stored;
            }
        }
        self.appended += 1;
        tracing::info!(run = %self.state.run, seq = self.state.seq, kind = opened.value.payload.name(), "record appended");
        Ok(())
    }
}

impl Work {
    /// Whether a human cancelled the run, as opposed to this service being told to stop.
    pub async fn cancelled_by_human(&mut self) -> Result<bool, WorkError> {
        self.state = self.chain.controls(self.state.clone()).await?;
        Ok(self.state.is_cancelled())
    }
}

/// The time for records. Never decides anything.
pub fn now_unix_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX))
}
