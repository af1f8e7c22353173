//! Walks a hostile tree by descriptors: no link is followed, no path is built that could mean something else by now,
//! and depth and count are bounded.

use std::ffi::OsStr;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

/// One thing found.
pub(crate) struct Found<'a> {
    pub(crate) path: &'a Path,
    pub(crate) kind: FileType,
    /// Length in bytes.
    pub(crate) size: u64,
    /// Bytes on disk.
    pub(crate) allocated: u64,
}

/// Whether to go on.
pub(crate) enum Step {
    On,
    Stop,
}

/// How far the walk got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walked {
    /// Everything was seen.
    All,
    /// The visitor said stop.
    Stopped,
    /// Something was too deep or could not be read.
    Partly,
}

/// Opens a folder by name, never through a link.
pub(super) fn open_folder(parent: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::openat(parent, name, flags, Mode::empty())
}

/// Calls `visit` for everything below `root`. Holds one descriptor for each level.
pub(crate) fn walk(
    root: BorrowedFd<'_>,
    max_depth: usize,
    visit: &mut dyn FnMut(&Found<'_>) -> Step,
) -> Result<Walked, Errno> {
    let mut partly = false;
    let mut stack = vec![(Dir::read_from(root)?, PathBuf::new())];
    loop {
        let deep = stack.len() >= max_depth;
        let Some((folder, at)) = stack.last_mut() else { break };
        let Some(entry) = folder.read() else {
            stack.pop();
            continue;
        };
        let name = match &entry {
            Ok(entry) => OsStr::from_bytes(entry.file_name().to_bytes()),
            Err(_) => {
                partly = true;
                stack.pop();
                continue;
            }
        };
        if name == "." || name == ".." {
            continue;
        }
        let parent = folder.fd()?;
        let stat = match rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            // Gone since it was listed.
            Err(Errno::NOENT) => continue,
            Err(_) => {
                partly = true;
                continue;
            }
        };
        let path = at.join(name);
        let kind = FileType::from_raw_mode(stat.st_mode);
        let found = Found {
            path: &path,
            kind,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            // Blocks of 512 bytes, whatever the file system's own are.
            allocated: u64::try_from(stat.st_blocks).unwrap_or(0).saturating_mul(512),
        };
        if let Step::Stop = visit(&found) {
            return Ok(Walked::Stopped);
        }
        if kind == FileType::Directory {
            let deeper = if deep {
                None
            } else {
                open_folder(parent, name).and_then(Dir::new).ok()
            };
            match deeper {
                Some(deeper) => stack.push((deeper, path)),
                None => partly = true,
            }
        }
    }
    Ok(if partly { Walked::Partly } else { Walked::All })
}
