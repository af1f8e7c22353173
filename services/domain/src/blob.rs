//! References to content that lies outside the records.

use crate::ids::Digest;
use crate::stage::Stage;

/// Largest chunk of a blob in bytes: with headers it stays below the broker's 1 MiB payload limit.
pub const CHUNK_BYTES: usize = 256 * 1024;
/// Largest blob in bytes.
pub const MAX_BLOB_BYTES: u64 = 256 * 1024 * 1024;

/// Names some bytes by digest and says who stored them, and so where to read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobRef {
    /// SHA-256 of the whole content.
    pub digest: Digest,
    /// Size in bytes.
    pub size: u64,
    /// Number of chunks of at most [`CHUNK_BYTES`].
    pub chunks: u32,
    /// The stage that stored it.
    pub writer: Stage,
    /// Stored where only the executor may read it.
    pub sealed: bool,
}

impl BlobRef {
    /// The reference that `content` has when `writer` stores it.
    pub fn of(content: &[u8], writer: Stage, sealed: bool) -> Self {
        Self {
            digest: Digest::of(content),
            size: content.len() as u64,
            chunks: chunk_count(content.len() as u64),
            writer,
            sealed,
        }
    }
}

/// How many chunks `size` bytes take; an empty blob takes none.
pub const fn chunk_count(size: u64) -> u32 {
    size.div_ceil(CHUNK_BYTES as u64) as u32
}

/// A blob under the name that its task or its record gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBlob {
    /// The name.
    pub name: String,
    /// The content.
    pub blob: BlobRef,
}
