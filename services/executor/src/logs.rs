//! What is kept of a program's output streams and of what it used. Reads what the supervisor wrote, and judges nothing.

use crate::telling::Sample;
use interlock_sandbox::Captured;
use serde_json::json;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Longest stream that is kept whole, in bytes: the default limit of both together. Of a longer one head and tail.
pub const MAX_WHOLE: u64 = 64 << 20;
/// The name of the samples among the artifacts.
pub const RESOURCES: &str = "resources.json";

/// The whole stream as it was written. Where it is too long, or the disk did not take all of it: head and tail as
/// text, with a mark for what is missing.
pub fn whole(path: &Path, captured: &Captured) -> Vec<u8> {
    let is_short = captured.total_bytes <= MAX_WHOLE && captured.dropped_bytes() > 0;
    let read = || {
        let mut bytes = Vec::new();
        File::open(path)?.take(captured.total_bytes).read_to_end(&mut bytes)?;
        std::io::Result::Ok(bytes)
    };
    match is_short.then(read) {
        Some(Ok(bytes)) if bytes.len() as u64 == captured.total_bytes => bytes,
        Some(_) | None => captured.to_text().into_bytes(),
    }
}

/// What the program used, as a JSON document: milliseconds since its start, bytes, and numbers of processes.
pub fn resources(samples: &[Sample]) -> Vec<u8> {
    json!({ "schema": 1, "samples": samples }).to_string().into_bytes()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn captured(total_bytes: u64) -> Captured {
        Captured {
            head: b"ab".to_vec(),
            tail: b"yz".to_vec(),
            total_bytes,
        }
    }

    #[test]
    fn a_long_stream_is_taken_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "ab....yz").unwrap();
        assert_eq!(whole(&path, &captured(8)), b"ab....yz");
    }

    #[test]
    fn a_file_that_is_not_whole_is_not_taken_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let marked = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().contains("4 bytes dropped");
        assert!(marked(whole(&path, &captured(8))), "there is none");
        std::fs::write(&path, "ab..").unwrap();
        assert!(marked(whole(&path, &captured(8))), "the disk was full");
        assert!(String::from_utf8_lossy(&whole(&path, &captured(MAX_WHOLE + 1))).contains("dropped"));
    }
}
