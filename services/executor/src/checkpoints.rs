//! What a program keeps for the case that it is lost: a folder for each execution of a run, which begins as the one
//! before it was left. It must not trust what lies there: links and whatever else is no plain file are not carried over.

use interlock_domain::{FailureClass, RunId};
use interlock_sandbox::{EntryKind, ResultError, ResultFolder, remove_tree};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Most files and folders that are carried over.
const MAX_ENTRIES: usize = 10_000;
/// Deepest folder that is carried over.
const MAX_DEPTH: usize = 16;
/// A run that has not been heard of for so long will not be resumed from here.
const FORGOTTEN: Duration = Duration::from_secs(30 * 24 * 3600);

/// The checkpoints of all runs on this machine.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    root: PathBuf,
}

/// Why there is no checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The system.
    #[error("the checkpoint folder {path}: {source}")]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What the program left.
    #[error("what the lost program left as its checkpoint: {0}")]
    Left(#[from] ResultError),
    /// There is too much of it.
    #[error(
        "the lost program left more than {MAX_ENTRIES} files as its checkpoint, or folders deeper than {MAX_DEPTH}; have \
         it write fewer files"
    )]
    TooMuch,
}

impl CheckpointError {
    /// Whose fault it is: the program may write fewer files; for the rest a human has to look.
    pub const fn class(&self) -> FailureClass {
        match self {
            CheckpointError::Io { .. } => FailureClass::Harness,
            CheckpointError::Left(_) | CheckpointError::TooMuch => FailureClass::Disk,
        }
    }
}

impl Checkpoints {
    /// Below this folder.
    pub fn below(scratch: &Path) -> Self {
        Self {
            root: scratch.join("checkpoints"),
        }
    }

    /// The folder for one execution, as the last one before it left its own. That one is copied and not handed over: a
    /// program that is only thought lost may still write there.
    ///
    /// # Errors
    /// The disk, or something that no checkpoint should be.
    pub fn prepare(&self, run: RunId, attempt: u32) -> Result<PathBuf, CheckpointError> {
        let runs = self.root.join(run.to_string());
        let folder = runs.join(attempt.to_string());
        let failed = |source| CheckpointError::Io {
            path: folder.clone(),
            source,
        };
        remove_tree(&folder).map_err(failed)?;
        make(&folder).map_err(failed)?;
        let before = (1..attempt).rev().map(|earlier| runs.join(earlier.to_string()));
        if let Some(last) = before.into_iter().find(|folder| folder.is_dir()) {
            carry_over(&last, &folder).inspect_err(|_| {
                // Half a checkpoint is worse than none.
                let _ = remove_tree(&folder);
            })?;
        }
        Ok(folder)
    }

    /// Forgets a run: it has its result.
    pub fn forget(&self, run: RunId) {
        let folder = self.root.join(run.to_string());
        if let Err(error) = remove_tree(&folder) {
            tracing::warn!(folder = %folder.display(), %error, "checkpoints could not be removed");
        }
    }

    /// Removes what nobody will come back for: checkpoints of runs that were cancelled, or went on elsewhere.
    pub fn tidy(&self, now: SystemTime) {
        let entries = fs::read_dir(&self.root).into_iter().flatten().flatten();
        for entry in entries {
            let modified = entry.metadata().and_then(|meta| meta.modified());
            let age = modified.ok().and_then(|modified| now.duration_since(modified).ok());
            if age.is_some_and(|age| age > FORGOTTEN)
                && let Err(error) = remove_tree(&entry.path())
            {
                tracing::warn!(folder = %entry.path().display(), %error, "old checkpoints could not be removed");
            }
        }
    }
}

fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(folder)
}

fn carry_over(from: &Path, to: &Path) -> Result<(), CheckpointError> {
    let left = ResultFolder::open(from)?;
    let mut listing = left.list(MAX_ENTRIES, MAX_DEPTH)?;
    if listing.truncated {
        return Err(CheckpointError::TooMuch);
    }
    listing.entries.sort_by(|a, b| a.path.cmp(&b.path));
    for entry in listing.entries {
        let target = to.join(&entry.path);
        let failed = |source| CheckpointError::Io {
            path: target.clone(),
            source,
        };
        match entry.kind {
            EntryKind::Folder => make(&target).map_err(failed)?,
            EntryKind::File => {
                let mut source = left.open_file(&entry.path)?;
                let mut options = OpenOptions::new();
                let copy = options.write(true).create_new(true).mode(0o644).open(&target);
                let copied = copy.and_then(|mut copy| io::copy(&mut source, &mut copy));
                copied.map_err(failed)?;
            }
            EntryKind::Link | EntryKind::Other => {}
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn run() -> RunId {
        RunId::from_parts(1_700_000_000_000, 5)
    }

    #[test]
    fn an_execution_begins_where_the_last_one_was_left() {
        let scratch = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::below(scratch.path());
        let first = checkpoints.prepare(run(), 1).unwrap();
        assert_eq!(fs::read_dir(&first).unwrap().count(), 0, "it begins empty");
        fs::create_dir(first.join("epoch")).unwrap();
        fs::write(first.join("epoch/state"), "7").unwrap();
        symlink("/etc/passwd", first.join("link")).unwrap();
        let second = checkpoints.prepare(run(), 2).unwrap();
        fs::write(first.join("epoch/state"), "8, written by one that is not dead").unwrap();
        assert_eq!(fs::read_to_string(second.join("epoch/state")).unwrap(), "7");
        assert!(
            second.join("link").symlink_metadata().is_err(),
            "no link is carried over"
        );
        // The third never started; a fourth goes on from the second.
        fs::write(second.join("epoch/state"), "9").unwrap();
        let fourth = checkpoints.prepare(run(), 4).unwrap();
        assert_eq!(fs::read_to_string(fourth.join("epoch/state")).unwrap(), "9");
        checkpoints.forget(run());
        assert!(!fourth.exists());
    }

    #[test]
    fn too_many_files_are_refused_and_leave_no_half_of_them() {
        let scratch = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::below(scratch.path());
        let first = checkpoints.prepare(run(), 1).unwrap();
        for number in 0..=MAX_ENTRIES {
            fs::write(first.join(number.to_string()), "").unwrap();
        }
        let error = checkpoints.prepare(run(), 2).unwrap_err();
        assert!(matches!(error, CheckpointError::TooMuch), "{error}");
        assert_eq!(error.class(), FailureClass::Disk);
        assert!(!first.with_file_name("2").exists());
    }

    #[test]
    fn folders_that_are_too_deep_are_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::below(scratch.path());
        let first = checkpoints.prepare(run(), 1).unwrap();
        let deep = |levels: usize| first.join(vec!["a"; levels].join("/"));
        fs::create_dir_all(deep(MAX_DEPTH - 1)).unwrap();
        checkpoints.prepare(run(), 2).unwrap();
        remove_tree(&first.with_file_name("2")).unwrap();
        fs::create_dir_all(deep(MAX_DEPTH + 1)).unwrap();
        let error = checkpoints.prepare(run(), 2).unwrap_err();
        assert!(matches!(error, CheckpointError::TooMuch), "{error}");
    }

    #[test]
    fn what_nobody_comes_back_for_is_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::below(scratch.path());
        let folder = checkpoints.prepare(run(), 1).unwrap();
        checkpoints.tidy(SystemTime::now());
        assert!(folder.exists());
        checkpoints.tidy(SystemTime::now() + FORGOTTEN + Duration::from_secs(60));
        assert!(!folder.exists());
        checkpoints.tidy(SystemTime::now());
    }
}
