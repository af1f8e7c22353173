//! Removes a tree that a hostile program has left: any mode, any name, any depth, no link followed.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::walk::open_folder;

/// Folders deeper than this are moved up to the top first, so that neither descriptors nor stack run out.
const DEPTH: usize = 32;

/// Removes a folder and everything below it. A folder that is not there is removed already.
///
/// # Errors
/// If something is left that cannot be removed: not ours, or still being written to.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a folder that can be removed",
        ));
    };
    let parent = if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let parent = match rustix::fs::open(parent, flags, Mode::empty()) {
        Ok(parent) => parent,
        Err(Errno::NOENT) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let top = match unlocked(parent.as_fd(), name) {
        Ok(top) => top,
        Err(Errno::NOENT) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let mut moved = 0;
    // Every pass removes all that was not too deep; what was moved up is the next pass's.
    loop {
        let before = moved;
        empty(top.as_fd(), top.as_fd(), 0, &mut moved)?;
        if moved == before {
            break;
        }
    }
    Ok(rustix::fs::unlinkat(&parent, name, AtFlags::REMOVEDIR)?)
}

/// Removes everything in a folder.
fn empty(top: BorrowedFd<'_>, folder: BorrowedFd<'_>, depth: usize, moved: &mut u64) -> Result<(), Errno> {
    let mut names: Vec<OsString> = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            names.push(name.to_owned());
        }
    }
    for name in names {
        let kind = match rustix::fs::statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => FileType::from_raw_mode(stat.st_mode),
            Err(Errno::NOENT) => continue,
            Err(error) => return Err(error),
        };
        if kind != FileType::Directory {
            rustix::fs::unlinkat(folder, &name, AtFlags::empty())?;
        } else if depth < DEPTH {
            let inner = unlocked(folder, &name)?;
            empty(top, inner.as_fd(), depth + 1, moved)?;
            rustix::fs::unlinkat(folder, &name, AtFlags::REMOVEDIR)?;
        } else {
            move_up(top, folder, &name, moved)?;
        }
    }
    Ok(())
}

/// Moves a folder to the top under a name that nothing has there.
fn move_up(top: BorrowedFd<'_>, folder: BorrowedFd<'_>, name: &OsStr, moved: &mut u64) -> Result<(), Errno> {
    // A folder without write permission cannot be moved: its `..` changes.
    drop(unlocked(folder, name)?);
    loop {
        *moved += 1;
        let target = format!(".removing-{moved}");
        match rustix::fs::renameat_with(folder, name, top, &target, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => {}
            other => return other,
        }
    }
}

/// Opens a folder after giving ourselves all rights to it; never through a link.
fn unlocked(parent: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = rustix::fs::openat(parent, name, flags, Mode::empty())?;
    // A handle without rights cannot change a mode itself; its name in /proc means this folder and no other.
    rustix::fs::chmod(format!("/proc/self/fd/{}", handle.as_raw_fd()), Mode::RWXU)?;
    open_folder(handle.as_fd(), OsStr::new("."))
}
