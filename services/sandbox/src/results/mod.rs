//! Takes results out of a folder that a program has written to, and removes such folders. Treats every name, link, mode
//! and type in there as hostile: follows no link, opens nothing but plain files, never blocks, reads no more than
//! asked.

mod digest;
mod remove;
pub(crate) mod walk;

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use interlock_domain::Disposition;
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};

pub use remove::remove_tree;
use walk::{Step, Walked};

/// Why a result was not taken.
#[derive(Debug, thiserror::Error)]
pub enum ResultError {
    /// There is no such file.
    #[error("{0} is not there")]
    Missing(PathBuf),
    /// The name leads out of the folder, or through a link.
    #[error("{0} leads through a link or out of the folder")]
    Escapes(PathBuf),
    /// It is a folder, a pipe, a socket or a device.
    #[error("{0} is not a plain file")]
    NotAFile(PathBuf),
    /// It is larger than the caller takes.
    #[error("{path} is larger than {limit} bytes")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most the caller takes.
        limit: u64,
    },
    /// Its mode forbids reading, or the system failed.
    #[error("{path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl ResultError {
    /// What the caller should do about it: all but a failing system is the program's doing.
    pub fn disposition(&self) -> Disposition {
        match self {
            ResultError::Missing(_)
            | ResultError::Escapes(_)
            | ResultError::NotAFile(_)
            | ResultError::TooLarge { .. } => Disposition::Refuse,
            ResultError::Unreadable { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied => Disposition::Refuse,
                _ => Disposition::Escalate,
            },
        }
    }
}

/// What a name in a result folder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A plain file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link; where to is nobody's business.
    Link,
    /// A pipe, socket or device.
    Other,
}

/// One name in a result folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Relative to the folder; may hold any bytes.
    pub path: PathBuf,
    /// What it is.
    pub kind: EntryKind,
    /// Its length in bytes.
    pub size: u64,
}

/// What is in a result folder, as far as the caps go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// In no particular order.
    pub entries: Vec<Entry>,
    /// Whether something was left out: too many entries, too deep, or a folder that cannot be read.
    pub truncated: bool,
}

/// A folder that a program has written to.
#[derive(Debug)]
pub struct ResultFolder {
    folder: OwnedFd,
}

impl ResultFolder {
    /// Opens the folder itself; its own path is trusted.
    ///
    /// # Errors
    /// If it is not there or no folder.
    pub fn open(path: &Path) -> Result<ResultFolder, ResultError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| refusal(path, error))?;
        Ok(ResultFolder { folder })
    }

    /// One file, to be read.
    ///
    /// # Errors
    /// If the name is anything but a plain file below the folder.
    pub fn open_file(&self, name: &Path) -> Result<File, ResultError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let file = rustix::fs::openat2(&self.folder, name, flags, Mode::empty(), resolve)
            .map_err(|error| refusal(name, error))?;
        let stat = rustix::fs::fstat(&file).map_err(|error| refusal(name, error))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(ResultError::NotAFile(name.to_owned()));
        }
        Ok(File::from(file))
    }

    /// The bytes of one file, at most `limit` of them.
    ///
    /// # Errors
    /// If the name is anything but a plain file below the folder, or the file is larger than `limit`.
    pub fn read(&self, name: &Path, limit: u64) -> Result<Vec<u8>, ResultError> {
        let file = self.open_file(name)?;
        let mut bytes = Vec::new();
        // The length in the listing may be a lie by now; what is read is what counts.
        (file.take(limit.saturating_add(1)).read_to_end(&mut bytes)).map_err(|source| ResultError::Unreadable {
            path: name.to_owned(),
            source,
        })?;
        if bytes.len() as u64 > limit {
            return Err(ResultError::TooLarge {
                path: name.to_owned(),
                limit,
            });
        }
        Ok(bytes)
    }

    /// Everything below the folder, up to `max_entries` names and `max_depth` levels.
    ///
    /// # Errors
    /// If the folder itself cannot be read.
    pub fn list(&self, max_entries: usize, max_depth: usize) -> Result<Listing, ResultError> {
        let mut listing = Listing::default();
        let walked = walk::walk(self.folder.as_fd(), max_depth, &mut |found| {
            if listing.entries.len() >= max_entries {
                return Step::Stop;
            }
            let kind = match found.kind {
                FileType::RegularFile => EntryKind::File,
                FileType::Directory => EntryKind::Folder,
                FileType::Symlink => EntryKind::Link,
                _ => EntryKind::Other,
            };
            listing.entries.push(Entry {
                path: found.path.to_owned(),
                kind,
                size: found.size,
            });
            Step::On
        });
        let walked = walked.map_err(|error| refusal(Path::new("."), error))?;
        listing.truncated = walked != Walked::All;
        Ok(listing)
    }
}

fn refusal(path: &Path, error: rustix::io::Errno) -> ResultError {
    use rustix::io::Errno;
    let path = path.to_owned();
    match error {
        Errno::NOENT | Errno::NOTDIR => ResultError::Missing(path),
        Errno::LOOP | Errno::XDEV => ResultError::Escapes(path),
        Errno::NXIO | Errno::ISDIR | Errno::NODEV => ResultError::NotAFile(path),
        error => ResultError::Unreadable {
            path,
            source: error.into(),
        },
    }
}
