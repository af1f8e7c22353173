//! A tree of files as a value: path → digest, size, mode, owner.

use crate::ids::Digest;
use crate::path::WorkspacePath;
use std::collections::{BTreeMap, BTreeSet};

/// Who may write a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// Interlock itself: byte for byte the file embedded in `domain`.
    Harness,
    /// The user who submitted the task.
    User,
    /// The model.
    Model,
}

impl Owner {
    /// The name used in views and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Owner::Harness => "harness",
            Owner::User => "user",
            Owner::Model => "model",
        }
    }
}

/// Permission bits of every source file: readable, and never executable.
pub const SOURCE_MODE: u32 = 0o444;

/// One file of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// SHA-256 of the content.
    pub digest: Digest,
    /// Size in bytes.
    pub size: u64,
    /// Permission bits; sources have [`SOURCE_MODE`].
    pub mode: u32,
    /// Who may write it.
    pub owner: Owner,
}

/// An immutable snapshot of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    entries: BTreeMap<WorkspacePath, Entry>,
}

/// Why entries do not make a manifest.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ManifestError {
    /// Two entries are one file on a case-blind file system.
    #[error("{0} and another entry are the same file where case does not count")]
    Clash(WorkspacePath),
    /// A file stands where another entry needs a folder.
    #[error("{0} is a file and the folder of another entry")]
    FileIsFolder(WorkspacePath),
}

impl Manifest {
    /// Checks that the entries can all stand in one folder.
    pub fn new(entries: impl IntoIterator<Item = (WorkspacePath, Entry)>) -> Result<Self, ManifestError> {
        let mut map = BTreeMap::new();
        let mut folded = BTreeSet::new();
        for (path, entry) in entries {
            if !folded.insert(path.folded()) {
                return Err(ManifestError::Clash(path));
            }
            map.insert(path, entry);
        }
        for path in map.keys() {
            let folder = format!("{}/", path.folded());
            let nested = folded.range(folder.clone()..).next();
            if nested.is_some_and(|other| other.starts_with(&folder)) {
                return Err(ManifestError::FileIsFolder(path.clone()));
            }
        }
        Ok(Self { entries: map })
    }

    /// The files in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&WorkspacePath, &Entry)> {
        self.entries.iter()
    }

    /// One file.
    pub fn get(&self, path: &WorkspacePath) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// How many files.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// This manifest with `changes` laid over it.
    pub fn with(&self, changes: impl IntoIterator<Item = (WorkspacePath, Entry)>) -> Result<Self, ManifestError> {
        let mut entries = self.entries.clone();
        entries.extend(changes);
        Self::new(entries)
    }

    /// Identity of the whole tree: independent of how a record encodes it.
    pub fn digest(&self) -> Digest {
        let mut parts: Vec<Vec<u8>> = Vec::with_capacity(self.entries.len() * 3);
        for (path, entry) in &self.entries {
            parts.push(path.as_str().as_bytes().to_vec());
            parts.push(entry.digest.as_bytes().to_vec());
            parts.push(format!("{:o} {}", entry.mode, entry.owner.name()).into_bytes());
        }
        Digest::of_parts(parts.iter().map(Vec::as_slice))
    }
}
