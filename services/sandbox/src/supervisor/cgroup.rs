//! A bound on the number of tasks by the kernel, where this process may make control groups. Elsewhere there is none, and
//! the watch over the tree has to do: the kernel's own per-user limit does not hold for root, and counts the service.
//! Never touches a group that it did not make.

use std::fs;
use std::path::{Path, PathBuf};

/// Where systems mount the controller of version 1.
const PIDS: &str = "/sys/fs/cgroup/pids";

/// What the names of our groups begin with; the rest is the supervisor's process id.
const NAME: &str = "interlock-";

/// A control group that this process has moved into.
#[derive(Debug)]
pub(super) struct Bound {
    group: PathBuf,
    parent: PathBuf,
}

impl Bound {
    /// Moves this process, and so all it will start, into a group of at most `tasks`. `None` where that is not allowed.
    pub(super) fn enter(tasks: u64) -> Option<Bound> {
        let table = fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = own_group(&table)?;
        let parent = Path::new(PIDS).join(own.trim_start_matches('/'));
        remove_left_over(&parent);
        let group = parent.join(format!("{NAME}{}", std::process::id()));
        fs::create_dir(&group).ok()?;
        let bound = Bound { group, parent };
        // Leaving an empty group behind is all that dropping a half-made one can do.
        fs::write(bound.group.join("pids.max"), tasks.to_string()).ok()?;
        fs::write(bound.group.join("cgroup.procs"), "0").ok()?;
        Some(bound)
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        // A group cannot be removed from inside. If it is not empty, there are survivors, who are counted elsewhere.
        let _ = fs::write(self.parent.join("cgroup.procs"), "0");
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

/// This process's group in the hierarchy of the pids controller.
fn own_group(table: &str) -> Option<&str> {
    table.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        controllers.split(',').any(|name| name == "pids").then_some(path)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_pids_hierarchy_is_found() {
        assert_eq!(
            own_group("9:name=systemd:/a\n8:cpu,pids:/b/c:d\n0::/e\n"),
            Some("/b/c:d")
        );
        assert_eq!(own_group("0::/only-version-2\n"), None);
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
