//! The processes below this one, as /proc shows them. Only looks; sends no signals.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;

use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions};

/// One process at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: i32,
    /// Start time in clock ticks since boot: with the pid, a name that is never reused.
    pub(super) start: u64,
    /// How many steps below this process: 1 is a child.
    pub(super) depth: u32,
    pub(super) parent: i32,
    pub(super) zombie: bool,
    /// Own processor time, in ticks.
    pub(super) own_ticks: u64,
    /// That of children that have ended and been waited for, in ticks.
    pub(super) waited_ticks: u64,
    /// How many threads it has.
    pub(super) threads: u64,
    pub(super) resident_bytes: u64,
}

impl Process {
    /// Whether it still runs, or could.
    pub(super) fn alive(&self) -> bool {
        !self.zombie
    }

    /// Its share of memory now, with shared pages split among those who share them; all that is resident if the kernel
    /// will not say; nothing if it has ended.
    pub(super) fn proportional_bytes(&self) -> u64 {
        let resident = |now: Process| if now.start == self.start { now.resident_bytes } else { 0 };
        self.share().unwrap_or_else(|| read(self.pid).map_or(0, resident))
    }

    fn share(&self) -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid)).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        line.trim()
            .strip_suffix("kB")?
            .trim()
            .parse::<u64>()
            .ok()
            .map(|kib| kib * 1024)
    }

    /// Whether its pid still means this process.
    pub(super) fn still_there(&self) -> bool {
        read(self.pid).is_some_and(|now| now.start == self.start)
    }
}

/// Whether this process has no child, not even one that has ended: then there is nothing below it, and the whole process
/// table need not be read to see that.
fn childless() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(rustix::process::waitid(WaitId::All, options), Err(Errno::CHILD))
}

/// Everything below `root`, nearest first.
pub(super) fn below(root: i32) -> io::Result<Vec<Process>> {
    if root == rustix::process::getpid().as_raw_nonzero().get() && childless() {
        return Ok(Vec::new());
    }
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // A process that ended since the listing is no process.
        if let Some(process) = read(pid) {
            children.entry(process.parent).or_default().push(process);
        }
    }
    let mut found: Vec<Process> = Vec::new();
    let mut seen = HashSet::from([root]);
    let mut level = vec![root];
    let mut depth = 0;
    while !level.is_empty() {
        depth += 1;
        let mut next = Vec::new();
        for mut process in level.iter().filter_map(|pid| children.remove(pid)).flatten() {
            if seen.insert(process.pid) {
                next.push(process.pid);
                process.depth = depth;
                found.push(process);
            }
        }
        level = next;
    }
    Ok(found)
}

/// Processor time of this process's own ended children, in ticks.
pub(super) fn waited_ticks_of_self() -> u64 {
    read(rustix::process::getpid().as_raw_nonzero().get()).map_or(0, |me| me.waited_ticks)
}

fn read(pid: i32) -> Option<Process> {
    parse(
        pid,
        &fs::read(format!("/proc/{pid}/stat")).ok()?,
        rustix::param::page_size() as u64,
    )
}

/// One line of /proc/PID/stat. The name in parentheses is the program's own and may hold anything.
fn parse(pid: i32, line: &[u8], page: u64) -> Option<Process> {
    let end_of_name = line.iter().rposition(|byte| *byte == b')')?;
    let fields = std::str::from_utf8(line.get(end_of_name + 1..)?).ok()?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    // Counted as in proc(5), where the state is field 3.
    let field = |number: usize| fields.get(number - 3).copied();
    let count = |number: usize| field(number).and_then(|word| word.parse::<u64>().ok());
    Some(Process {
        pid,
        depth: 0,
        zombie: matches!(field(3)?, "Z" | "X"),
        parent: field(4)?.parse().ok()?,
        own_ticks: count(14)? + count(15)?,
        waited_ticks: count(16)? + count(17)?,
        threads: count(20)?,
        start: count(22)?,
        resident_bytes: count(24)? * page,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_newlines_is_read() {
        let line = b"12 (a) Z 1 \n(b) S 7 12 12 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 1 0 5555 1000 25 0 0";
        let process = parse(12, line, 4096).unwrap();
        assert_eq!((process.parent, process.own_ticks, process.waited_ticks), (7, 30, 70));
        assert_eq!(
            (process.start, process.threads, process.resident_bytes, process.alive()),
            (5555, 1, 25 * 4096, true)
        );
    }

    #[test]
    fn this_process_is_seen() {
        let me = i32::try_from(std::process::id()).unwrap();
        let parent = read(me).unwrap().parent;
        let found = below(parent).unwrap();
        let mine = found.iter().find(|process| process.pid == me).unwrap();
        assert!(mine.depth == 1 && mine.alive() && mine.still_there() && mine.proportional_bytes() > 0);
    }
}
