//! The few system calls that have no safe form. Knows nothing of what they are for.
#![expect(
    unsafe_code,
    reason = "no safe form exists: descriptors come as bare numbers, usage through a pointer"
)]

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

/// Marks every descriptor from `first` on to be closed at the next `exec`, so that nothing that this process
/// inherited by accident reaches the program.
pub(crate) fn close_on_exec_from(first: u32) -> io::Result<()> {
    // SAFETY: the call takes no pointers and changes nothing but a flag of descriptors.
    let answer = unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
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

/// Most resident memory that any single ended process below this one ever had, in bytes.
pub(crate) fn largest_child() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the kernel fills the structure; it is valid when zeroed, too, should the call fail.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    // The kernel counts this one in KiB.
    u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(1024)
}
