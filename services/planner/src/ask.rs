//! Asking the model, with every completed call stored before its answer is used.
//!
//! The only place of this service that knows both the bus and the model.

use interlock_domain::payload::ModelCall;
use interlock_domain::{FailureClass, RunId};
use interlock_model::{Answer, Client, Prompt};
use interlock_stage::{Bus, WorkError, once};
use tokio_util::sync::CancellationToken;

/// A whole answer, and what the record says of its call.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The answer.
    pub answer: Answer,
    /// The call.
    pub call: ModelCall,
}

/// Whoever answers prompts.
pub trait Ask: Sync {
    /// Asks for `purpose`, which is part of the call's identity.
    fn ask(&self, purpose: &str, prompt: &Prompt) -> impl Future<Output = Result<Asked, WorkError>> + Send;
}

/// The model, with a memory on the bus.
pub(crate) struct Remembered<'a> {
    pub(crate) client: &'a Client,
    pub(crate) bus: &'a Bus,
    pub(crate) run: RunId,
    pub(crate) cancel: &'a CancellationToken,
}

impl Ask for Remembered<'_> {
    async fn ask(&self, purpose: &str, prompt: &Prompt) -> Result<Asked, WorkError> {
        let key = prompt.call_key(self.run, purpose);
        let call = self.client.complete(prompt, self.cancel);
        let answer: Answer = once(self.bus, self.run, &key, call)
            .await
            .map_err(|e| e.into_work_error(FailureClass::Model))?;
        let call = answer.call(key, prompt);
        Ok(Asked { answer, call })
    }
}
