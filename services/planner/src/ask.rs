//! Asking the model, with every completed call stored before its answer is used.
//!
//! The only place of this service that knows both the bus and the model.

use interlock_domain::payload::ModelCall;
use interlock_domain::{Disposition, FailureClass, RunId};
use interlock_model::{Answer, Client, ModelError, Prompt};
use interlock_stage::{Bus, OnceError, WorkError, once};
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
        let answer: Answer = once(self.bus, self.run, &key, call).await.map_err(work_error)?;
        let call = answer.call(key, prompt);
        Ok(Asked { answer, call })
    }
}

fn work_error(error: OnceError<ModelError>) -> WorkError {
    match error {
        OnceError::Bus(e) => WorkError::Bus(e),
        OnceError::Call(ModelError::Cancelled) => WorkError::Cancelled,
        OnceError::Call(e) => match e.disposition() {
            Disposition::Retry => WorkError::later(FailureClass::Model, e.to_string()),
            Disposition::Refuse | Disposition::Escalate => WorkError::failed(FailureClass::Model, e.to_string()),
        },
        unreadable @ OnceError::Unreadable { .. } => WorkError::failed(FailureClass::Harness, unreadable.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_failure_leads_where_it_should() {
        let call = |e| work_error(OnceError::Call(e));
        assert!(matches!(call(ModelError::Cancelled), WorkError::Cancelled));
        assert!(matches!(
            call(ModelError::Unreachable("x".into())),
            WorkError::Later {
                class: FailureClass::Model,
                ..
            }
        ));
        for error in [
            ModelError::KeyRejected { status: 401 },
            ModelError::ContextTooLong("x".into()),
        ] {
            let WorkError::Failed(failure) = call(error) else {
                unreachable!()
            };
            assert_eq!(failure.failure, FailureClass::Model);
        }
    }
}
