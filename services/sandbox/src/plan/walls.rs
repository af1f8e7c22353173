//! Bubblewrap's options: a minimal view of the file system and every namespace there is.

use std::path::{Path, PathBuf};

use super::{LAUNCHER_INSIDE, SCRATCH_INSIDE};
use crate::command::{Command, Profile, Tier};
use crate::policy::Filesystem;
use crate::wire::Word;

/// Every namespace, no capability, no way to a further user namespace, nothing inherited.
const ALWAYS: [&str; 12] = [
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--die-with-parent",
    "--as-pid-1",
    "--new-session",
    "--clearenv",
    "--cap-drop",
    "ALL",
    "--hostname",
    "sandbox",
    "--chdir",
];

/// The options for one command.
pub(super) fn options(policy: &Filesystem, command: &Command, launcher: &Path, passed: &[PathBuf]) -> Vec<Word> {
    let mut options: Vec<Word> = ALWAYS.into_iter().map(Word::from).collect();
    // The launcher goes to the working folder itself, after all walls stand.
    options.push("/".into());
    let mut add = |words: &[&std::ffi::OsStr]| options.extend(words.iter().map(|word| Word::from((*word).to_owned())));
    let here = policy
        .system
        .iter()
        .filter(|entry| entry.tiers.contains(&Tier::Namespaces));
    for path in here.map(|entry| Path::new(&entry.path)) {
        match std::fs::read_link(path) {
            // A merged system's /lib is a link into /usr; the sandbox gets the same link.
            Ok(target) if path.parent() == Some(Path::new("/")) => {
                add(&["--symlink".as_ref(), target.as_os_str(), path.as_os_str()]);
            }
            _ if path.exists() => add(&["--ro-bind".as_ref(), path.as_os_str(), path.as_os_str()]),
            _ => {}
        }
    }
    let size = command.limits.scratch_bytes.to_string();
    let tmpfs = |place: &str| ["--size", &size, "--tmpfs", place].map(std::ffi::OsString::from);
    let mut plain: Vec<std::ffi::OsString> = ["--proc", "/proc", "--dev", "/dev"].map(Into::into).to_vec();
    match command.profile {
        Profile::Work => plain.extend(tmpfs(&policy.shared_memory.path)),
        Profile::Strict => {}
    }
    for device in passed {
        plain.extend(["--dev-bind".into(), device.into(), device.into()]);
    }
    plain.extend(["--remount-ro", "/dev"].map(Into::into));
    plain.extend(tmpfs(SCRATCH_INSIDE));
    plain.iter().for_each(|word| add(&[word]));
    add(&["--ro-bind".as_ref(), launcher.as_os_str(), LAUNCHER_INSIDE.as_ref()]);

    // Outer folders before inner ones.
    let mut mounts: Vec<_> = command.mounts.iter().collect();
    mounts.sort_by_key(|mount| mount.inside.len());
    for mount in mounts {
        let how = if mount.writable { "--bind" } else { "--ro-bind" };
        add(&[how.as_ref(), mount.host.as_os_str(), mount.inside.as_ref()]);
    }
    // Folders that only exist as parents of mounts are the sandbox's own memory: nothing is written there.
    add(&["--remount-ro".as_ref(), "/".as_ref()]);
    options
}
