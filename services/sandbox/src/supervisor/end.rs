//! Ends a tree of processes for certain: asks, freezes, kills, and counts what is left. Signals go only to
//! processes that were found below this one, by a handle that cannot come to mean another process.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};

use super::tree::{self, Process};

/// How long the kernel may take to let go of killed processes before they count as survivors. One that waits for a slow
/// disk cannot die before the disk has answered: with eight programs filling a busy one, 5 s were seen not to do.
const PATIENCE: Duration = Duration::from_secs(20);
/// Passes in which new processes may still turn up while the tree is being frozen. A fork bomb of 1500 took 3.
const FREEZE_PASSES: u32 = 50;

/// Waits for ended children without blocking, and keeps the status of the first one.
#[derive(Debug)]
pub(super) struct Reaper {
    first: i32,
    pub(super) status: Option<ExitStatus>,
}

impl Reaper {
    pub(super) fn new(first: i32) -> Reaper {
        Reaper { first, status: None }
    }

    /// Kills the first child, unless it has been waited for.
    fn kill_first(&self) {
        if self.status.is_none()
            && let Some(pid) = Pid::from_raw(self.first)
        {
            // Nobody else waits for it, so its number is still its own.
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
    }

    /// Takes every child that has ended.
    pub(super) fn reap(&mut self) {
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            if pid.as_raw_nonzero().get() == self.first {
                self.status = Some(ExitStatus::from_raw(status.as_raw()));
            }
        }
    }
}

/// Sends a signal to one process, if it still is the one that was seen.
fn send(process: &Process, signal: Signal) {
    let Some(pid) = Pid::from_raw(process.pid) else { return };
    // Gone in the meantime: nothing to do.
    if let Ok(handle) = rustix::process::pidfd_open(pid, PidfdFlags::empty())
        && process.still_there()
    {
        let _ = rustix::process::pidfd_send_signal(&handle, signal);
    }
}

/// Asks every process deeper than `walls` to end.
pub(super) fn ask(walls: u32) {
    for process in tree::below(me())
        .unwrap_or_default()
        .iter()
        .filter(|process| process.depth > walls)
    {
        send(process, Signal::TERM);
    }
}

/// Kills everything below this process. Returns how many could not be killed.
pub(super) fn sweep(walls: u32, reaper: &mut Reaper) -> u32 {
    match walls {
        // Without a pid namespace, a bomb has to be frozen before it can be swept.
        0 => freeze(),
        // With one, its first process takes all others with it, and dies with bubblewrap: no need to look for them.
        _ => reaper.kill_first(),
    }
    let give_up = Instant::now() + PATIENCE;
    let mut pause = Duration::from_micros(200);
    loop {
        reaper.reap();
        let Ok(tree) = tree::below(me()) else { return u32::MAX };
        let left = tree.iter().filter(|process| process.alive()).count();
        if tree.is_empty() || (left == 0 && Instant::now() >= give_up) {
            return 0;
        }
        if Instant::now() >= give_up {
            return u32::try_from(left).unwrap_or(u32::MAX);
        }
        tree.iter()
            .filter(|process| process.alive())
            .for_each(|process| send(process, Signal::KILL));
        wait(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the supervisor is one thread without a runtime"
)]
fn wait(pause: Duration) {
    std::thread::sleep(pause);
}

/// Stops every process until a look finds none that was not stopped before.
fn freeze() {
    let mut stopped = std::collections::HashSet::new();
    for _ in 0..FREEZE_PASSES {
        let tree = tree::below(me()).unwrap_or_default();
        let fresh: Vec<&Process> = tree
            .iter()
            .filter(|process| process.alive() && !stopped.contains(&(process.pid, process.start)))
            .collect();
        if fresh.is_empty() {
            return;
        }
        for process in fresh {
            send(process, Signal::STOP);
            stopped.insert((process.pid, process.start));
        }
    }
}

fn me() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}
