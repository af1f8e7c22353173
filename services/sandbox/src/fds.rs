//! Descriptors handed over by number across `exec`. The only unsafe code of the crate; knows nothing of what the
//! descriptors are for.
#![expect(unsafe_code, reason = "the kernel hands descriptors over as bare numbers")]

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

/// Marks every descriptor from `first` on to be closed at the next `exec`, so that nothing that this process
/// inherited by accident reaches the program.
pub(crate) fn close_on_exec_from(first: u32) -> io::Result<()> {
    // SAFETY: the call takes no pointers and changes nothing but a flag of descriptors.
    let answer = unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Takes over a descriptor that the parent left open under this number. Call once per number, before anything else
/// in the process opens or closes descriptors.
pub(crate) fn adopt(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: F_GETFD reads a flag; an invalid number gives EBADF.
    if unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the number is open (checked above), was left open for this process by its parent, and nothing else
    // in this process knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
