//! What the planner does when it is its turn.

use crate::ask::Remembered;
use crate::attempts::propose;
use crate::material::Material;
use interlock_domain::state::Phase;
use interlock_domain::{Payload, Stage};
use interlock_model::Client;
use interlock_stage::{Handler, Work, WorkError};

/// The planner's handler.
#[derive(Debug)]
pub struct Planner {
    client: Client,
}

impl Planner {
    /// A planner that asks this model.
    pub const fn new(client: Client) -> Self {
        Self { client }
    }
}

impl Handler for Planner {
    const STAGE: Stage = Stage::Planner;

    async fn handle(&self, work: &mut Work) -> Result<(), WorkError> {
        match work.state.phase {
            Phase::Planning => {}
            Phase::New
            | Phase::PlanGate
            | Phase::Writing { .. }
            | Phase::Repairing { .. }
            | Phase::Verifying { .. }
            | Phase::Ready
            | Phase::Running
            | Phase::Guidance { .. }
            | Phase::Concluding { .. }
            | Phase::Finished => return Ok(()),
        }
        let material = tokio::select! {
            biased;
            () = work.cancel.cancelled() => return Err(WorkError::Cancelled),
            gathered = Material::gather(&work.state, &work.bus) => gathered?,
        };
        // Not raced against the cancellation: it ends the call by itself, and an answer that has
        // come is stored whatever happens.
        let ask = Remembered {
            client: &self.client,
            bus: &work.bus,
            run: work.state.run,
            cancel: &work.cancel,
        };
        let proposal = propose(&ask, &material).await?;
        work.append(Payload::PlanProposal(proposal)).await
    }
}
