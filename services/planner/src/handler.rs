//! What the planner does when it is its turn.

use crate::ask::Remembered;
use crate::attempts::propose;
use crate::material::Material;
use interlock_domain::state::Phase;
use interlock_domain::{Payload, Stage};
use interlock_model::{Client, harness_modules};
use interlock_pysource::{Unreadable, interface};
use interlock_stage::{Handler, Work, WorkError};

/// The planner's handler.
#[derive(Debug)]
pub struct Planner {
    client: Client,
    /// The harness's modules as prompts show them: the same for every run.
    harness: String,
}

impl Planner {
    /// A planner that asks this model.
    ///
    /// # Errors
    /// The harness's own modules cannot be read, which is a defect.
    pub fn new(client: Client) -> Result<Self, Unreadable> {
        let harness = harness_modules(interface)?;
        Ok(Self { client, harness })
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
            gathered = Material::gather(&work.state, &work.bus, &self.harness) => gathered?,
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
