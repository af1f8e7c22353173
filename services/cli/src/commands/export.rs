//! `interlock export`: a run's workspace, artifacts, records, result and report as files in a new folder.
//!
//! Writes below that folder only, whatever names a record brings, and writes over nothing.

use super::report::fetch;
use super::standing;
use crate::args::Export;
use crate::client::Gateway;
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::render;
use crate::runs;
use crate::session::Session;
use crate::view::{Run, json};
use interlock_domain::{Digest, WorkspacePath};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Why files could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Something is there already.
    #[error("{0} exists and is not an empty folder; give a folder that is new or empty")]
    NotFree(PathBuf),
    /// A file.
    #[error("cannot write {path}: {source}")]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A name that no file of an export can have.
    #[error("an artifact of the run is named {0:?}, which cannot be written below a folder")]
    Name(String),
}

/// Exports a run.
pub async fn export(args: &Export, console: &Console) -> Result<Exit, CliError> {
    is_free(&args.dir)?;
    let session = Session::open(console)?;
    let run = session
        .look(async |gateway| {
            let id = runs::find(gateway, &args.run).await?;
            let run = Run::new(gateway.show(&id).await?);
            write(gateway, &run, &args.dir).await?;
            Ok(run)
        })
        .await?;
    console.line(&format!(
        "run {} ({}) lies in {}",
        run.id(),
        run.status(),
        args.dir.display()
    ));
    Ok(Exit::Done)
}

/// Whether a folder may be written to.
///
/// # Errors
/// It is there and holds something, or cannot be looked at.
pub fn is_free(dir: &Path) -> Result<(), ExportError> {
    match fs::read_dir(dir).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Ok(false) | Err(_) => Err(ExportError::NotFree(dir.to_owned())),
    }
}

/// Writes everything that a run has brought so far.
///
/// # Errors
/// The folder is not free, a file cannot be written, or the gateway does not give one.
pub async fn write(gateway: &Gateway, run: &Run, dir: &Path) -> Result<(), CliError> {
    is_free(dir)?;
    for (path, digest) in files(run)? {
        // The harness's own files come from the table that the run was made with, and are stored nowhere.
        let content = match own(&path) {
            Some(content) if Digest::of(content) == digest => content.to_vec(),
            Some(_) | None => gateway.blob(run.id(), digest).await?,
        };
        write_new(&dir.join(path), &content)?;
    }
    let records: String = run
        .records
        .iter()
        .map(|record| format!("{}\n", json::record(record)))
        .collect();
    write_new(&dir.join("records.jsonl"), records.as_bytes())?;
    let result = format!("{:#}\n", json::result(run, standing(run).code()));
    write_new(&dir.join("result.json"), result.as_bytes())?;
    let page = render(run, &fetch(gateway, run).await)?;
    write_new(&dir.join("report.html"), page.as_bytes())?;
    Ok(())
}

fn own(path: &str) -> Option<&'static [u8]> {
    let path = path.strip_prefix("workspace/")?;
    let file = interlock_domain::owned::FILES.iter().find(|file| file.path == path)?;
    Some(file.content.as_bytes())
}

/// Every file of the export that is a blob, by its place below the folder.
fn files(run: &Run) -> Result<Vec<(String, Digest)>, ExportError> {
    let mut files = Vec::new();
    let state = run.state.as_ref();
    for (path, entry) in state
        .and_then(|state| state.manifest())
        .into_iter()
        .flat_map(|manifest| manifest.iter())
    {
        files.push((format!("workspace/{path}"), entry.digest));
    }
    for named in state
        .and_then(|state| state.execution.as_ref())
        .into_iter()
        .flat_map(|e| &e.artifacts)
    {
        let name: WorkspacePath = named.name.parse().map_err(|_| ExportError::Name(named.name.clone()))?;
        files.push((format!("artifacts/{name}"), named.blob.digest));
    }
    Ok(files)
}

fn write_new(path: &Path, content: &[u8]) -> Result<(), ExportError> {
    let write = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)?
            .write_all(content)
    };
    write().map_err(|source| ExportError::Write {
        path: path.to_owned(),
        source,
    })
}
