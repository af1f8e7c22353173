//! An expensive call is made once: looked up before, and stored before anything is done with it.
//!
//! Knows nothing of what is called. Must not hand out an answer that is not the stored one: two
//! workers that both made the call go on with the same words.

use crate::bus::{Appended, Bus, BusError};
use crate::work::WorkError;
use bytes::Bytes;
use interlock_domain::{CallError, Digest, Disposition, FailureClass, RunId};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Why there is no answer that is both given and stored.
#[derive(Debug, thiserror::Error)]
pub enum OnceError<E> {
    /// The broker. Nothing is lost that had been stored.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The call itself; nothing is stored then.
    #[error(transparent)]
    Call(E),
    /// A stored answer that this build cannot read. Asking again would pay again, and change nothing:
    /// the stored one stands.
    #[error("the stored answer of call {key} cannot be read: {why}")]
    Unreadable {
        /// The call.
        key: Digest,
        /// Why.
        why: String,
    },
}

impl<E: CallError> OnceError<E> {
    /// What it means for the work at hand; `class` is what a call that cannot succeed is.
    pub fn into_work_error(self, class: FailureClass) -> WorkError {
        match self {
            OnceError::Bus(e) => WorkError::Bus(e),
            OnceError::Call(e) if e.is_cancelled() => WorkError::Cancelled,
            OnceError::Call(e) => match e.disposition() {
                Disposition::Retry => WorkError::later(class, e.to_string()),
                Disposition::Refuse | Disposition::Escalate => WorkError::failed(class, e.to_string()),
            },
            OnceError::Unreadable { .. } => WorkError::failed(FailureClass::Harness, self.to_string()),
        }
    }
}

/// The stored answer of the call `key`, or the answer of `call`, which is then stored.
///
/// `call` is not started when there is a stored answer. Once it has completed, the answer is stored
/// before this returns, so whoever is killed later does not make the call again.
pub async fn once<T, E>(
    bus: &Bus,
    run: RunId,
    key: &Digest,
    call: impl Future<Output = Result<T, E>>,
) -> Result<T, OnceError<E>>
where
    T: Serialize + DeserializeOwned,
{
    if let Some(stored) = bus.get_call(run, key).await? {
        tracing::info!(%run, %key, "a completed call is used again");
        return decode(key, &stored);
    }
    let answer = call.await.map_err(OnceError::Call)?;
    let encoded = encode(key, &answer)?;
    match bus.put_call(run, key, encoded).await? {
        Appended::Stored => Ok(answer),
        Appended::Existed => {
            let stored = bus.get_call(run, key).await?;
            let stored = stored.ok_or_else(|| BusError::Damaged(format!("call {key}")))?;
            decode(key, &stored)
        }
    }
}

fn encode<T: Serialize, E>(key: &Digest, answer: &T) -> Result<Bytes, OnceError<E>> {
    serde_json::to_vec(answer)
        .map(Bytes::from)
        .map_err(|e| unreadable(key, e))
}

fn decode<T: DeserializeOwned, E>(key: &Digest, stored: &[u8]) -> Result<T, OnceError<E>> {
    serde_json::from_slice(stored).map_err(|e| unreadable(key, e))
}

fn unreadable<E>(key: &Digest, why: serde_json::Error) -> OnceError<E> {
    OnceError::Unreadable {
        key: *key,
        why: why.to_string(),
    }
}
