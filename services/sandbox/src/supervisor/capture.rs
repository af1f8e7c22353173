//! Keeps the head and the tail of a stream in bounded memory and counts the rest.

use std::collections::VecDeque;

/// One stream, as much of it as is kept.
#[derive(Debug)]
pub(super) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_limit: usize,
    tail_limit: usize,
    total: u64,
}

impl Capture {
    /// Keeps at most `limit` bytes: half from the beginning, half from the end.
    pub(super) fn new(limit: u64) -> Capture {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let head_limit = limit.div_ceil(2);
        Capture {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_limit,
            tail_limit: limit - head_limit,
            total: 0,
        }
    }

    /// Takes the next bytes of the stream.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.head_limit.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        let rest = rest
            .get(rest.len().saturating_sub(self.tail_limit)..)
            .unwrap_or_default();
        let excess = (self.tail.len() + rest.len()).saturating_sub(self.tail_limit);
        self.tail.drain(..excess.min(self.tail.len()));
        self.tail.extend(rest);
    }

    /// All bytes seen.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Head and tail.
    pub(super) fn into_parts(self) -> (Vec<u8>, Vec<u8>) {
        (self.head, self.tail.into())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn short_streams_are_whole() {
        let mut capture = Capture::new(10);
        capture.push(b"abc");
        capture.push(b"defgh");
        assert_eq!(capture.into_parts(), (b"abcde".to_vec(), b"fgh".to_vec()));
    }

    #[test]
    fn long_streams_keep_both_ends() {
        let mut capture = Capture::new(6);
        for chunk in [&b"0123456"[..], b"789", b"abcdefghijk", b"XY", b""] {
            capture.push(chunk);
        }
        assert_eq!(capture.total(), 23);
        assert_eq!(capture.into_parts(), (b"012".to_vec(), b"kXY".to_vec()));
    }

    #[test]
    fn nothing_kept_is_still_counted() {
        let mut capture = Capture::new(0);
        capture.push(&[7; 5000]);
        assert_eq!(capture.total(), 5000);
        assert_eq!(capture.into_parts(), (vec![], vec![]));
    }
}
