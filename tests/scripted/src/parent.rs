//! Ends with the process that started this one, even if that was killed.
//!
//! A pidfd and not `PR_SET_PDEATHSIG`: the signal is tied to the parent's *thread*, so a parent that
//! starts processes from a pool of threads would lose them whenever a thread of the pool retires.

use std::future::pending;
use std::io;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{PidfdFlags, getppid, pidfd_open};
use tokio::sync::oneshot;

pub(crate) struct Parent(Option<oneshot::Receiver<()>>);

/// Starts to watch, if that is wanted.
///
/// # Errors
/// The parent is gone already, or this kernel has no pidfds (before 5.3).
pub(crate) fn watch(wanted: bool) -> io::Result<Parent> {
    if !wanted {
        return Ok(Parent(None));
    }
    let orphan = || io::Error::other("the parent ended before it could be watched");
    let pid = getppid().ok_or_else(orphan)?;
    let parent = pidfd_open(pid, PidfdFlags::empty())?;
    // The number could have passed to another process before it was opened.
    if getppid() != Some(pid) {
        return Err(orphan());
    }
    let (sender, receiver) = oneshot::channel::<()>();
    std::thread::Builder::new().name("parent".to_owned()).spawn(move || {
        // A pidfd becomes readable when its process ends. Any error but an interruption means
        // that it can no longer be watched, which ends this process too: better too early than
        // left behind.
        let mut fds = [PollFd::new(&parent, PollFlags::IN)];
        while poll(&mut fds, None) == Err(Errno::INTR) {}
        drop(sender);
    })?;
    Ok(Parent(Some(receiver)))
}

impl Parent {
    /// Returns when the parent is gone; never if nobody watches.
    pub(crate) async fn gone(self) {
        match self.0 {
            Some(receiver) => drop(receiver.await),
            None => pending().await,
        }
    }
}
