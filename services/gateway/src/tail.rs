//! Follows the streams: rebuilds the view at the start, keeps it complete after that, and sees to it
//! that what the gateway owes is written, also after a crash.
//!
//! The handler is faster; the tail is what nothing slips by.

use crate::gateway::Gateway;
use crate::view::View;
use futures::stream::{self, StreamExt as _};
use interlock_domain::authority::record_stream;
use interlock_domain::{RunId, Stage};
use interlock_stage::{Bus, BusError};
use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::time::Duration;

/// How often the streams are looked at for what the handler did not bring.
const PAUSE: Duration = Duration::from_millis(500);
/// Pause before the view is rebuilt on from where the broker stopped answering.
const AGAIN: Duration = Duration::from_millis(200);
/// Reads at once while the view is rebuilt.
const REBUILD_WIDTH: usize = 64;

/// How far each stream was read.
pub(crate) struct Tail {
    bus: Bus,
    view: View,
    next: BTreeMap<Stage, u64>,
}

impl Tail {
    pub(crate) fn new(bus: Bus, view: View) -> Self {
        Self {
            bus,
            view,
            next: Stage::ALL.into_iter().map(|stage| (stage, 1)).collect(),
        }
    }

    /// Reads every stream from its beginning to its present end, however long the broker takes to come up.
    pub(crate) async fn rebuild(&mut self) {
        while let Err(error) = self.read_on(REBUILD_WIDTH).await {
            tracing::info!(%error, "waiting for the broker to rebuild the view");
            tokio::time::sleep(AGAIN).await;
        }
        let (runs, stray) = self.view.counts();
        tracing::info!(runs, stray, "the view is rebuilt");
    }

    /// Follows the streams until the gateway ends.
    pub(crate) async fn follow(mut self, gateway: Gateway) {
        loop {
            self.settle(&gateway).await;
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = gateway.ending.cancelled() => return,
            }
        }
    }

    /// One look at everything.
    async fn settle(&mut self, gateway: &Gateway) {
        match self.read_on(1).await {
            // A record whose predecessor was stored after that one's stream was looked at.
            Ok(touched) => {
                for run in touched.into_iter().filter(|run| self.view.has_unreached(*run)) {
                    if let Err(error) = self.view.refresh(run).await {
                        tracing::debug!(%run, %error, "the view is behind");
                    }
                }
            }
            Err(error) => tracing::debug!(%error, "the streams cannot be read"),
        }
        for run in self.view.owed() {
            if gateway.ending.is_cancelled() {
                return;
            }
            if let Err(error) = gateway.drive(run).await {
                tracing::warn!(%run, %error, "a record is owed and cannot be written yet");
            }
        }
    }

    /// Reads all streams to their ends; answers the runs that were met.
    async fn read_on(&mut self, width: usize) -> Result<BTreeSet<RunId>, BusError> {
        let (bus, view) = (&self.bus, &self.view);
        let reads = self
            .next
            .iter_mut()
            .map(|(stage, next)| read_stream(bus, view, *stage, next, width));
        let met = futures::future::join_all(reads).await;
        let met: Vec<BTreeSet<RunId>> = met.into_iter().collect::<Result<_, _>>()?;
        Ok(met.into_iter().flatten().collect())
    }
}

/// Reads one stream to its end. What was read stays read when the broker stops answering midway.
async fn read_stream(
    bus: &Bus,
    view: &View,
    stage: Stage,
    next: &mut u64,
    width: usize,
) -> Result<BTreeSet<RunId>, BusError> {
    let name = record_stream(stage);
    let walks = stream::iter(*next..).map(|from| bus.walk(&name, ">", from));
    let mut walks = pin!(walks.buffered(width));
    let mut met = BTreeSet::new();
    while let Some(walked) = walks.next().await {
        let Some((subject, bytes, sequence)) = walked? else {
            break;
        };
        // Several reads into one gap in the numbers find the same record.
        if sequence < *next {
            continue;
        }
        met.extend(view.keep(&subject, &bytes));
        *next = sequence + 1;
    }
    Ok(met)
}
