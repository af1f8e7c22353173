//! What a machine holds of this process's sandboxes: processes, descriptors, mounts, control groups, files. Looks only.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

/// What is there at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// Open descriptors of this process.
    pub descriptors: usize,
    /// Processes below this one, and those with the word on their command line.
    pub processes: BTreeSet<String>,
    /// Mounts of this process's namespace.
    pub mounts: usize,
    /// Control groups of supervisors that are gone.
    pub groups: BTreeSet<String>,
    /// Files and folders below the folder for running programs.
    pub files: BTreeSet<String>,
}

impl Holdings {
    /// Looks. `word` stands on the command line of every program, `scratch` is where the sandbox keeps its files.
    ///
    /// # Errors
    /// `/proc` or the folder cannot be read.
    pub fn now(word: &str, scratch: &Path) -> io::Result<Holdings> {
        let mut groups = BTreeSet::new();
        orphaned_groups(Path::new("/sys/fs/cgroup"), 6, &mut groups);
        let mut files = BTreeSet::new();
        for tier in fs::read_dir(scratch)?.flatten() {
            for entry in fs::read_dir(tier.path())?.flatten() {
                files.insert(entry.path().display().to_string());
            }
        }
        Ok(Holdings {
            // The folder itself is open while it is being read.
            descriptors: fs::read_dir("/proc/self/fd")?.count().saturating_sub(1),
            processes: processes(word)?,
            mounts: fs::read_to_string("/proc/self/mountinfo")?.lines().count(),
            groups,
            files,
        })
    }

    /// What is there now and was not before, in words.
    pub fn more_than(&self, before: &Holdings) -> Vec<String> {
        let mut more = Vec::new();
        if self.descriptors > before.descriptors {
            more.push(format!(
                "{} descriptors, {} before",
                self.descriptors, before.descriptors
            ));
        }
        if self.mounts > before.mounts {
            more.push(format!("{} mounts, {} before", self.mounts, before.mounts));
        }
        let new = |what: &str, now: &BTreeSet<String>, then: &BTreeSet<String>| -> Vec<String> {
            now.difference(then).map(|name| format!("{what} {name}")).collect()
        };
        more.extend(new("process", &self.processes, &before.processes));
        more.extend(new("control group", &self.groups, &before.groups));
        more.extend(new("file", &self.files, &before.files));
        more
    }
}

/// Resident memory of this process, in bytes.
///
/// # Errors
/// `/proc` cannot be read.
pub fn resident() -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes
        .map(|kilobytes| kilobytes * 1024)
        .ok_or_else(|| io::Error::other("/proc/self/status names no VmRSS"))
}

fn processes(word: &str) -> io::Result<BTreeSet<String>> {
    let own = std::process::id().to_string();
    let mut found = BTreeSet::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == own || !name.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // The name before it may hold anything: `pid (name) state parent`.
        let parent = stat
            .rsplit_once(')')
            .and_then(|(_, rest)| rest.split_whitespace().nth(1));
        if line.contains(word) || parent == Some(own.as_str()) {
            found.insert(format!("{name}: {line}"));
        }
    }
    Ok(found)
}

/// Groups that a supervisor made and did not live to remove.
fn orphaned_groups(folder: &Path, depth: u32, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if depth == 0 || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix("interlock-"));
        match owner.filter(|pid| !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit())) {
            Some(pid) if !Path::new("/proc").join(pid).exists() => {
                found.insert(entry.path().display().to_string());
            }
            Some(_) => {}
            None => orphaned_groups(&entry.path(), depth - 1, found),
        }
    }
}
