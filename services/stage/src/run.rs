//! Runs a handler as a service until shutdown.

use crate::bus::{Bus, BusError};
use crate::chain::Chain;
use crate::config::{Broker, ConfigError};
use crate::work::Handler;
use crate::worker::{Worker, wakers_of};
use interlock_domain::Disposition;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long work at hand may take to end after a shutdown was asked for.
const DRAIN: Duration = Duration::from_secs(10);

/// Why a service ended other than by being asked to.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Its configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Its connection.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The broker refuses what the stage must be allowed to do.
    #[error("the broker refused this stage: {0}")]
    Forbidden(String),
    /// The service's own part.
    #[error("{0}")]
    Setup(String),
}

impl ServiceError {
    /// What whoever supervises the service should do.
    pub const fn disposition(&self) -> Disposition {
        match self {
            ServiceError::Config(_) | ServiceError::Setup(_) => Disposition::Refuse,
            ServiceError::Bus(e) => e.disposition(),
            ServiceError::Forbidden(_) => Disposition::Escalate,
        }
    }
}

/// A stage that is connected and can read chains, before it starts to work.
#[derive(Clone)]
pub struct Service {
    /// The connection.
    pub bus: Bus,
    /// The reader of chains.
    pub chain: Chain,
    signer: Arc<interlock_domain::Signer>,
}

/// Connects a stage.
pub async fn connect(stage: interlock_domain::Stage, broker: &Broker) -> Result<Service, ServiceError> {
    let signer = Arc::new(broker.signer(stage)?);
    let bus = Bus::connect(stage, &broker.url, broker.seed()?).await?;
    let chain = Chain::new(bus.clone(), broker.keyring()?);
    Ok(Service { bus, chain, signer })
}

impl Service {
    /// Works until `shutdown`, then drains: work that cannot end in time is handed back.
    pub async fn run<H: Handler>(
        self,
        handler: Arc<H>,
        slots: usize,
        shutdown: CancellationToken,
    ) -> Result<(), ServiceError> {
        let stop = shutdown.child_token();
        let worker = Worker::new(handler, self.bus.clone(), self.chain, self.signer, slots, stop.clone());
        let tasks = TaskTracker::new();
        for from in wakers_of(H::STAGE) {
            for _ in 0..slots {
                tasks.spawn(Arc::clone(&worker).pull_from(from));
            }
        }
        tasks.close();
        tracing::info!(stage = %H::STAGE, slots, "ready");
        let ended = tokio::select! {
            () = shutdown.cancelled() => Ok(()),
            reason = self.bus.fatal() => Err(ServiceError::Forbidden(reason)),
        };
        stop.cancel();
        if tokio::time::timeout(DRAIN, tasks.wait()).await.is_err() {
            tracing::warn!("work was still going on after the time to drain; the broker delivers it again");
        }
        ended
    }

    /// A piece of work that no message asked for, such as a request that a human submits.
    pub fn work(&self, state: interlock_domain::RunState, cancel: CancellationToken) -> crate::work::Work {
        crate::work::Work {
            state,
            bus: self.bus.clone(),
            cancel,
            chain: self.chain.clone(),
            signer: Arc::clone(&self.signer),
            appended: 0,
        }
    }

    /// The stage's own key.
    pub fn signer(&self) -> Arc<interlock_domain::Signer> {
        Arc::clone(&self.signer)
    }
}
