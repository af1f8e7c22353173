//! What calls, handler and tail share, and the one way in which the gateway writes to a chain.

use crate::live::Lives;
use crate::policy;
use crate::refusal::{Refusal, of_append};
use crate::turns::{Turn, Turns};
use crate::view::View;
use interlock_domain::{Payload, RunId, RunState, Stage};
use interlock_stage::{Bus, Handler, Service, Work, WorkError, telemetry};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span};

/// The gateway.
#[derive(Clone)]
pub(crate) struct Gateway {
    pub(crate) service: Service,
    pub(crate) view: View,
    pub(crate) lives: Lives,
    pub(crate) ending: CancellationToken,
    turns: std::sync::Arc<Turns>,
}

impl Gateway {
    pub(crate) fn new(service: Service, view: View, ending: CancellationToken) -> Self {
        Self {
            service,
            view,
            lives: Lives::default(),
            ending,
            turns: std::sync::Arc::default(),
        }
    }

    pub(crate) const fn bus(&self) -> &Bus {
        &self.service.bus
    }

    /// Waits for the turn at `run`, and brings the view up to date: whoever has the turn knows what
    /// every other holder of it did.
    pub(crate) async fn turn_at(&self, run: RunId) -> Result<Turn, Refusal> {
        let turn = self.turns.at(run).await;
        self.view.refresh(run).await?;
        Ok(turn)
    }

    /// A span in the trace that the run's last record belongs to.
    pub(crate) async fn span_at(&self, run: RunId, what: &str) -> Span {
        let last = self.view.look(run, |run| run.last_record()).ok().flatten();
        let headers = match last {
            Some(place) => self.bus().headers(&place.stream(), &place.subject(run)).await,
            None => None,
        };
        telemetry::act_span(what, run, headers.as_ref())
    }

    /// Appends one record, and then everything that the gateway owes after it. Needs the turn.
    pub(crate) async fn append(&self, state: RunState, payload: Payload) -> Result<(), WorkError> {
        let mut work = self.service.work(state, self.ending.child_token());
        let appended = work.append(payload).await;
        self.view.see(&work.state).await;
        appended?;
        // What fails from here on is owed still, and is tried again by the tail.
        if let Err(error) = self.pay(&mut work).await {
            tracing::warn!(run = %work.state.run, %error, "a record is owed; it is tried again in a moment");
        }
        Ok(())
    }

    /// Appends what the gateway owes to a run, if it still owes something.
    pub(crate) async fn drive(&self, run: RunId) -> Result<(), Refusal> {
        let _turn = self.turn_at(run).await?;
        let state = self.view.look(run, |run| run.state.clone())?;
        let mut work = self.service.work(state, self.ending.child_token());
        let span = self.span_at(run, "gateway policy").await;
        match self.pay(&mut work).instrument(span).await {
            Ok(()) | Err(WorkError::Superseded) => Ok(()),
            Err(error) => Err(of_append(run, error)),
        }
    }

    async fn pay(&self, work: &mut Work) -> Result<(), WorkError> {
        while let Some(payload) = policy::owed(&work.state) {
            let appended = work.append(payload).await;
            self.view.see(&work.state).await;
            appended?;
        }
        Ok(())
    }
}

impl Handler for Gateway {
    const STAGE: Stage = Stage::Gateway;

    /// Says what policy says. Where a human has to answer, nothing is appended, and the run waits.
    async fn handle(&self, work: &mut Work) -> Result<(), WorkError> {
        let _turn = self.turns.at(work.state.run).await;
        self.pay(work).await
    }

    async fn observe(&self, state: &RunState) {
        self.view.see(state).await;
    }
}
