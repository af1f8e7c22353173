//! Pieces of blobs that this process read or wrote lately. What lies under a blob's subject never changes, so a
//! remembered piece is as good as a read one; sealed content is never remembered.

use bytes::Bytes;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Remembered at most, in bytes.
const MOST: usize = 32 * 1024 * 1024;

/// A bounded memory; the oldest piece goes first.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    pieces: BTreeMap<String, Bytes>,
    order: VecDeque<String>,
    bytes: usize,
}

impl Memory {
    /// The piece under a subject, if it is remembered.
    pub(crate) fn recall(&self, subject: &str) -> Option<Bytes> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.pieces.get(subject).cloned()
    }

    /// Remembers a piece that is stored under a subject.
    pub(crate) fn keep(&self, subject: &str, piece: &Bytes) {
        if piece.len() > MOST {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.pieces.contains_key(subject) {
            return;
        }
        // A slice would hold on to the whole message that it is a part of.
        let own = Bytes::copy_from_slice(piece);
        kept.bytes += own.len();
        kept.pieces.insert(subject.to_owned(), own);
        kept.order.push_back(subject.to_owned());
        while kept.bytes > MOST {
            let Some(oldest) = kept.order.pop_front() else { break };
            let gone = kept.pieces.remove(&oldest).map_or(0, |piece| piece.len());
            kept.bytes = kept.bytes.saturating_sub(gone);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_the_oldest_goes_first() {
        let memory = Memory::default();
        let piece = Bytes::from(vec![7; MOST / 4]);
        for n in 0..6 {
            memory.keep(&format!("blob.{n}"), &piece);
            memory.keep(&format!("blob.{n}"), &piece);
        }
        let there: Vec<bool> = (0..6).map(|n| memory.recall(&format!("blob.{n}")).is_some()).collect();
        assert_eq!(there, [false, false, true, true, true, true]);
        memory.keep("too large", &Bytes::from(vec![0; MOST + 1]));
        assert!(memory.recall("too large").is_none());
    }
}
