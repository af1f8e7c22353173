//! What a page shows of a run's files. Whoever renders fetches them first; here stands which, and how large they may be.

use super::image;
use crate::view::Run;
use interlock_domain::blob::NamedBlob;
use std::collections::BTreeMap;

/// What the recorder wrote: the only place where a series has all its steps.
pub const RECORDED: &str = "out/recorded.json";
/// What the executor made of it all.
pub const RESULT: &str = "result.json";
/// What the program wrote to its two streams, head and tail.
pub const STDOUT: &str = "stdout.log";
/// The second of them.
pub const STDERR: &str = "stderr.log";

/// What the program used over time.
pub const RESOURCES: &str = "resources.json";

/// Largest file of text that is fetched: the executor keeps no larger ones of these names.
const MAX_TEXT: u64 = 16 << 20;

/// Content of a run's files, by the names that its records give them.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Artifacts of the last execution.
    pub artifacts: BTreeMap<String, Vec<u8>>,
    /// Text of the files that findings point at.
    pub sources: BTreeMap<String, String>,
}

impl Files {
    /// An artifact as text; bytes that are none become the replacement character.
    pub fn text(&self, name: &str) -> Option<String> {
        let bytes = self.artifacts.get(name)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// The artifacts that a page has a place for.
pub fn wanted(run: &Run) -> Vec<NamedBlob> {
    let artifacts = run.state.as_ref().and_then(|state| state.execution.as_ref());
    let mut images = 0;
    artifacts
        .into_iter()
        .flat_map(|execution| &execution.artifacts)
        .filter(|named| match named.name.as_str() {
            RECORDED | RESULT | STDOUT | STDERR | RESOURCES => named.blob.size <= MAX_TEXT,
            name if image::is_named_like_one(name) && named.blob.size <= image::MAX_BYTES => {
                images += named.blob.size;
                images <= image::MAX_TOTAL_BYTES
            }
            _ => false,
        })
        .cloned()
        .collect()
}
