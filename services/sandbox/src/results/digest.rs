//! The digest of a file that a program left behind, without holding the file in memory.

use super::{ResultError, ResultFolder};
use sha2::{Digest, Sha256};
use std::io::{self, Read};
use std::path::Path;

/// How much is read at once.
const BLOCK: usize = 1 << 16;

impl ResultFolder {
    /// How many bytes a file holds, and their SHA-256 in hex.
    ///
    /// # Errors
    /// As [`ResultFolder::read`].
    pub fn digest(&self, name: &Path, limit: u64) -> Result<(u64, String), ResultError> {
        let mut file = self.open_file(name)?.take(limit.saturating_add(1));
        let mut hash = Sha256::new();
        let mut block = vec![0; BLOCK];
        let mut total: u64 = 0;
        loop {
            let count = match file.read(&mut block) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(source) => {
                    return Err(ResultError::Unreadable {
                        path: name.to_owned(),
                        source,
                    });
                }
            };
            total += count as u64;
            hash.update(block.get(..count).unwrap_or_default());
        }
        if total > limit {
            return Err(ResultError::TooLarge {
                path: name.to_owned(),
                limit,
            });
        }
        Ok((total, hex::encode(hash.finalize())))
    }
}
