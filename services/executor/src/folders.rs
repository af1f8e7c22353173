//! The folders of one execution: sources, inputs, configuration, and the one that may be written to.

use interlock_sandbox::{Mount, remove_tree};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Where a program sees its sources; also its working folder.
pub const WORK: &str = "/work";
/// Where it sees the task's inputs.
pub const INPUTS: &str = "/inputs";
/// Where it sees the task's configuration.
pub const CONFIG: &str = "/task/config.json";
/// Where it may write.
pub const OUT: &str = "/out";

/// Where it keeps what it needs to go on after it was lost.
pub const CHECKPOINT: &str = "/checkpoint";

/// Folders on the host, removed when dropped, whatever a program left in them.
#[derive(Debug)]
pub struct Folders {
    root: PathBuf,
}

impl Folders {
    /// New, empty folders below `scratch`; what an earlier execution of this name left is removed first.
    pub fn make(scratch: &Path, name: &str) -> io::Result<Self> {
        let folders = Self {
            root: scratch.join(name),
        };
        remove_tree(&folders.root)?;
        for folder in [
            folders.work(),
            folders.inputs(),
            folders.task(),
            folders.out(),
            folders.scoring(),
            folders.logs(),
        ] {
            DirBuilder::new().recursive(true).mode(0o755).create(folder)?;
        }
        Ok(folders)
    }

    /// The workspace.
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// Read-only inputs.
    pub fn inputs(&self) -> PathBuf {
        self.root.join("inputs")
    }

    /// The task's configuration.
    pub fn task(&self) -> PathBuf {
        self.root.join("task")
    }

    /// The one folder that the program may write to.
    pub fn out(&self) -> PathBuf {
        self.root.join("out")
    }

    /// What the scorer sees; never shown to the program.
    pub fn scoring(&self) -> PathBuf {
        self.root.join("scoring")
    }

    /// The program's output streams in full length; never shown to the program.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// What the program sees of them.
    pub fn mounts(&self) -> Vec<Mount> {
        let mount = |host: PathBuf, inside: &str, writable: bool| Mount {
            host,
            inside: inside.to_owned(),
            writable,
        };
        vec![
            mount(self.work(), WORK, false),
            mount(self.inputs(), INPUTS, false),
            mount(self.task(), "/task", false),
            mount(self.out(), OUT, true),
        ]
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        if let Err(error) = remove_tree(&self.root) {
            tracing::error!(root = %self.root.display(), %error, "an execution's folders could not be removed");
        }
    }
}

/// Writes a new file that everybody may read and nobody may write.
pub fn write_input(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o444).open(path)?;
    file.write_all(content)
}
