//! Adds up what the tree uses and says which limit is reached. Pure: time and processes come from outside.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::tree::Process;
use crate::observed::{LimitKind, Progress};
use crate::wire::WatchLimits;

/// Less processor time than this part of the stall limit counts as no work: timers and polls alone use about that.
const IDLE_DIVISOR: u64 = 100;
/// Memory sharing is worth asking the kernel about from this size on.
const SHARING_MATTERS: u64 = 8 << 20;

/// Everything measured so far.
#[derive(Debug)]
pub(super) struct Meter {
    limits: WatchLimits,
    ticks_per_second: u64,
    started: Instant,
    cpu_ms: u64,
    /// Own time of each process at the last look, by pid and start time.
    own: HashMap<(i32, u64), u64>,
    /// Own time of processes that are gone.
    gone_ticks: u64,
    memory: u64,
    processes: u32,
    /// Threads of all processes together.
    tasks: u64,
    pub(super) peak_memory: u64,
    pub(super) peak_processes: u32,
    output: u64,
    /// When there was last a sign of work, and the processor time then.
    worked: (Instant, u64),
}

impl Meter {
    pub(super) fn new(limits: WatchLimits, ticks_per_second: u64, started: Instant) -> Meter {
        Meter {
            limits,
            ticks_per_second: ticks_per_second.max(1),
            started,
            cpu_ms: 0,
            own: HashMap::new(),
            gone_ticks: 0,
            memory: 0,
            processes: 0,
            tasks: 0,
            peak_memory: 0,
            peak_processes: 0,
            output: 0,
            worked: (started, 0),
        }
    }

    /// Takes note of the program's processes (its walls not among them), of the time of children already waited
    /// for, and of the bytes written so far.
    pub(super) fn look(&mut self, now: Instant, tree: &[Process], waited_ticks: u64, output: u64) -> Option<LimitKind> {
        self.count_cpu(tree, waited_ticks);
        self.processes = u32::try_from(tree.len()).unwrap_or(u32::MAX);
        self.tasks = tree.iter().map(|process| process.threads).sum();
        self.peak_processes = self.peak_processes.max(self.processes);
        self.memory = self.memory_of(tree);
        self.peak_memory = self.peak_memory.max(self.memory);
        let idle_ms = self.limits.stall_ms.unwrap_or(u64::MAX) / IDLE_DIVISOR;
        if output != self.output || self.cpu_ms >= self.worked.1.saturating_add(idle_ms.max(1)) {
            self.worked = (now, self.cpu_ms);
        }
        self.output = output;
        self.reached(now)
    }

    /// The limit that is reached, the most telling first.
    fn reached(&self, now: Instant) -> Option<LimitKind> {
        let passed = |limit: Option<u64>, since: Instant| {
            limit.is_some_and(|limit| now.duration_since(since) >= Duration::from_millis(limit))
        };
        if self.processes > self.limits.processes || self.tasks > self.limits.tasks {
            Some(LimitKind::Processes)
        } else if self.memory > self.limits.memory_bytes {
            Some(LimitKind::Memory)
        } else if self.output > self.limits.output_total {
            Some(LimitKind::Output)
        } else if self.limits.cpu_ms.is_some_and(|limit| self.cpu_ms >= limit) {
            Some(LimitKind::Cpu)
        } else if passed(Some(self.limits.wall_ms), self.started) {
            Some(LimitKind::Wall)
        } else if passed(self.limits.stall_ms, self.worked.0) {
            Some(LimitKind::Stall)
        } else {
            None
        }
    }

    /// The larger of two counts. The kernel's own sum loses children whose parent did not wait for them; the sum of
    /// what was seen loses what happened between two looks.
    fn count_cpu(&mut self, tree: &[Process], waited_ticks: u64) {
        let kernel: u64 = tree
            .iter()
            .map(|process| process.own_ticks + process.waited_ticks)
            .sum();
        let now: HashMap<(i32, u64), u64> = tree
            .iter()
            .map(|process| ((process.pid, process.start), process.own_ticks))
            .collect();
        self.gone_ticks += self
            .own
            .iter()
            .filter(|(name, _)| !now.contains_key(name))
            .map(|(_, ticks)| ticks)
            .sum::<u64>();
        let seen = self.gone_ticks + now.values().sum::<u64>();
        self.own = now;
        let ticks = seen.max(kernel + waited_ticks);
        self.cpu_ms = self.cpu_ms.max(ticks * 1000 / self.ticks_per_second);
    }

    /// Resident memory; where several processes may share it and it would matter, what the kernel says of sharing.
    fn memory_of(&self, tree: &[Process]) -> u64 {
        let resident: u64 = tree.iter().map(|process| process.resident_bytes).sum();
        let large = tree
            .iter()
            .filter(|process| process.resident_bytes >= SHARING_MATTERS)
            .count();
        if large < 2 || resident <= self.peak_memory {
            return resident;
        }
        let shares = || tree.iter().map(Process::proportional_bytes).sum::<u64>();
        let first = shares();
        // While processes end, their shares pass to those that are read after them, and so count twice.
        if first > self.limits.memory_bytes {
            first.min(shares())
        } else {
            first
        }
    }

    pub(super) fn cpu_ms(&self) -> u64 {
        self.cpu_ms
    }

    pub(super) fn progress(&self, now: Instant) -> Progress {
        Progress {
            elapsed_ms: millis(now.duration_since(self.started)),
            cpu_ms: self.cpu_ms,
            memory_bytes: self.memory,
            processes: self.processes,
            output_bytes: self.output,
            quiet_ms: millis(now.duration_since(self.worked.0)),
            disk_bytes: 0,
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    const LIMITS: WatchLimits = WatchLimits {
        wall_ms: 10_000,
        grace_ms: 0,
        cpu_ms: Some(5000),
        memory_bytes: 1000,
        processes: 2,
        tasks: 10,
        output_kept: 0,
        output_total: 100,
        stall_ms: Some(1000),
        disk_bytes: 0,
        disk_files: 0,
        scratch_bytes: 0,
    };

    fn process(pid: i32, threads: u64, own_ticks: u64) -> Process {
        Process {
            pid,
            threads,
            own_ticks,
            ..Process::default()
        }
    }

    /// What a look at these processes says, after so many milliseconds.
    fn says(tree: &[Process], after: u64, output: u64) -> Option<LimitKind> {
        let started = Instant::now();
        let mut meter = Meter::new(LIMITS, 100, started);
        meter.look(started + Duration::from_millis(after), tree, 0, output)
    }

    #[test]
    fn the_most_telling_limit_is_named() {
        let heavy = Process {
            resident_bytes: 1001,
            ..process(1, 1, 0)
        };
        assert_eq!(says(&[process(1, 5, 0), process(2, 5, 0)], 10, 100), None);
        assert_eq!(says(&[process(1, 11, 0)], 10, 0), Some(LimitKind::Processes), "threads");
        let three = [process(1, 1, 0), process(2, 1, 0), process(3, 1, 0)];
        assert_eq!(says(&three, 20_000, 101), Some(LimitKind::Processes));
        assert_eq!(says(&[heavy], 20_000, 101), Some(LimitKind::Memory));
        assert_eq!(says(&[process(1, 1, 900)], 20_000, 101), Some(LimitKind::Output));
        assert_eq!(says(&[process(1, 1, 500)], 20_000, 0), Some(LimitKind::Cpu));
        assert_eq!(says(&[process(1, 1, 0)], 20_000, 0), Some(LimitKind::Wall));
        assert_eq!(says(&[process(1, 1, 0)], 1000, 0), Some(LimitKind::Stall));
    }

    #[test]
    fn the_time_of_processes_that_are_gone_is_kept() {
        let started = Instant::now();
        let mut meter = Meter::new(LIMITS, 100, started);
        meter.look(started, &[process(1, 1, 200), process(2, 1, 200)], 0, 0);
        assert_eq!(meter.look(started, &[process(1, 1, 200)], 0, 0), None);
        let seen = meter.look(started, &[process(1, 1, 200), process(3, 1, 100)], 0, 0);
        assert_eq!((seen, meter.cpu_ms()), (Some(LimitKind::Cpu), 5000));
    }
}
