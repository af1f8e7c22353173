//! From a manifest to files: reads the sources it names, and lays them out in a folder.
//!
//! The manifest's own word for who owns a file is not believed: harness-owned files come from the
//! table in `domain`, byte for byte, and are written last.

use crate::bus::{Bus, BusError};
use bytes::Bytes;
use futures::StreamExt as _;
use interlock_domain::blob::BlobRef;
use interlock_domain::manifest::{Entry, Owner};
use interlock_domain::{Digest, Manifest, Stage, WorkspacePath, owned};
use std::collections::BTreeMap;
use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Content of every file of a workspace.
pub type Sources = BTreeMap<WorkspacePath, Bytes>;

/// Why a workspace cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The broker.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// A harness-owned file is not the harness's own, or somebody's file claims to be one.
    #[error("{0} is not the harness's own file, byte for byte")]
    NotOurs(WorkspacePath),
    /// A harness-owned file is missing.
    #[error("the harness's own {0} is missing")]
    Missing(&'static str),
    /// The folder.
    #[error("cannot write {path}: {source}")]
    Write {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Checks every harness-owned entry of a manifest against the table, in both directions.
pub fn check_ownership(manifest: &Manifest) -> Result<(), WorkspaceError> {
    for file in &owned::FILES {
        let entry = manifest.iter().find(|(path, _)| path.as_str() == file.path);
        let Some((path, entry)) = entry else {
            return Err(WorkspaceError::Missing(file.path));
        };
        if *entry != owned::entry_of(file.content, Owner::Harness) {
            return Err(WorkspaceError::NotOurs(path.clone()));
        }
    }
    let stranger = manifest.iter().find(|(path, entry)| {
        let in_table = owned::FILES.iter().any(|file| file.path == path.as_str());
        match entry.owner {
            Owner::Harness => !in_table,
            Owner::Model => owned::model_may_write(path).is_err(),
            Owner::User => in_table,
        }
    });
    match stranger {
        Some((path, _)) => Err(WorkspaceError::NotOurs(path.clone())),
        None => Ok(()),
    }
}

/// Files of a workspace that are read at the same time.
const IN_FLIGHT: usize = 16;

/// Reads every file that a manifest names; harness-owned ones come from the table.
pub async fn sources(bus: &Bus, manifest: &Manifest) -> Result<Sources, WorkspaceError> {
    check_ownership(manifest)?;
    let mut contents = Vec::with_capacity(manifest.len());
    for (path, entry) in manifest.iter() {
        contents.push(content(bus, path.clone(), *entry));
    }
    let mut read = futures::stream::iter(contents).buffered(IN_FLIGHT);
    let mut sources = Sources::new();
    while let Some(file) = read.next().await {
        let (path, content) = file?;
        sources.insert(path, content);
    }
    Ok(sources)
}

async fn content(bus: &Bus, path: WorkspacePath, entry: Entry) -> Result<(WorkspacePath, Bytes), BusError> {
    let bytes = match owned::FILES.iter().find(|file| file.path == path.as_str()) {
        Some(file) => Bytes::from_static(file.content.as_bytes()),
        None => bus.get_blob(&blob_of(&entry)).await?,
    };
    Ok((path, bytes))
}

/// Where the content of a model-owned entry is stored.
pub fn blob_of(entry: &Entry) -> BlobRef {
    BlobRef {
        digest: entry.digest,
        size: entry.size,
        chunks: interlock_domain::blob::chunk_count(entry.size),
        writer: Stage::Generator,
        sealed: false,
    }
}

/// Writes the files below `root`, which has to exist and be empty. Harness-owned files come last.
pub fn lay_out(root: &Path, sources: &Sources) -> Result<(), WorkspaceError> {
    let is_ours = |path: &WorkspacePath| owned::FILES.iter().any(|file| file.path == path.as_str());
    let (ours, theirs): (Vec<_>, Vec<_>) = sources.iter().partition(|(path, _)| is_ours(path));
    for (path, content) in theirs.into_iter().chain(ours) {
        let target = root.join(path.as_str());
        write_new(&target, content).map_err(|source| WorkspaceError::Write { path: target, source })?;
    }
    Ok(())
}

fn write_new(target: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = target.parent() {
        DirBuilder::new().recursive(true).mode(0o755).create(folder)?;
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o444)
        .open(target)?;
    file.write_all(content)?;
    // The umask of whoever started us must not decide what the program can read.
    file.set_permissions(Permissions::from_mode(0o444))
}

/// The paths whose content below `root` is no longer what was laid out.
pub fn changed(root: &Path, sources: &Sources) -> Vec<WorkspacePath> {
    let differs = |(path, content): &(&WorkspacePath, &Bytes)| {
        let target = root.join(path.as_str());
        let is_file = std::fs::symlink_metadata(&target).is_ok_and(|m| m.is_file() && m.len() == content.len() as u64);
        !is_file || !std::fs::read(&target).is_ok_and(|now| Digest::of(&now) == Digest::of(content))
    };
    sources.iter().filter(differs).map(|(path, _)| path.clone()).collect()
}
