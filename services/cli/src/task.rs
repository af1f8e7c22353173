//! Reads a task and every file that it names, before anything is started or sent.

use interlock_domain::Task;
use interlock_domain::blob::MAX_BLOB_BYTES;
use interlock_domain::task::{MAX_TASK_BYTES, TaskError};
use interlock_proto::v1::TaskFile;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A valid task with its files.
#[derive(Debug)]
pub struct LoadedTask {
    /// As parsed.
    pub task: Task,
    /// As written.
    pub text: String,
    /// Every file that it names.
    pub files: Vec<TaskFile>,
    /// The folder of scripted answers that it names.
    pub answers: Option<PathBuf>,
}

/// Why a task cannot be submitted.
#[derive(Debug, thiserror::Error)]
pub enum TaskFileError {
    /// The task file itself.
    #[error("cannot read the task {path}: {source}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its content.
    #[error("{path}: {source}")]
    Invalid {
        /// Which.
        path: PathBuf,
        /// Why.
        source: TaskError,
    },
    /// A file that it names.
    #[error("{task}: it names {name:?}, which cannot be read: {source} (looked for at {path})")]
    File {
        /// The task file.
        task: PathBuf,
        /// As the task writes it.
        name: String,
        /// Where that is.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file that is too large.
    #[error("{path} has {size} bytes; at most {max} are allowed")]
    TooLarge {
        /// Which.
        path: PathBuf,
        /// Its size.
        size: u64,
        /// The limit.
        max: u64,
    },
}

impl LoadedTask {
    /// Reads the task file, or the `task.toml` of a folder; names are relative to the file's folder.
    pub fn load(path: &Path) -> Result<Self, TaskFileError> {
        let path = if path.is_dir() {
            path.join("task.toml")
        } else {
            path.to_owned()
        };
        let unreadable = |source| TaskFileError::Read {
            path: path.clone(),
            source,
        };
        let size = fs::metadata(&path).map_err(unreadable)?.len();
        fits(&path, size, MAX_TASK_BYTES as u64)?;
        let text = fs::read_to_string(&path).map_err(unreadable)?;
        let task = Task::parse(&text).map_err(|source| TaskFileError::Invalid {
            path: path.clone(),
            source,
        })?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let files = task
            .files()
            .into_iter()
            .map(|name| named(&path, &folder, name))
            .collect::<Result<_, TaskFileError>>()?;
        let answers = task.answers.as_ref().map(|name| folder.join(name));
        Ok(Self {
            task,
            text,
            files,
            answers,
        })
    }
}

fn named(task: &Path, folder: &Path, name: &str) -> Result<TaskFile, TaskFileError> {
    let path = folder.join(name);
    let unreadable = |source| TaskFileError::File {
        task: task.to_owned(),
        name: name.to_owned(),
        path: path.clone(),
        source,
    };
    let meta = fs::metadata(&path).map_err(unreadable)?;
    if !meta.is_file() {
        return Err(unreadable(io::Error::other("it is no file")));
    }
    fits(&path, meta.len(), MAX_BLOB_BYTES)?;
    let content = fs::read(&path).map_err(unreadable)?;
    Ok(TaskFile {
        name: name.to_owned(),
        content,
    })
}

fn fits(path: &Path, size: u64, max: u64) -> Result<(), TaskFileError> {
    if size <= max {
        return Ok(());
    }
    Err(TaskFileError::TooLarge {
        path: path.to_owned(),
        size,
        max,
    })
}
