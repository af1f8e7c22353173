//! What a request brings with it, as those who write prompts need it: the lock file and how inputs begin.
//! Never sealed truth: no stage that writes prompts can read it.

use crate::bus::Bus;
use crate::work::WorkError;
use bytes::Bytes;
use interlock_domain::FailureClass;
use interlock_domain::payload::Request;

/// Largest lock file that is read, in bytes: some ten thousand packages with all their hashes.
const MAX_LOCK_BYTES: u64 = 16 * 1024 * 1024;

/// What a request brings with it.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The lock file; empty for the standard library alone.
    pub lock_text: String,
    /// The inputs, in the order of their names.
    pub inputs: Vec<GivenInput>,
}

/// An input and how it begins.
#[derive(Clone, Debug)]
pub struct GivenInput {
    /// The name that the program knows it by.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// The first piece of it.
    pub head: Bytes,
}

impl Given {
    /// Reads it from the bus.
    ///
    /// # Errors
    /// The broker, or a lock file that is too large to be read.
    pub async fn gather(request: &Request, bus: &Bus) -> Result<Self, WorkError> {
        let peeks = request.inputs.iter().map(|input| bus.peek_blob(&input.blob));
        let (heads, lock_text) = futures::future::try_join(
            async { Ok(futures::future::try_join_all(peeks).await?) },
            lock_text(request, bus),
        )
        .await?;
        let named = request.inputs.iter().zip(heads);
        let inputs = named.map(|(input, head)| GivenInput {
            name: input.name.clone(),
            size: input.blob.size,
            head,
        });
        Ok(Self {
            lock_text,
            inputs: inputs.collect(),
        })
    }
}

async fn lock_text(request: &Request, bus: &Bus) -> Result<String, WorkError> {
    let Some(lock) = &request.lock else {
        return Ok(String::new());
    };
    if lock.blob.size > MAX_LOCK_BYTES {
        let size = lock.blob.size;
        return Err(WorkError::failed(
            FailureClass::Environment,
            format!(
                "the lock file {} has {size} bytes; at most {MAX_LOCK_BYTES} are read",
                lock.name
            ),
        ));
    }
    let bytes = bus.get_blob(&lock.blob).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
