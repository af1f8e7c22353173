//! What was seen from outside while a program ran. Nothing here comes from the program's own mouth except its
//! captured output.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::command::Tier;

/// Name of the file with the whole of stdout, where it is asked for.
pub const STDOUT: &str = "stdout.log";
/// Name of the file with the whole of stderr, where it is asked for.
pub const STDERR: &str = "stderr.log";

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The program left with this status.
    Exited(i32),
    /// A signal that nobody here sent ended the program.
    Signaled(i32),
    /// It was ended because it reached a limit.
    Limit(LimitKind),
    /// It was ended because the caller asked for it, or was gone.
    Cancelled,
}

/// Which limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// Time from start to end.
    Wall,
    /// Processor time.
    Cpu,
    /// Resident memory.
    Memory,
    /// Processes alive at the same time.
    Processes,
    /// Bytes written to stdout and stderr.
    Output,
    /// Neither output nor work for too long.
    Stall,
    /// Bytes or files in the writable mounts, or a folder there that cannot be counted.
    Disk,
}

impl LimitKind {
    /// The name used in records and reports.
    pub const fn name(self) -> &'static str {
        match self {
            LimitKind::Wall => "wall",
            LimitKind::Cpu => "cpu",
            LimitKind::Memory => "memory",
            LimitKind::Processes => "processes",
            LimitKind::Output => "output",
            LimitKind::Stall => "stall",
            LimitKind::Disk => "disk",
        }
    }
}

/// One output stream: its beginning, its end, and how much there was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes that are not already in `head`.
    pub tail: Vec<u8>,
    /// All bytes that were written, kept or not.
    pub total_bytes: u64,
}

impl Captured {
    /// How many bytes between head and tail were dropped.
    pub fn dropped_bytes(&self) -> u64 {
        self.total_bytes
            .saturating_sub(self.head.len() as u64)
            .saturating_sub(self.tail.len() as u64)
    }

    /// The stream as text, with a mark where bytes were dropped. Invalid UTF-8 is replaced.
    pub fn to_text(&self) -> String {
        match self.dropped_bytes() {
            0 => {
                let mut whole = self.head.clone();
                whole.extend_from_slice(&self.tail);
                String::from_utf8_lossy(&whole).into_owned()
            }
            dropped => format!(
                "{}\n[... {dropped} bytes dropped ...]\n{}",
                String::from_utf8_lossy(&self.head),
                String::from_utf8_lossy(&self.tail)
            ),
        }
    }
}

/// Everything seen from outside during one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// How it ended.
    pub end: End,
    /// How it was confined.
    pub tier: Tier,
    /// When it was started: milliseconds since 1970.
    pub started: u64,
    /// From start to the end of the first process.
    pub duration: Duration,
    /// Processor time of the whole tree.
    pub cpu: Duration,
    /// Most memory seen at one moment; an upper bound when the kernel hides which pages are shared.
    pub peak_memory_bytes: u64,
    /// Most processes seen at one moment.
    pub peak_processes: u32,
    /// Processes that could not be killed. Anything but zero fails a run.
    pub survivors: u32,
    /// What it wrote to stdout.
    pub stdout: Captured,
    /// What it wrote to stderr.
    pub stderr: Captured,
    /// What it wanted to reach over the network and may not, each once, the first of them.
    pub denied: Vec<String>,
}

/// A sign of life of a running program, about once a second.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Milliseconds since the start.
    pub elapsed_ms: u64,
    /// Processor time of the tree so far, in milliseconds.
    pub cpu_ms: u64,
    /// Memory at the last look.
    pub memory_bytes: u64,
    /// Processes at the last look.
    pub processes: u32,
    /// Bytes written to stdout and stderr so far.
    pub output_bytes: u64,
    /// Milliseconds since the last output or work, as the stall limit sees it.
    pub quiet_ms: u64,
    /// Bytes in the writable mounts at the last count.
    #[serde(default)]
    pub disk_bytes: u64,
}
