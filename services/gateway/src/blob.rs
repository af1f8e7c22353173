//! The bytes of what a run's records name, and of nothing else. Sealed truth is never served.

use crate::gateway::Gateway;
use crate::refusal::Refusal;
use bytes::Bytes;
use interlock_domain::blob::{BlobRef, CHUNK_BYTES, MAX_BLOB_BYTES, NamedBlob, chunk_count};
use interlock_domain::manifest::{Entry, Owner};
use interlock_domain::{Digest, Payload, Record, RunId, Stage, owned};
use interlock_proto::v1 as wire;

/// What the records of a run say about a digest.
#[derive(Debug, PartialEq, Eq)]
enum Named {
    /// It is sealed.
    Sealed,
    /// It is stored.
    Stored(BlobRef),
    /// It is a harness-owned file of this build.
    Harness(&'static str),
    /// It is a harness-owned file of another build.
    OtherHarness,
    /// They do not name it.
    Nothing,
}

impl Gateway {
    /// The content of a blob, checked against its digest.
    pub(crate) async fn blob(&self, run: RunId, digest: &[u8]) -> Result<Bytes, Refusal> {
        let digest = Digest::from_bytes(digest).map_err(|e| Refusal::Invalid(e.to_string()))?;
        let records = self.view.records(run)?;
        match named(&records, digest) {
            Named::Sealed => Err(Refusal::Sealed(digest.to_string())),
            Named::Harness(content) => Ok(Bytes::from_static(content.as_bytes())),
            Named::OtherHarness => Err(Refusal::NotFound(format!(
                "{digest} is a harness-owned file of another version of Interlock; ask a gateway of that version"
            ))),
            Named::Nothing => Err(Refusal::NotFound(format!(
                "no record of run {run} names a blob {digest}"
            ))),
            Named::Stored(blob) if blob.size > MAX_BLOB_BYTES => Err(Refusal::TooMuch(format!(
                "blob {digest} is said to have {} bytes; no blob has more than {MAX_BLOB_BYTES}",
                blob.size
            ))),
            Named::Stored(blob) => Ok(self.bus().get_blob(&blob).await?),
        }
    }
}

/// The content in pieces that fit into a message each; an empty blob is one empty piece.
pub(crate) fn pieces(content: Bytes) -> impl Iterator<Item = wire::BlobChunk> + Send {
    let count = content.len().div_ceil(CHUNK_BYTES).max(1);
    (0..count).map(move |n| {
        let from = n * CHUNK_BYTES;
        let to = content.len().min(from + CHUNK_BYTES);
        wire::BlobChunk {
            data: content.slice(from..to).to_vec(),
        }
    })
}

/// Sealed counts before everything else: a digest that is sealed anywhere in the run is served nowhere in it.
fn named(records: &[Record], digest: Digest) -> Named {
    let all = || records.iter().flat_map(|record| of_payload(&record.payload, digest));
    all()
        .find(|named| *named == Named::Sealed)
        .or_else(|| all().next())
        .unwrap_or(Named::Nothing)
}

fn of_payload(payload: &Payload, digest: Digest) -> Vec<Named> {
    match payload {
        Payload::Request(request) => {
            let blobs = request.lock.iter().chain(&request.inputs).chain(&request.truth);
            of_blobs(blobs, digest)
        }
        Payload::Execution(execution) => of_blobs(execution.artifacts.iter(), digest),
        Payload::Candidate(candidate) => {
            let entries = candidate.manifest.iter().map(|(_, entry)| entry);
            entries.filter(|entry| entry.digest == digest).map(of_entry).collect()
        }
        Payload::PlanProposal(_)
        | Payload::Answer(_)
        | Payload::Verdict(_)
        | Payload::ExecutionStarted(_)
        | Payload::StageFailure(_)
        | Payload::Outcome(_) => Vec::new(),
    }
}

fn of_blobs<'a>(blobs: impl Iterator<Item = &'a NamedBlob>, digest: Digest) -> Vec<Named> {
    let same = blobs.map(|named| named.blob).filter(|blob| blob.digest == digest);
    same.map(|blob| {
        if blob.sealed {
            Named::Sealed
        } else {
            Named::Stored(blob)
        }
    })
    .collect()
}

fn of_entry(entry: &Entry) -> Named {
    let stored_by = |writer| {
        Named::Stored(BlobRef {
            digest: entry.digest,
            size: entry.size,
            chunks: chunk_count(entry.size),
            writer,
            sealed: false,
        })
    };
    match entry.owner {
        Owner::Model => stored_by(Stage::Generator),
        Owner::User => stored_by(Stage::Gateway),
        Owner::Harness => {
            let mut ours = owned::FILES.iter().map(|file| file.content);
            ours.find(|content| Digest::of(content.as_bytes()) == entry.digest)
                .map_or(Named::OtherHarness, Named::Harness)
        }
    }
}
