//! A folder as a workspace: its files, under the names that a program started from it would see.

use super::encoding::Decoded;
use super::layout::Layout;
use super::walk::Tree;
use bytes::Bytes;
use interlock_domain::WorkspacePath;
use interlock_stage::workspace::Sources;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// What stands for a module that could not be read: any name may be in it.
const UNKNOWN: &str = "def __getattr__(name):\n    raise AttributeError(name)\n";

/// Why a folder cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It is not there.
    #[error("there is no folder {0}")]
    Missing(PathBuf),
    /// It is something else.
    #[error("{0} is no folder; name the folder of the workspace, and a script in it by --entry")]
    NoFolder(PathBuf),
    /// It cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is too much in it.
    #[error("{0} holds more than 20000 Python files, or a million entries; name the folder of one workspace")]
    TooLarge(PathBuf),
    /// There is nothing in it.
    #[error("there is no Python file in {folder}{left_out}")]
    Empty {
        /// Which folder.
        folder: PathBuf,
        /// What was left alone in it.
        left_out: String,
    },
    /// The source root is not in the folder.
    #[error("{0} is no folder below the one that is checked; name the folder that is first on the module path")]
    NoRoot(PathBuf),
    /// The script is not in the folder.
    #[error("{0} is no Python file below the folder that is checked; name the script as in --entry src/main.py")]
    NoEntry(PathBuf),
}

/// A folder that was read.
#[derive(Debug)]
pub struct Folder {
    pub(super) layout: Layout,
    /// The files as they are laid out, each as it is.
    pub(super) sources: Sources,
    /// The Python files as text, and what stands for those that could not be read.
    pub(super) texts: BTreeMap<String, String>,
    /// Python files that could not be read, in the folder's own paths, with the reason.
    pub(super) unread: BTreeMap<String, String>,
    /// What was left alone on purpose, in the folder's own paths.
    pub(super) left_out: BTreeSet<String>,
}

impl Folder {
    /// Reads a folder, with the script or the source root that is named.
    ///
    /// # Errors
    /// There is no such folder, or nothing in it that could be checked.
    pub fn read(folder: &Path, entry: Option<&Path>, root: Option<&Path>) -> Result<Self, FolderError> {
        let tree = Tree::read(folder)?;
        let mut layout = Layout::of(folder, entry, root)?;
        layout.set_aside(&tree.files);
        let mut read = Self {
            layout,
            sources: Sources::new(),
            texts: BTreeMap::new(),
            unread: tree.unread,
            left_out: tree.left_out,
        };
        for (path, content) in tree.files {
            match read.layout.inside(&path).parse::<WorkspacePath>() {
                Ok(inside) => {
                    read.sources.insert(inside, content);
                }
                Err(error) if path.ends_with(".py") => {
                    read.unread.insert(path, error.to_string());
                }
                Err(_) => {
                    read.left_out.insert(path);
                }
            }
        }
        if !read.sources.keys().any(WorkspacePath::is_python) && read.unread.is_empty() {
            let some: Vec<&str> = read.left_out.iter().map(String::as_str).take(5).collect();
            let left_out = if some.is_empty() {
                String::new()
            } else {
                format!(" (left out: {})", some.join(", "))
            };
            return Err(FolderError::Empty {
                folder: folder.to_owned(),
                left_out,
            });
        }
        Ok(read)
    }

    /// The Python files of which bytes are to be made text.
    pub(super) fn python(&self) -> impl Iterator<Item = (&WorkspacePath, &Bytes)> {
        self.sources.iter().filter(|(path, _)| path.is_python())
    }

    /// Takes the texts, and lays the files out as these texts; what could not be read keeps its place.
    pub(super) fn decoded(&mut self, decoded: Decoded) {
        for path in self.unread.keys() {
            let inside = self.layout.inside(path);
            if path.ends_with(".py") && inside.parse::<WorkspacePath>().is_ok() {
                self.texts.insert(inside, UNKNOWN.to_owned());
            }
        }
        for (path, text) in decoded.changed {
            self.sources.insert(path, Bytes::from(text));
        }
        let texts = self.python().filter_map(|(path, content)| {
            let text = String::from_utf8(content.to_vec()).ok()?;
            Some((path.to_string(), text))
        });
        let texts: Vec<(String, String)> = texts.collect();
        self.texts.extend(texts);
    }

    /// The text of a line, from 1, of a file in the folder's own paths.
    pub(super) fn line(&self, file: &str, line: u32) -> Option<&str> {
        let path: WorkspacePath = self.layout.inside(file).parse().ok()?;
        let text = std::str::from_utf8(self.sources.get(&path)?).ok()?;
        text.lines().nth((line as usize).checked_sub(1)?)
    }
}
