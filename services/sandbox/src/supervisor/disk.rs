//! Counts what lies in the writable mounts and in folders of temporary files. A folder that cannot be counted counts as too much: honest programs make
//! none.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use std::os::fd::AsFd;

use crate::results::walk::{self, Step, Walked};
use crate::wire::Job;

/// Shortest time between two counts.
const COUNT: Duration = Duration::from_millis(500);
/// Counting may cost this part of one processor.
const COUNT_SHARE: u32 = 20;
/// Deeper folders than this are not counted, so they are too much.
const DEPTH: usize = 64;

/// The watch over everything that can be written.
#[derive(Debug)]
pub(super) struct Disk {
    folders: Vec<PathBuf>,
    /// Folders inside the sandbox that are file systems of their own: their size is bounded, the number of files is not.
    own: Vec<PathBuf>,
    max_bytes: u64,
    max_files: u64,
    next: Instant,
    /// Bytes at the last count.
    pub(super) bytes: u64,
}

impl Disk {
    pub(super) fn new(job: &Job, now: Instant) -> Disk {
        Disk {
            folders: job.writable.iter().chain(&job.scratch).cloned().collect(),
            own: job.own.clone(),
            max_bytes: job.watch.disk_bytes,
            max_files: job.watch.disk_files,
            next: now + COUNT,
            bytes: 0,
        }
    }

    /// Whether there is more than there may be. Counts only when it is time to. `program` is any process inside.
    pub(super) fn exceeded(&mut self, now: Instant, program: Option<i32>) -> bool {
        if now < self.next {
            return false;
        }
        let exceeded = self.count() || program.is_some_and(|pid| self.count_own(pid));
        self.next = Instant::now() + COUNT.max(now.elapsed() * COUNT_SHARE);
        exceeded
    }

    /// Asks the sandbox's own file systems how many files they hold, as a process inside sees them.
    fn count_own(&self, pid: i32) -> bool {
        let root = PathBuf::from(format!("/proc/{pid}/root"));
        self.own.iter().any(|folder| {
            let seen = rustix::fs::statfs(root.join(folder.strip_prefix("/").unwrap_or(folder)));
            // A process that has ended in the meantime shows nothing; the next one will.
            seen.is_ok_and(|seen| seen.f_files.saturating_sub(seen.f_ffree) > self.max_files)
        })
    }

    /// Counts until something is too much.
    pub(super) fn count(&mut self) -> bool {
        let (mut bytes, mut files) = (0_u64, 0_u64);
        for folder in &self.folders {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let Ok(fd) = rustix::fs::open(folder, flags, Mode::empty()) else {
                // A single writable file has a size limit of its own.
                match std::fs::symlink_metadata(folder) {
                    Ok(meta) if meta.is_file() => continue,
                    _ => return true,
                }
            };
            let walked = walk::walk(fd.as_fd(), DEPTH, &mut |found| {
                bytes = bytes.saturating_add(found.allocated);
                files += 1;
                if bytes > self.max_bytes || files > self.max_files {
                    Step::Stop
                } else {
                    Step::On
                }
            });
            if walked != Ok(Walked::All) {
                self.bytes = bytes;
                return true;
            }
        }
        self.bytes = bytes;
        false
    }
}
