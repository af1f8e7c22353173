//! What lies in a folder: regular files only. Leaves hidden folders and what tools made alone, leads nowhere outside, writes
//! nothing, and says what it did not read.

use super::folder::FolderError;
use bytes::Bytes;
use interlock_domain::WorkspacePath;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

/// Python files that are read at most; more is no workspace but somebody's home folder.
const MAX_PYTHON: usize = 20_000;
/// Entries that are looked at most.
const MAX_ENTRIES: usize = 1_000_000;
/// Largest file that is read, in bytes; data beyond that is no source.
const MAX_BYTES: u64 = 64 << 20;
/// Most bytes of all files that are not Python: they are there for the program to read, and are copied.
const MAX_DATA: u64 = 256 << 20;
/// Folders that tools make, wherever they lie.
const MADE_BY_TOOLS: [&str; 3] = ["__pycache__", "node_modules", "site-packages"];
/// Folders that tools make beside the sources, unless they are packages.
const BESIDE_SOURCES: [&str; 2] = ["build", "dist"];

/// What was read.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Content of the files, by their path in the folder with `/` between segments.
    pub(super) files: BTreeMap<String, Bytes>,
    /// Python files that could not be read, with the reason.
    pub(super) unread: BTreeMap<String, String>,
    /// Folders and files that were left alone on purpose.
    pub(super) left_out: BTreeSet<String>,
    data: u64,
}

impl Tree {
    /// Reads the files below `folder`.
    ///
    /// # Errors
    /// It is no folder that can be read, or too large.
    pub(super) fn read(folder: &Path) -> Result<Self, FolderError> {
        match fs::metadata(folder) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Err(FolderError::NoFolder(folder.to_owned())),
            Err(source) if source.kind() == io::ErrorKind::NotFound => {
                return Err(FolderError::Missing(folder.to_owned()));
            }
            Err(source) => return Err(failed(folder, source)),
        }
        let real = fs::canonicalize(folder).map_err(|source| failed(folder, source))?;
        let mut tree = Self::default();
        let mut open = vec![folder.to_owned()];
        let (mut entries, mut python) = (0, 0);
        while let Some(next) = open.pop() {
            let listed = match fs::read_dir(&next) {
                Ok(listed) => listed,
                Err(source) if next == folder => return Err(failed(&next, source)),
                Err(source) => {
                    tree.unread.insert(
                        relative(folder, &next),
                        format!("the folder cannot be listed: {source}"),
                    );
                    continue;
                }
            };
            for entry in listed {
                let entry = entry.map_err(|source| failed(&next, source))?;
                let path = entry.path();
                entries += 1;
                python += usize::from(is_python(&path));
                if entries > MAX_ENTRIES || python > MAX_PYTHON {
                    return Err(FolderError::TooLarge(folder.to_owned()));
                }
                let name = relative(folder, &path);
                let kind = entry.file_type().map_err(|source| failed(&path, source))?;
                if is_left_alone(&entry, next == folder) {
                    // Hidden files are no news; a folder that is not looked into is.
                    if kind.is_dir() {
                        tree.left_out.insert(name);
                    }
                } else if kind.is_dir() {
                    open.push(path);
                } else if kind.is_file() {
                    tree.take(name, &path);
                } else if kind.is_symlink() {
                    tree.link(name, &path, &real);
                } else if is_python(&path) {
                    tree.unread.insert(name, "it is no regular file".to_owned());
                }
            }
        }
        Ok(tree)
    }

    fn take(&mut self, name: String, path: &Path) {
        match content(&name, path) {
            Ok(content) if is_python(path) => {
                self.files.insert(name, content);
            }
            // What is no Python is there for the program, and is not what is checked.
            Ok(content) if self.data + content.len() as u64 <= MAX_DATA => {
                self.data += content.len() as u64;
                self.files.insert(name, content);
            }
            Err(why) if is_python(path) => {
                self.unread.insert(name, why);
            }
            Ok(_) | Err(_) => {
                self.left_out.insert(name);
            }
        }
    }

    /// A link is followed to a file of the same folder and to nothing else.
    fn link(&mut self, name: String, path: &Path, real: &Path) {
        let target = fs::canonicalize(path);
        let leads_to_python = is_python(path) || target.as_ref().is_ok_and(|target| holds_python(target));
        match target {
            Ok(target) if target.starts_with(real) && target.is_file() => self.take(name, &target),
            _ if !leads_to_python => {
                self.left_out.insert(name);
            }
            Ok(target) if target.is_dir() => {
                let why =
                    "it is a link to a folder, which is not followed; check the folder itself, or put it in place";
                self.unread.insert(name, why.to_owned());
            }
            Ok(_) => {
                let why = "it is a link that leads out of the folder, and is not followed; put the file in place";
                self.unread.insert(name, why.to_owned());
            }
            Err(error) => {
                self.unread
                    .insert(name, format!("it is a link that leads nowhere: {error}"));
            }
        }
    }
}

fn content(name: &str, path: &Path) -> Result<Bytes, String> {
    name.parse::<WorkspacePath>().map_err(|error| error.to_string())?;
    let size = fs::metadata(path)
        .map_err(|error| format!("it cannot be read: {error}"))?
        .len();
    if size > MAX_BYTES {
        return Err(format!("it has {size} bytes; at most {MAX_BYTES} are read"));
    }
    let read = fs::read(path).map_err(|error| format!("it cannot be read: {error}"))?;
    Ok(Bytes::from(read))
}

/// Hidden, or made by a tool: a virtual environment by any name among them.
fn is_left_alone(entry: &DirEntry, at_top: bool) -> bool {
    let (name, path) = (entry.file_name(), entry.path());
    let name = name.to_string_lossy();
    let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
    let beside = at_top && BESIDE_SOURCES.contains(&name.as_ref()) && !path.join("__init__.py").exists();
    let by_tool = MADE_BY_TOOLS.contains(&name.as_ref()) || name.ends_with(".egg-info") || beside;
    name.starts_with('.') || is_folder && (by_tool || path.join("pyvenv.cfg").is_file())
}

fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "py")
}

fn holds_python(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|listed| listed.flatten().any(|entry| is_python(&entry.path())))
}

fn relative(folder: &Path, path: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned()
}

fn failed(path: &Path, source: io::Error) -> FolderError {
    let path: PathBuf = path.to_owned();
    FolderError::Read { path, source }
}
