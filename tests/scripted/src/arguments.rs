//! The command line of the binary.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Parser;
use interlock_scripted::Options;

/// A model whose answers are files. Prints its base URL as the first line, then serves until SIGTERM.
#[derive(Debug, Parser)]
#[command(name = "interlock-scripted-model", version)]
pub(crate) struct Arguments {
    /// Folder of answers: `plan.1.md`, `src/data.py.2.md`, …
    #[arg(long)]
    answers: PathBuf,
    /// Address to listen on; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    pub(crate) listen: String,
    /// Write the port number to this file as soon as requests are accepted.
    #[arg(long)]
    pub(crate) port_file: Option<PathBuf>,
    /// Append one JSON line per started, completed or abandoned answer.
    #[arg(long)]
    log: Option<PathBuf>,
    /// Answer 401 to every other key. Not a secret: the server itself is a stand-in.
    #[arg(long)]
    api_key: Option<String>,
    /// Answer 404 to requests for other models (may be given several times).
    #[arg(long = "model")]
    models: Vec<String>,
    /// End when the process that started this one ends, however it ends.
    #[arg(long)]
    pub(crate) die_with_parent: bool,
}

impl From<&Arguments> for Options {
    fn from(arguments: &Arguments) -> Self {
        Self {
            answers: arguments.answers.clone(),
            api_key: arguments.api_key.clone(),
            models: arguments.models.clone(),
            log: arguments.log.clone(),
        }
    }
}

/// Writes a file so that a reader sees all of it or none.
pub(crate) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    fs::write(&beside, text)?;
    fs::rename(&beside, path)
}
