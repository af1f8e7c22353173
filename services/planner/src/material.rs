//! What a plan is made from: gathered from the state and the bus once, then asked about any number
//! of times. The same state gives the same material, so that a repeated call is recognised.

use interlock_domain::payload::Request;
use interlock_domain::{FailureClass, Plan, RunState, owned};
use interlock_model::{HARNESS_MODULES, Input, briefing, fences};
use interlock_stage::{Bus, WorkError};

/// Largest lock file that is read, in bytes: some ten thousand packages with all their hashes.
const MAX_LOCK_BYTES: u64 = 16 * 1024 * 1024;

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
    pub(crate) async fn gather(state: &RunState, bus: &Bus) -> Result<Self, WorkError> {
        let (request, task) = state
            .request
            .as_ref()
            .ok_or_else(|| defect("there is no request on the chain"))?;
        let lock_text = lock_text(request, bus).await?;
        let mut inputs = Vec::new();
        for input in &request.inputs {
            inputs.push(Input {
                name: input.name.clone(),
                size: input.blob.size,
                head: bus.peek_blob(&input.blob).await?.to_vec(),
            });
        }
        Ok(Self {
            task: briefing(task, &lock_text, &inputs).map_err(|e| defect(&e.to_string()))?,
            lock_text,
            harness: harness_interfaces()?,
            previous: state.plan.as_ref().map(|(plan, _)| plan.clone()),
            feedback: state.hint.clone(),
            first_attempt: state.plan_attempts + 1,
        })
    }
}

async fn lock_text(request: &Request, bus: &Bus) -> Result<String, WorkError> {
    let Some(lock) = &request.lock else {
        return Ok(String::new());
    };
    if lock.blob.size > MAX_LOCK_BYTES {
        return Err(WorkError::failed(
            FailureClass::Environment,
            format!(
                "the lock file {} has {} bytes; at most {MAX_LOCK_BYTES} are read",
                lock.name, lock.blob.size
            ),
        ));
    }
    let bytes = bus.get_blob(&lock.blob).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The interfaces of the harness's modules, each in a fenced block.
pub(crate) fn harness_interfaces() -> Result<String, WorkError> {
    let mut text = Vec::new();
    for file in owned::FILES {
        if HARNESS_MODULES.contains(&file.path) {
            let interface = interface(file.content).map_err(|e| defect(&format!("{}: {e}", file.path)))?;
            text.push(format!("`{}`:\n{}", file.path, fences::fenced("python", &interface)));
        }
    }
    Ok(text.join("\n\n"))
}

pub(crate) fn defect(why: &str) -> WorkError {
    WorkError::failed(
        FailureClass::Harness,
        format!("the planner cannot prepare its prompt: {why}"),
    )
}

// TEMPORARY until pysource exports it
fn interface(text: &str) -> Result<String, std::convert::Infallible> {
    Ok(text.to_owned())
}
