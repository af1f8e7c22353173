//! Content by digest, and completed model calls by key, in the stage's own immutable stream.

use crate::bus::{Appended, Bus, BusError};
use async_nats::HeaderMap;
use bytes::{Bytes, BytesMut};
use futures::stream::{StreamExt as _, TryStreamExt as _};
use interlock_domain::authority::{SEALED_STREAM, blob_stream};
use interlock_domain::blob::{BlobRef, CHUNK_BYTES, MAX_BLOB_BYTES};
use interlock_domain::{Digest, RunId};

/// Chunks in flight at once.
const IN_FLIGHT: usize = 8;

impl Bus {
    /// Stores content; storing it again changes nothing.
    pub async fn put_blob(&self, content: &[u8]) -> Result<BlobRef, BusError> {
        self.put(content, false).await
    }

    /// Stores content that only the executor may read.
    pub async fn put_sealed(&self, content: &[u8]) -> Result<BlobRef, BusError> {
        self.put(content, true).await
    }

    async fn put(&self, content: &[u8], sealed: bool) -> Result<BlobRef, BusError> {
        let size = content.len() as u64;
        if size > MAX_BLOB_BYTES {
            return Err(BusError::Refused {
                subject: format!("a blob of the {}", self.stage()),
                why: format!("it has {size} bytes; at most {MAX_BLOB_BYTES} can be stored"),
            });
        }
        let blob = BlobRef::of(content, self.stage(), sealed);
        // Owned chunks: a closure over borrowed ones is not general enough for a handler's future.
        let mut chunks = Vec::new();
        for (n, chunk) in content.chunks(CHUNK_BYTES).enumerate() {
            chunks.push(self.store_chunk(chunk_subject(&blob, n), Bytes::copy_from_slice(chunk)));
        }
        futures::stream::iter(chunks)
            .buffer_unordered(IN_FLIGHT)
            .try_collect::<Vec<_>>()
            .await?;
        Ok(blob)
    }

    async fn store_chunk(&self, subject: String, chunk: Bytes) -> Result<Appended, BusError> {
        self.append(&subject, HeaderMap::new(), chunk).await
    }

    /// Reads content and checks it against its digest.
    pub async fn get_blob(&self, blob: &BlobRef) -> Result<Bytes, BusError> {
        let damaged = || BusError::Damaged(blob.digest.to_string());
        let stream = stream_of(blob);
        let chunks = (0..blob.chunks as usize).map(|n| {
            let (stream, subject) = (stream.clone(), chunk_subject(blob, n));
            async move { self.read_chunk(&stream, subject).await }
        });
        let mut whole = BytesMut::new();
        let mut read = Vec::new();
        let mut parts = futures::stream::iter(chunks).buffered(IN_FLIGHT);
        while let Some((subject, part)) = parts.try_next().await? {
            let part = part.ok_or_else(damaged)?;
            whole.extend_from_slice(&part);
            if whole.len() as u64 > blob.size {
                return Err(damaged());
            }
            read.push((subject, part));
        }
        let whole = whole.freeze();
        if whole.len() as u64 != blob.size || Digest::of(&whole) != blob.digest {
            return Err(damaged());
        }
        // Only what was proven right is remembered.
        for (subject, part) in read.iter().filter(|_| !blob.sealed) {
            self.memory().keep(subject, part);
        }
        Ok(whole)
    }

    async fn read_chunk(&self, stream: &str, subject: String) -> Result<(String, Option<Bytes>), BusError> {
        let chunk = match self.memory().recall(&subject) {
            Some(chunk) => Some(chunk),
            None => self.read(stream, &subject).await?,
        };
        Ok((subject, chunk))
    }

    /// The beginning of some content: its first chunk at most. Only a blob of a single chunk can be
    /// checked against its digest, so this is for showing, never for acting on.
    pub async fn peek_blob(&self, blob: &BlobRef) -> Result<Bytes, BusError> {
        if blob.chunks <= 1 {
            return self.get_blob(blob).await;
        }
        let damaged = || BusError::Damaged(blob.digest.to_string());
        let (_, chunk) = self.read_chunk(&stream_of(blob), chunk_subject(blob, 0)).await?;
        chunk.ok_or_else(damaged)
    }

    /// The stored answer of a model call that completed before, if it did.
    pub async fn get_call(&self, run: RunId, key: &Digest) -> Result<Option<Bytes>, BusError> {
        self.read(&blob_stream(self.stage()), &call_subject(self, run, key))
            .await
    }

    /// Stores the answer of a completed model call; the first one stored stands.
    pub async fn put_call(&self, run: RunId, key: &Digest, answer: Bytes) -> Result<Appended, BusError> {
        self.append(&call_subject(self, run, key), HeaderMap::new(), answer)
            .await
    }
}

fn stream_of(blob: &BlobRef) -> String {
    if blob.sealed {
        SEALED_STREAM.to_owned()
    } else {
        blob_stream(blob.writer)
    }
}

fn chunk_subject(blob: &BlobRef, n: usize) -> String {
    let kind = if blob.sealed { "sealed" } else { "blob" };
    format!("{kind}.{}.{}.{n}", blob.writer, blob.digest)
}

fn call_subject(bus: &Bus, run: RunId, key: &Digest) -> String {
    format!("call.{}.{run}.{key}", bus.stage())
}
