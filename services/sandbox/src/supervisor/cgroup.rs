//! Bounds by the kernel on tasks and memory, where this process may make control groups. Elsewhere there are none, and the
//! watch over the tree has to do: the kernel's own per-user limit does not hold for root, and counts the service; and
//! between two looks memory may grow. Never touches a group that it did not make.

use std::fs;
use std::path::{Path, PathBuf};

/// Where systems mount the controllers: those of version 1 in folders of their own, version 2 here or beside them.
const ROOT: &str = "/sys/fs/cgroup";
/// What the names of our groups begin with; the rest is the supervisor's process id.
const NAME: &str = "interlock-";
/// Above the limit that the watch holds, which knows what is shared: the sandbox's own processes and what the kernel keeps
/// for them.
const MARGIN: u64 = 64 << 20;

/// What is to be bounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Processes and threads.
    pub(super) tasks: u64,
    /// Bytes of memory of all of them.
    pub(super) memory: u64,
}

/// The control groups that this process has moved into.
#[derive(Debug, Default)]
pub(super) struct Bound {
    groups: Vec<Group>,
}

/// One of them.
#[derive(Debug)]
struct Group {
    group: PathBuf,
    /// Where this process goes back to.
    home: PathBuf,
    /// The file with the number of processes that the kernel has killed for memory.
    kills: Option<PathBuf>,
}

impl Bound {
    /// Moves this process, and so all it will start, into groups with these bounds, as far as that is allowed.
    pub(super) fn enter(bounds: Bounds) -> Bound {
        let table = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Bound::enter_below(Path::new(ROOT), &table, bounds)
    }

    fn enter_below(root: &Path, table: &str, bounds: Bounds) -> Bound {
        let memory = bounds.memory.saturating_add(MARGIN).to_string();
        let tasks = bounds.tasks.to_string();
        let mut groups = Vec::new();
        if let Some(own) = own_group(table, Some("pids")) {
            groups.extend(Group::enter(
                below(&root.join("pids"), own),
                None,
                &[("pids.max", &tasks)],
            ));
        }
        if let Some(own) = own_group(table, Some("memory")) {
            let settings = [("memory.limit_in_bytes", memory.as_str())];
            let mut group = Group::enter(below(&root.join("memory"), own), None, &settings);
            if let Some(group) = &mut group {
                group.kills = Some(group.group.join("memory.oom_control"));
                // Only where swap is counted at all.
                let _ = fs::write(group.group.join("memory.memsw.limit_in_bytes"), &memory);
            }
            groups.extend(group);
        }
        // In version 2 a group with processes has no controllers for groups below it: ours stands beside our own.
        if groups.is_empty()
            && let Some(own) = own_group(table, None)
        {
            let own = below(root, own);
            if let Some(parent) = own.parent().filter(|parent| parent.starts_with(root)) {
                let settings = [("pids.max", tasks.as_str()), ("memory.max", memory.as_str())];
                let mut group = Group::enter(parent.to_owned(), Some(own.clone()), &settings);
                if let Some(group) = &mut group {
                    group.kills = Some(group.group.join("memory.events"));
                    // Only where there is swap.
                    let _ = fs::write(group.group.join("memory.swap.max"), "0");
                }
                groups.extend(group);
            }
        }
        Bound { groups }
    }

    /// Whether the kernel had to kill a process for want of memory.
    pub(super) fn is_out_of_memory(&self) -> bool {
        let files = self.groups.iter().filter_map(|group| group.kills.as_ref());
        files
            .filter_map(|file| fs::read_to_string(file).ok())
            .any(|text| kills(&text) > 0)
    }
}

impl Group {
    /// A new group below `parent` with this process in it, or nothing.
    fn enter(parent: PathBuf, home: Option<PathBuf>, settings: &[(&str, &str)]) -> Option<Group> {
        remove_left_over(&parent);
        let group = parent.join(format!("{NAME}{}", std::process::id()));
        fs::create_dir(&group).ok()?;
        // Leaving an empty group behind is all that dropping a half-made one can do.
        let made = Group {
            group,
            home: home.unwrap_or(parent),
            kills: None,
        };
        for (file, value) in settings {
            // Not made here: a bound that the kernel does not know is none.
            let mut options = fs::OpenOptions::new();
            let file = options.write(true).open(made.group.join(file)).ok()?;
            std::io::Write::write_all(&mut &file, value.as_bytes()).ok()?;
        }
        fs::write(made.group.join("cgroup.procs"), "0").ok()?;
        Some(made)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // A group cannot be removed from inside. If it is not empty, there are survivors, who are counted elsewhere.
        let _ = fs::write(self.home.join("cgroup.procs"), "0");
        let _ = fs::remove_dir(&self.group);
    }
}

/// Removes the groups of supervisors that were killed before they could do so themselves. One that still holds processes
/// cannot be removed, and is not.
fn remove_left_over(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name
            .to_str()
            .and_then(|name| name.strip_prefix(NAME))
            .and_then(|pid| pid.parse().ok());
        // A group under this process's own number is an earlier one's.
        if owner.is_some_and(|pid: u32| pid == std::process::id() || !Path::new("/proc").join(pid.to_string()).exists())
        {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

fn below(root: &Path, own: &str) -> PathBuf {
    root.join(own.trim_start_matches('/'))
}

/// This process's group in the hierarchy of a controller of version 1, or in that of version 2.
fn own_group<'t>(table: &'t str, controller: Option<&str>) -> Option<&'t str> {
    table.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let is_it = match controller {
            Some(wanted) => controllers.split(',').any(|name| name == wanted),
            None => number == "0" && controllers.is_empty(),
        };
        is_it.then_some(path)
    })
}

/// The number behind `oom_kill`, which both versions have in a line of its own.
fn kills(text: &str) -> u64 {
    let number = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
    number.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        tasks: 70,
        memory: 1 << 30,
    };

    #[test]
    fn the_own_group_is_found() {
        let table = "9:name=systemd:/a\n8:cpu,pids:/b/c:d\n0::/e\n";
        assert_eq!(own_group(table, Some("pids")), Some("/b/c:d"));
        assert_eq!(own_group(table, Some("memory")), None);
        assert_eq!(own_group(table, None), Some("/e"));
        assert_eq!(own_group("8:pids:/b\n", None), None);
    }

    #[test]
    fn kills_for_memory_are_read_in_both_versions() {
        assert_eq!(kills("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"), 2);
        assert_eq!(kills("low 0\nhigh 0\nmax 14\noom 3\noom_kill 1\noom_group_kill 0\n"), 1);
        assert_eq!(kills("oom_kill 0\n"), 0);
        assert_eq!(kills(""), 0);
    }

    #[test]
    fn without_the_kernels_files_there_is_no_bound_and_nothing_is_left() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["pids/own", "memory/own", "scope/own"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        for table in ["8:pids:/own\n4:memory:/own\n", "0::/scope/own\n", "0::/\n", ""] {
            let bound = Bound::enter_below(root.path(), table, BOUNDS);
            assert!(bound.groups.is_empty(), "{table}");
            assert!(!bound.is_out_of_memory());
        }
        for folder in ["pids/own", "memory/own", "scope"] {
            let names = fs::read_dir(root.path().join(folder)).unwrap().flatten();
            let ours = names.filter(|entry| entry.file_name().to_string_lossy().starts_with(NAME));
            assert_eq!(ours.count(), 0, "{folder}");
        }
    }

    #[test]
    fn groups_of_the_dead_are_removed_and_no_others() {
        let parent = tempfile::tempdir().unwrap();
        // The largest process id there is lies below this.
        let (dead, own) = (u32::MAX, std::process::id());
        for name in [format!("{NAME}{dead}"), format!("{NAME}{own}")] {
            fs::create_dir(parent.path().join(name)).unwrap();
        }
        let kept = [
            format!("{NAME}1"),
            format!("{NAME}{}/inside", dead - 1),
            format!("other-{dead}"),
            format!("{NAME}x"),
        ];
        for name in &kept {
            fs::create_dir_all(parent.path().join(name)).unwrap();
        }
        remove_left_over(parent.path());
        assert!(kept.iter().all(|name| parent.path().join(name).exists()));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), kept.len());
    }
}
