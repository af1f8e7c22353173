//! A cancellation: at any moment, in any state, in a lane of its own so that it never waits for a stage.

use crate::gateway::Gateway;
use crate::refusal::Refusal;
use crate::view::{Place, Run, status};
use crate::words;
use bytes::Bytes;
use interlock_domain::record::{Control, ControlAction, control_subject};
use interlock_domain::{RunId, RunState};
use interlock_proto::v1 as wire;
use interlock_stage::bus::Appended;
use interlock_stage::telemetry;
use interlock_stage::work::now_unix_ms;
use tracing::Instrument as _;

/// A cancellation whose form is right.
#[derive(Debug)]
pub(crate) struct Cancellation {
    run: RunId,
    by: String,
    reason: String,
}

/// What a cancellation meets.
enum Found {
    /// A run that goes on: its state, after which the control comes.
    Going(Box<RunState>),
    /// Somebody was first.
    Cancelled(String),
}

impl Cancellation {
    /// Checks the form.
    pub(crate) fn check(raw: wire::CancelRunRequest) -> Result<Self, Refusal> {
        Ok(Self {
            run: raw
                .run_id
                .parse()
                .map_err(|e: interlock_domain::ids::IdError| Refusal::Invalid(e.to_string()))?,
            by: words::name("by", raw.by)?,
            reason: words::text("reason", raw.reason)?,
        })
    }
}

impl Gateway {
    /// Cancels a run. The first cancellation stands, and a later one is told so; a run that has ended
    /// by itself stays as it ended.
    pub(crate) async fn cancel(&self, wanted: Cancellation) -> Result<wire::RunView, Refusal> {
        let run = wanted.run;
        let _turn = self.turn_at(run).await?;
        loop {
            let state = match self.view.look(run, found)?? {
                Found::Going(state) => state,
                Found::Cancelled(notice) => {
                    let view = self.view.show(run)?;
                    return Ok(wire::RunView { notice, ..view });
                }
            };
            let span = self.span_at(run, "cancel").await;
            let appended = self.append_control(&state, &wanted).instrument(span).await?;
            self.view.refresh(run).await?;
            match appended {
                Appended::Stored => return self.view.show(run),
                // Another gateway's control, or our own of a try that seemed to have failed: look again.
                Appended::Existed => {}
            }
        }
    }

    async fn append_control(&self, state: &RunState, wanted: &Cancellation) -> Result<Appended, Refusal> {
        let control = Control {
            run: state.run,
            k: state.controls + 1,
            time_unix_ms: now_unix_ms(),
            action: ControlAction::Cancel {
                by: wanted.by.clone(),
                reason: wanted.reason.clone(),
            },
        };
        let signed = self.service.signer().sign_control(&control);
        let (bytes, _) = signed.map_err(|e| Refusal::Ours(e.to_string()))?;
        let subject = control_subject(control.run, control.k);
        let appended = self
            .bus()
            .append(&subject, telemetry::current_headers(), Bytes::from(bytes))
            .await?;
        tracing::info!(run = %control.run, k = control.k, by = %wanted.by, ?appended, "cancelled");
        Ok(appended)
    }
}

fn found(run: &Run) -> Result<Found, Refusal> {
    let state = &run.state;
    if state.outcome.is_some() {
        return Err(Refusal::NotNow(format!(
            "run {} has already ended: it is {}; there is nothing left to cancel",
            state.run,
            status(run)
        )));
    }
    if let Some(control) = &state.cancel {
        let ControlAction::Cancel { by, .. } = &control.action;
        return Ok(Found::Cancelled(format!(
            "already cancelled by {by} at {}",
            words::time(control.time_unix_ms)
        )));
    }
    // Were the lane itself damaged, nothing could be added to it that anybody would read.
    let next = Place::Control { k: state.controls + 1 };
    if run.stored.contains_key(&next) {
        let why = run.stuck().unwrap_or("its lane of controls cannot be read").to_owned();
        return Err(Refusal::Stuck { run: state.run, why });
    }
    Ok(Found::Going(Box::new(state.clone())))
}
