//! A folder as a workspace: its files, under the names that a program started from it would see.
//!
//! Reads regular files only, follows no link, and leaves hidden folders and what tools put there alone.

use super::Report;
use crate::testing::is_test;
use bytes::Bytes;
use interlock_domain::check::{CheckAnswer, CheckResult, Findings};
use interlock_domain::owned::SOURCE_ROOT;
use interlock_domain::{Finding, Location, WorkspacePath};
use interlock_stage::workspace::Sources;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Files that are looked at most; more is no workspace but somebody's home folder.
const MAX_FILES: usize = 20_000;
/// Largest file that is laid out, in bytes; data beyond that is no source, and no extension module either.
const MAX_BYTES: u64 = 128 * 1024 * 1024;
/// Folders that tools make.
const LEFT_ALONE: [&str; 5] = ["__pycache__", "node_modules", "venv", "site-packages", "build"];

/// Why a folder cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is too much in it.
    #[error("{0} has more than {MAX_FILES} files; name the folder of one workspace")]
    TooLarge(PathBuf),
    /// There is nothing in it.
    #[error("there is no Python file in {0}")]
    Empty(PathBuf),
    /// A Python file with a name or content that no workspace can have: it would go unchecked.
    #[error("{path} cannot be checked: {why}")]
    Unfit {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The source root is not in the folder.
    #[error("{0} is no folder below the one that is checked; name the folder that is first on the module path")]
    NoRoot(PathBuf),
}

/// A folder that was read.
#[derive(Debug)]
pub struct Folder {
    sources: Sources,
    /// The source root, as the folder spells it; empty for the folder itself.
    root: String,
}

impl Folder {
    /// Names of the modules and packages that lie directly below the source root.
    pub fn modules(&self) -> BTreeSet<String> {
        let below = self.sources.keys().filter_map(|path| {
            let mut segments = path.segments();
            let is_source = segments.next() == Some(SOURCE_ROOT);
            let name = segments.next()?.trim_end_matches(".py");
            is_source.then(|| name.to_owned())
        });
        below.collect()
    }

    /// Reads `folder`, in which `source_root` is first on the module path.
    ///
    /// # Errors
    /// It cannot be read, or holds Python that could not be checked.
    pub fn read(folder: &Path, source_root: &Path) -> Result<Self, FolderError> {
        let root = source_root.to_string_lossy().trim_matches('/').to_owned();
        let root = if root == "." { String::new() } else { root };
        if !folder.join(&root).is_dir() {
            return Err(FolderError::NoRoot(source_root.to_owned()));
        }
        let mut read = Self {
            sources: Sources::new(),
            root,
        };
        let mut open = vec![folder.to_owned()];
        let mut seen = 0;
        while let Some(next) = open.pop() {
            for entry in fs::read_dir(&next).map_err(failed(&next))? {
                let entry = entry.map_err(failed(&next))?;
                let (path, kind) = (entry.path(), entry.file_type().map_err(failed(&next))?);
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.starts_with('.') || LEFT_ALONE.contains(&name.as_str()) {
                    continue;
                }
                seen += 1;
                if seen > MAX_FILES {
                    return Err(FolderError::TooLarge(folder.to_owned()));
                }
                if kind.is_dir() {
                    open.push(path);
                } else if kind.is_file() {
                    read.take(folder, &path)?;
                }
            }
        }
        if read.sources.keys().any(WorkspacePath::is_python) {
            Ok(read)
        } else {
            Err(FolderError::Empty(folder.to_owned()))
        }
    }

    fn take(&mut self, folder: &Path, path: &Path) -> Result<(), FolderError> {
        let is_python = path.extension().is_some_and(|ending| ending == "py");
        let size = fs::metadata(path).map_err(failed(path))?.len();
        let relative = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
        let unfit = |why: String| FolderError::Unfit {
            path: path.to_owned(),
            why,
        };
        let inside: Result<WorkspacePath, _> = self.inside(&relative).parse();
        let content = match inside {
            Ok(inside) if size <= MAX_BYTES => fs::read(path).map_err(failed(path)).map(|read| (inside, read))?,
            // What is no Python is there for the program, and is not what is checked.
            Ok(_) | Err(_) if !is_python => return Ok(()),
            Ok(_) => return Err(unfit(format!("it has {size} bytes; at most {MAX_BYTES} are read"))),
            Err(error) => return Err(unfit(error.to_string())),
        };
        let (inside, read) = content;
        if is_python && std::str::from_utf8(&read).is_err() {
            return Err(unfit("it is not UTF-8".to_owned()));
        }
        match self.sources.insert(inside, Bytes::from(read)) {
            None => Ok(()),
            Some(_) => Err(unfit(
                "another file stands in its place once the source root is laid out".to_owned(),
            )),
        }
    }

    /// The files as they are laid out.
    pub const fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The files that a program can import.
    pub(super) fn importable(&self) -> Vec<String> {
        let below = format!("{SOURCE_ROOT}/");
        let python = self
            .sources
            .keys()
            .filter(|path| path.is_python() && path.as_str().starts_with(&below));
        python.filter(|path| !is_test(path)).map(ToString::to_string).collect()
    }

    /// The files of tests.
    pub(super) fn tests(&self) -> Vec<String> {
        self.sources
            .keys()
            .filter(|path| is_test(path))
            .map(ToString::to_string)
            .collect()
    }

    /// The checks' answers in the folder's own paths.
    pub(super) fn report(&self, checks: Vec<CheckResult>, interpreter: String, files: usize) -> Report {
        let checks = checks.into_iter().map(|check| self.renamed(check)).collect();
        Report {
            checks,
            interpreter,
            files,
        }
    }

    fn renamed(&self, mut check: CheckResult) -> CheckResult {
        let place = |at: Location| Location {
            file: self.outside(&at.file),
            ..at
        };
        let finding = |finding: Finding| Finding {
            at: place(finding.at),
            other: finding.other.map(place),
            ..finding
        };
        check.answer = match check.answer {
            CheckAnswer::Failed(findings) => {
                let renamed: Vec<Finding> = findings.as_slice().iter().cloned().map(finding).collect();
                Findings::new(renamed).map_or(CheckAnswer::Failed(findings), CheckAnswer::Failed)
            }
            CheckAnswer::TimedOut { reason, findings } => CheckAnswer::TimedOut {
                reason,
                findings: findings.into_iter().map(finding).collect(),
            },
            answer @ (CheckAnswer::Passed(_) | CheckAnswer::NotRun { .. }) => answer,
        };
        check
    }

    /// The text of a line, from 1.
    pub(super) fn line(&self, file: &str, line: u32) -> Option<&str> {
        let path: WorkspacePath = self.inside(file).parse().ok()?;
        let text = std::str::from_utf8(self.sources.get(&path)?).ok()?;
        text.lines().nth((line as usize).checked_sub(1)?)
    }

    fn inside(&self, path: &str) -> String {
        let below = match self.root.as_str() {
            "" => Some(path),
            root => path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')),
        };
        below.map_or_else(|| path.to_owned(), |rest| format!("{SOURCE_ROOT}/{rest}"))
    }

    fn outside(&self, path: &str) -> String {
        match path.strip_prefix(SOURCE_ROOT).and_then(|rest| rest.strip_prefix('/')) {
            Some(rest) if self.root.is_empty() => rest.to_owned(),
            Some(rest) => format!("{}/{rest}", self.root),
            None => path.to_owned(),
        }
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_owned();
    move |source| FolderError::Read { path, source }
}
