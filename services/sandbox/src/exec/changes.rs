//! What a command changed in its output folder: names, sizes and digests before and after. The folder is hostile by
//! then: no link is followed, nothing but plain files is opened, and work is bounded.

use crate::results::{EntryKind, ResultError, ResultFolder};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Most names that are looked at.
const NAMES: usize = 100_000;
/// Deepest folder that is looked at.
const DEPTH: usize = 64;
/// Most bytes that are read for digests, in all files together: a file full of holes costs nothing to make.
const READ: u64 = 16 << 30;

/// The folder at one moment.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    names: BTreeMap<PathBuf, Seen>,
    whole: bool,
}

/// One name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    kind: &'static str,
    size: u64,
    digest: Result<String, String>,
}

/// What is different.
#[derive(Debug)]
pub(super) struct Changes {
    files: Vec<(PathBuf, &'static str, Option<Seen>)>,
    whole: bool,
}

impl Snapshot {
    pub(super) fn take(folder: &Path) -> Result<Snapshot, ResultError> {
        let opened = ResultFolder::open(folder)?;
        let listing = opened.list(NAMES, DEPTH)?;
        let mut left = READ;
        let mut names = BTreeMap::new();
        for entry in listing.entries {
            let kind = match entry.kind {
                EntryKind::Folder => continue,
                EntryKind::File => "file",
                EntryKind::Link => "link",
                EntryKind::Other => "other",
            };
            let (size, digest) = match entry.kind {
                EntryKind::File => match opened.digest(&entry.path, left) {
                    Ok((size, digest)) => {
                        left = left.saturating_sub(size);
                        (size, Ok(digest))
                    }
                    Err(error) => {
                        if let ResultError::TooLarge { .. } = error {
                            left = 0;
                        }
                        (entry.size, Err(error.to_string()))
                    }
                },
                EntryKind::Folder | EntryKind::Link | EntryKind::Other => (entry.size, Err("no plain file".to_owned())),
            };
            names.insert(entry.path, Seen { kind, size, digest });
        }
        Ok(Snapshot {
            names,
            whole: !listing.truncated,
        })
    }
}

/// What is different between two moments.
pub(super) fn between(before: &Snapshot, after: &Snapshot) -> Changes {
    let mut files = Vec::new();
    for (path, seen) in &after.names {
        match before.names.get(path) {
            None => files.push((path.clone(), "added", Some(seen.clone()))),
            // One that could not be read may have changed.
            Some(old) if old == seen && (seen.digest.is_ok() || seen.kind == "link") => {}
            Some(_) => files.push((path.clone(), "changed", Some(seen.clone()))),
        }
    }
    let removed = before.names.keys().filter(|path| !after.names.contains_key(*path));
    files.extend(removed.map(|path| (path.clone(), "removed", None)));
    files.sort_by(|one, other| one.0.cmp(&other.0));
    Changes {
        files,
        whole: before.whole && after.whole,
    }
}

impl Changes {
    /// As it stands in the document. Names are text: what is no UTF-8 is replaced.
    pub(super) fn shown(&self, folder: &Path) -> Value {
        let files = self.files.iter().map(|(path, change, seen)| {
            let mut shown = json!({"path": path.to_string_lossy(), "change": change});
            if let (Some(seen), Some(fields)) = (seen, shown.as_object_mut()) {
                fields.insert("kind".to_owned(), json!(seen.kind));
                fields.insert("bytes".to_owned(), json!(seen.size));
                fields.insert("sha256".to_owned(), json!(seen.digest.as_ref().ok()));
                if let Err(why) = &seen.digest {
                    fields.insert("why_no_sha256".to_owned(), json!(why));
                }
            }
            shown
        });
        json!({
            "folder": folder.to_string_lossy(),
            "complete": self.whole,
            "changed": files.collect::<Vec<_>>(),
        })
    }
}
