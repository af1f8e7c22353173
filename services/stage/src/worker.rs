//! The work loop, written once for every stage.
//!
//! One pull per free slot, no heartbeat option, always an expiry, woken on reconnection; progress
//! acks while working; acked only after what had to be stored is stored.

use crate::broker::ACK_WAIT;
use crate::bus::Bus;
use crate::chain::Chain;
use crate::telemetry;
use crate::work::{Handler, Work, WorkError};
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures::{FutureExt as _, StreamExt as _};
use interlock_domain::authority::{consumer, record_stream, wakers};
use interlock_domain::finding::bounded;
use interlock_domain::payload::StageFailure;
use interlock_domain::record::run_of_subject;
use interlock_domain::{Disposition, FailureClass, Payload, RunId, Signer, Stage};
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{Mutex as AsyncMutex, Semaphore};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

/// How long a pull waits before it is made anew.
const PULL_EXPIRY: Duration = Duration::from_secs(5);
/// How often a running piece of work looks for a cancellation.
const CANCEL_POLL: Duration = Duration::from_millis(300);
/// Longest message of a failure on record, in bytes.
const MAX_FAILURE_TEXT: usize = 16 * 1024;
/// Room for what was wrong with refused answers in a failure on record, in bytes.
const MAX_REFUSED_TEXT: usize = 256 * 1024;
/// Deliveries after which work that keeps failing is put before a human.
const MAX_DELIVERIES: i64 = 8;

/// Everything that the loop needs.
pub(crate) struct Worker<H> {
    handler: Arc<H>,
    bus: Bus,
    chain: Chain,
    signer: Arc<Signer>,
    slots: Arc<Semaphore>,
    busy: Mutex<BTreeMap<RunId, Weak<AsyncMutex<()>>>>,
    shutdown: CancellationToken,
}

impl<H: Handler> Worker<H> {
    pub(crate) fn new(
        handler: Arc<H>,
        bus: Bus,
        chain: Chain,
        signer: Arc<Signer>,
        slots: usize,
        shutdown: CancellationToken,
    ) -> Arc<Self> {
        let slots = Arc::new(Semaphore::new(slots));
        Arc::new(Self {
            handler,
            bus,
            chain,
            signer,
            slots,
            busy: Mutex::default(),
            shutdown,
        })
    }

    /// Pulls from one waker's stream until shutdown. Ends only with the work at hand finished or handed back.
    pub(crate) async fn pull_from(self: Arc<Self>, from: Stage) {
        let mut connected = self.bus.connected();
        let consumer = loop {
            if self.shutdown.is_cancelled() {
                return;
            }
            match self.find_consumer(from).await {
                Some(found) => break found,
                None => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        };
        // The news of the first connection may come after its first message, and would be taken for a
        // reconnection: that pull would be dropped, and its message would wait for its ack to be overdue.
        tokio::select! {
            _ = connected.wait_for(|times| *times > 0) => {}
            () = self.shutdown.cancelled() => return,
        }
        while !self.shutdown.is_cancelled() {
            connected.mark_unchanged();
            let Ok(mut batch) = consumer.batch().max_messages(1).expires(PULL_EXPIRY).messages().await else {
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let message = tokio::select! {
                // A message that is here is taken, whatever else happened.
                biased;
                next = batch.next() => match next {
                    Some(Ok(message)) => message,
                    Some(Err(_)) | None => continue,
                },
                _ = connected.changed() => continue,
                () = self.shutdown.cancelled() => return,
            };
            self.attend(message).await;
        }
    }

    async fn find_consumer(&self, from: Stage) -> Option<Consumer<pull::Config>> {
        let found = self
            .bus
            .context()
            .get_consumer_from_stream(consumer(H::STAGE), record_stream(from))
            .await;
        found
            .inspect_err(|error| tracing::warn!(%from, %error, "waiting for the consumer"))
            .ok()
    }

    /// Handles one message to its end, with signs of life to the broker meanwhile.
    async fn attend(&self, message: Message) {
        let Some(run) = run_of_subject(&message.subject) else {
            tracing::error!(subject = %message.subject, "a message that belongs to no run; parked");
            finish(&message, AckKind::Term).await;
            return;
        };
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let span = telemetry::work_span(H::STAGE, run, deliveries, message.headers.as_ref());
        let work = self.work_on(run, deliveries).instrument(span);
        tokio::pin!(work);
        let mut sign_of_life = tokio::time::interval(ACK_WAIT / 3);
        sign_of_life.tick().await;
        let ack = loop {
            tokio::select! {
                ack = &mut work => break ack,
                _ = sign_of_life.tick() => {
                    if let Err(error) = message.ack_with(AckKind::Progress).await {
                        tracing::debug!(%error, "sign of life not sent");
                    }
                }
            }
        };
        finish(&message, ack).await;
    }

    async fn work_on(&self, run: RunId, deliveries: i64) -> AckKind {
        let lock = self.lock_of(run);
        let _one_at_a_time = lock.lock().await;
        let Ok(_slot) = self.slots.acquire().await else {
            return AckKind::Nak(None);
        };
        match self.advance(run).await {
            Ok(()) | Err(WorkError::Superseded) => AckKind::Ack,
            Err(WorkError::Cancelled) if self.shutdown.is_cancelled() => AckKind::Nak(None),
            Err(WorkError::Cancelled) => AckKind::Ack,
            Err(error) => self.after_failure(run, deliveries, error).await,
        }
    }

    /// Lets the handler act for as long as this stage is the next actor.
    async fn advance(&self, run: RunId) -> Result<(), WorkError> {
        let state = self.chain.replay(run).await?;
        self.handler.observe(&state).await;
        let mut work = Work {
            state,
            bus: self.bus.clone(),
            cancel: self.shutdown.child_token(),
            chain: self.chain.clone(),
            signer: Arc::clone(&self.signer),
            appended: 0,
        };
        while work.state.next_actor() == Some(H::STAGE) {
            let before = work.appended;
            let watch = tokio_util::task::AbortOnDropHandle::new(tokio::spawn(watch_for_cancel(
                self.chain.clone(),
                work.state.clone(),
                work.cancel.clone(),
            )));
            // A defect of the handler costs this piece of work, and not the puller that carries it.
            let handled = AssertUnwindSafe(self.handler.handle(&mut work)).catch_unwind().await;
            let handled = handled.unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
            drop(watch);
            self.handler.observe(&work.state).await;
            handled?;
            if work.appended == before {
                break;
            }
            work.state = self.chain.replay(run).await?;
        }
        Ok(())
    }

    /// Handed back while time may help; otherwise put on the chain for a human.
    async fn after_failure(&self, run: RunId, deliveries: i64, error: WorkError) -> AckKind {
        let failure = match error {
            WorkError::Failed(failure) => failure,
            WorkError::Bus(e) if e.disposition() == Disposition::Retry => {
                return hand_back(run, deliveries, &e);
            }
            WorkError::Chain(e) if e.disposition() == Disposition::Retry => {
                return hand_back(run, deliveries, &e);
            }
            // Nothing of ours can follow a record that cannot be believed: it stays, and is shown.
            WorkError::Chain(e) => {
                tracing::error!(%run, error = %e, "the chain cannot be read; `interlock audit` names the record");
                return AckKind::Term;
            }
            WorkError::Later { why, .. } if deliveries < MAX_DELIVERIES => {
                return hand_back(run, deliveries, &why);
            }
            WorkError::Later { class, why } => StageFailure {
                failure: class,
                message: format!("tried {deliveries} times: {why}"),
                refused: Vec::new(),
            },
            other @ (WorkError::Superseded
            | WorkError::Cancelled
            | WorkError::Bus(_)
            | WorkError::Illegal(_)
            | WorkError::Sign(_)) => StageFailure {
                failure: FailureClass::Harness,
                message: format!("{} gave up: {other}", H::STAGE),
                refused: Vec::new(),
            },
        };
        tracing::warn!(%run, class = %failure.failure, message = %failure.message, "this stage cannot go on");
        match self.give_up(run, failure).await {
            Ok(()) | Err(WorkError::Superseded | WorkError::Cancelled) => AckKind::Ack,
            Err(error) => hand_back(run, deliveries, &error),
        }
    }

    async fn give_up(&self, run: RunId, failure: StageFailure) -> Result<(), WorkError> {
        let state = self.chain.replay(run).await?;
        if state.next_actor() != Some(H::STAGE) {
            return Err(WorkError::Superseded);
        }
        let mut work = Work {
            state,
            bus: self.bus.clone(),
            cancel: self.shutdown.child_token(),
            chain: self.chain.clone(),
            signer: Arc::clone(&self.signer),
            appended: 0,
        };
        work.append(Payload::StageFailure(fitting(failure))).await?;
        self.handler.observe(&work.state).await;
        Ok(())
    }

    /// Two messages about one run in one process are handled one after the other.
    fn lock_of(&self, run: RunId) -> Arc<AsyncMutex<()>> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        busy.retain(|_, lock| lock.strong_count() > 0);
        if let Some(lock) = busy.get(&run).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::new(AsyncMutex::new(()));
        busy.insert(run, Arc::downgrade(&lock));
        lock
    }
}

/// A failure has to fit into a record whatever it quotes, or the run would never hear of it.
fn fitting(mut failure: StageFailure) -> StageFailure {
    if failure.message.len() > MAX_FAILURE_TEXT {
        let end = failure.message.floor_char_boundary(MAX_FAILURE_TEXT);
        failure.message.truncate(end);
        failure.message.push_str(" <cut>");
    }
    let room = MAX_REFUSED_TEXT / failure.refused.len().max(1);
    for answer in &mut failure.refused {
        answer.findings = bounded(std::mem::take(&mut answer.findings), room);
    }
    failure
}

/// All wakers of a stage.
pub(crate) fn wakers_of(stage: Stage) -> Vec<Stage> {
    wakers(stage).collect()
}

fn panicked(panic: &(dyn Any + Send)) -> WorkError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    WorkError::failed(FailureClass::Harness, format!("the handler panicked: {text}"))
}

fn hand_back(run: RunId, deliveries: i64, why: &dyn std::fmt::Display) -> AckKind {
    let pause = Duration::from_millis(500) * u32::try_from(deliveries.clamp(1, 20)).unwrap_or(20);
    tracing::warn!(%run, %why, ?pause, "handed back");
    AckKind::Nak(Some(pause))
}

async fn finish(message: &Message, kind: AckKind) {
    // A lost ack only means that the message comes again, and is then found done.
    let sent = match kind {
        AckKind::Ack => message.double_ack().await,
        AckKind::Nak(_) | AckKind::Progress | AckKind::Next | AckKind::Term => message.ack_with(kind).await,
    };
    if let Err(error) = sent {
        tracing::debug!(%error, "ack not confirmed");
    }
}

async fn watch_for_cancel(chain: Chain, mut state: interlock_domain::RunState, cancel: CancellationToken) {
    loop {
        tokio::time::sleep(CANCEL_POLL).await;
        match chain.controls(state.clone()).await {
            Ok(seen) => state = seen,
            Err(error) => tracing::debug!(%error, "cannot look for a cancellation"),
        }
        if state.is_cancelled() {
            cancel.cancel();
            return;
        }
    }
}
