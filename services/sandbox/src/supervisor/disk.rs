//! Counts what lies in the writable mounts. A folder that cannot be counted counts as too much: honest programs make
//! none.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use std::os::fd::AsFd;

use crate::results::walk::{self, Step, Walked};
use crate::wire::WatchLimits;

/// Shortest time between two counts.
const COUNT: Duration = Duration::from_millis(500);
/// Counting may cost this part of one processor.
const COUNT_SHARE: u32 = 20;
/// Deeper folders than this are not counted, so they are too much.
const DEPTH: usize = 64;

/// The watch over the writable mounts.
#[derive(Debug)]
pub(super) struct Disk {
    folders: Vec<PathBuf>,
    max_bytes: u64,
    max_files: u64,
    next: Instant,
}

impl Disk {
    pub(super) fn new(folders: Vec<PathBuf>, limits: &WatchLimits, now: Instant) -> Disk {
        Disk {
            folders,
            max_bytes: limits.disk_bytes,
            max_files: limits.disk_files,
            next: now + COUNT,
        }
    }

    /// Whether the mounts hold more than they may. Counts only when it is time to.
    pub(super) fn exceeded(&mut self, now: Instant) -> bool {
        if now < self.next {
            return false;
        }
        let exceeded = self.count();
        self.next = Instant::now() + COUNT.max(now.elapsed() * COUNT_SHARE);
        exceeded
    }

    /// Counts until something is too much.
    pub(super) fn count(&self) -> bool {
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
                return true;
            }
        }
        false
    }
}
