//! What a plan is made from: gathered from the state and the bus once, then asked about any number
//! of times. The same state gives the same material, so that a repeated call is recognised.

use interlock_domain::{FailureClass, Plan, RunState};
use interlock_model::{Input, briefing};
use interlock_stage::{Bus, Given, WorkError};

/// Everything that prompts for a plan say.
#[derive(Clone, Debug)]
pub struct Material {
    /// The task, as every prompt tells it.
    pub task: String,
    /// The lock file; empty for the standard library alone.
    pub lock_text: String,
    /// The harness's modules, reduced to what can be called.
    pub harness: String,
    /// The plan that a human wants to have changed.
    pub previous: Option<Plan>,
    /// What the human said.
    pub feedback: String,
    /// Number of the first answer to ask for.
    pub first_attempt: u32,
}

impl Material {
    pub(crate) async fn gather(state: &RunState, bus: &Bus, harness: &str) -> Result<Self, WorkError> {
        let (request, task) = state
            .request
            .as_ref()
            .ok_or_else(|| defect("there is no request on the chain"))?;
        let given = Given::gather(request, bus).await?;
        let inputs: Vec<Input> = given
            .inputs
            .into_iter()
            .map(|input| Input {
                name: input.name,
                size: input.size,
                head: input.head.to_vec(),
            })
            .collect();
        Ok(Self {
            task: briefing(task, &given.lock_text, &inputs).map_err(|e| defect(&e.to_string()))?,
            lock_text: given.lock_text,
            harness: harness.to_owned(),
            previous: state.plan.as_ref().map(|(plan, _)| plan.clone()),
            feedback: state.hint.clone(),
            first_attempt: state.plan_attempts + 1,
        })
    }
}

pub(crate) fn defect(why: &str) -> WorkError {
    WorkError::failed(
        FailureClass::Harness,
        format!("the planner cannot prepare its prompt: {why}"),
    )
}
