//! Where things lie: checks mounts, translates between the sandbox's paths and the host's, and lists what may be
//! read and written.

use std::path::{Component, Path, PathBuf};

use super::SCRATCH_INSIDE;
use crate::command::{Mount, Profile, Tier};
use crate::error::SandboxError;
use crate::policy::Filesystem;

/// Folders that belong to the system or to the sandbox: nothing is mounted on or below them.
const RESERVED: [&str; 10] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/proc",
    "/sys",
    "/dev",
    "/run/interlock",
];

/// The mounts of one command, the deepest first.
#[derive(Debug)]
pub(super) struct Places {
    tier: Tier,
    mounts: Vec<Mount>,
    scratch: PathBuf,
}

/// What landlock allows.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) readable: Vec<PathBuf>,
    pub(super) writable: Vec<PathBuf>,
    pub(super) devices: Vec<PathBuf>,
}

impl Places {
    pub(super) fn new(tier: Tier, mounts: &[Mount], scratch: &Path) -> Result<Places, SandboxError> {
        let mut sorted = Vec::with_capacity(mounts.len());
        for mount in mounts {
            let inside = normal(&mount.inside)?;
            if RESERVED.iter().any(|reserved| inside.starts_with(reserved)) || inside == Path::new("/") {
                return Err(SandboxError::BadCommand(format!(
                    "nothing can be mounted on {}",
                    mount.inside
                )));
            }
            // The real place: landlock and bubblewrap follow links, so what is checked has to be what is meant.
            let host = std::fs::canonicalize(&mount.host).map_err(|source| SandboxError::Missing {
                path: mount.host.clone(),
                source,
            })?;
            sorted.push(Mount {
                host,
                inside: mount.inside.clone(),
                writable: mount.writable,
            });
        }
        for frozen in sorted.iter().filter(|mount| !mount.writable) {
            if let Some(open) = sorted
                .iter()
                .find(|mount| mount.writable && frozen.host.starts_with(&mount.host))
            {
                return Err(SandboxError::BadCommand(format!(
                    "{} is to be read only but lies in {}, which is writable",
                    frozen.inside, open.inside
                )));
            }
        }
        sorted.sort_by_key(|mount| std::cmp::Reverse(mount.inside.len()));
        Ok(Places {
            tier,
            mounts: sorted,
            scratch: scratch.to_owned(),
        })
    }

    /// The path under which the program finds what the caller calls `inside`.
    pub(super) fn seen(&self, inside: &str) -> Result<PathBuf, SandboxError> {
        let path = normal(inside)?;
        match self.tier {
            Tier::Namespaces => Ok(path),
            Tier::Landlock => Ok((self.mounts.iter())
                .find_map(|mount| Some(below(&mount.host, path.strip_prefix(&mount.inside).ok()?)))
                .or_else(|| Some(below(&self.scratch, path.strip_prefix(SCRATCH_INSIDE).ok()?)))
                .unwrap_or(path)),
        }
    }

    /// What landlock allows, as paths that exist where the launcher runs.
    pub(super) fn access(&self, policy: &Filesystem, tier: Tier, profile: Profile, scratch: &Path) -> Access {
        let system = policy
            .system
            .iter()
            .filter(|entry| entry.tiers.contains(&tier))
            .map(|entry| &entry.path);
        let mut readable: Vec<PathBuf> = system.map(PathBuf::from).filter(|path| path.exists()).collect();
        let mut writable = vec![scratch.to_owned()];
        match tier {
            Tier::Namespaces => readable.extend(["/proc", "/dev"].map(PathBuf::from)),
            Tier::Landlock => {}
        }
        match profile {
            Profile::Work => writable.push(PathBuf::from(&policy.shared_memory.path)),
            Profile::Strict => {}
        }
        for mount in &self.mounts {
            let place = match tier {
                Tier::Namespaces => PathBuf::from(&mount.inside),
                Tier::Landlock => mount.host.clone(),
            };
            if mount.writable {
                writable.push(place)
            } else {
                readable.push(place)
            }
        }
        let devices = policy
            .devices
            .iter()
            .map(|device| PathBuf::from(&device.path))
            .collect();
        Access {
            readable,
            writable,
            devices,
        }
    }
}

fn below(folder: &Path, rest: &Path) -> PathBuf {
    // Joining an empty path would add a slash, which no file can carry.
    if rest.as_os_str().is_empty() {
        folder.to_owned()
    } else {
        folder.join(rest)
    }
}

/// An absolute path without `.` and `..`.
fn normal(inside: &str) -> Result<PathBuf, SandboxError> {
    let path = PathBuf::from(inside);
    let plain = path
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    if path.is_absolute() && plain && !inside.contains('\0') {
        Ok(path)
    } else {
        Err(SandboxError::BadCommand(format!(
            "{inside:?} is not a plain absolute path"
        )))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    fn mount(host: &str, inside: &str, writable: bool) -> Mount {
        Mount {
            host: host.into(),
            inside: inside.into(),
            writable,
        }
    }

    fn places(tier: Tier, mounts: &[Mount]) -> Result<Places, SandboxError> {
        Places::new(tier, mounts, Path::new("/scratch/1"))
    }

    #[test]
    fn the_deepest_mount_names_the_host_path() {
        let mounts = [mount("/usr", "/work", false), mount("/usr/bin", "/work/out", true)];
        let there = places(Tier::Landlock, &mounts).unwrap();
        assert_eq!(there.seen("/work/a/b").unwrap(), Path::new("/usr/a/b"));
        assert_eq!(there.seen("/work/out").unwrap(), Path::new("/usr/bin"));
        assert_eq!(there.seen("/workshop").unwrap(), Path::new("/workshop"));
        assert_eq!(there.seen("/tmp/x").unwrap(), Path::new("/scratch/1/x"));
        assert_eq!(
            places(Tier::Namespaces, &mounts).unwrap().seen("/work/a").unwrap(),
            Path::new("/work/a")
        );
    }

    #[test]
    fn crooked_mounts_are_refused() {
        let crooked = [
            vec![mount("/usr", "/proc/x", false)],
            vec![mount("/usr", "/", false)],
            vec![mount("/usr", "relative", false)],
            vec![mount("/usr", "/a/../usr", false)],
            vec![mount("/no/such/place", "/a", false)],
            vec![mount("/usr", "/a", true), mount("/usr/bin", "/b", false)],
        ];
        for mounts in crooked {
            assert!(places(Tier::Namespaces, &mounts).is_err(), "{mounts:?}");
        }
    }
}
