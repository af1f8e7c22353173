//! `interlock report`: a run's account as one HTML file.

use crate::args::Report;
use crate::client::Gateway;
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::files::{Files, wanted};
use crate::report::render;
use crate::runs;
use crate::session::Session;
use crate::view::Run;
use interlock_domain::{Digest, Owner};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Writes the report of a run as it stands.
pub(super) async fn report(args: &Report, console: &Console) -> Result<Exit, CliError> {
    let session = Session::open(console)?;
    let (run, page) = session
        .look(async |gateway| {
            let id = runs::find(gateway, &args.run).await?;
            let run = Run::new(gateway.show(&id).await?);
            let page = render(&run, &fetch(gateway, &run).await)?;
            Ok((run, page))
        })
        .await?;
    match &args.out {
        Some(out) if out.as_os_str() == "-" => console.bytes(page.as_bytes()),
        Some(out) => written(out, &page, console)?,
        None => written(&PathBuf::from(format!("interlock-{}.html", run.id())), &page, console)?,
    }
    Ok(Exit::Done)
}

fn written(path: &Path, page: &str, console: &Console) -> Result<(), CliError> {
    replace(path, page.as_bytes()).map_err(|source| CliError::Io {
        doing: format!("writing the report to {}", path.display()),
        source,
    })?;
    console.line(&format!("The report lies in {}", path.display()));
    Ok(())
}

/// Writes a file beside its place and then puts it there: a report of before is replaced in one step, or not at all.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "it is a folder; name a file",
        ));
    }
    let beside = path.with_extension(format!("html.{}.tmp", std::process::id()));
    let write = || {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&beside)?
            .write_all(content)?;
        fs::rename(&beside, path)
    };
    write().inspect_err(|_| {
        // Nothing is lost with what is half written.
        let _ = fs::remove_file(&beside);
    })
}

/// What a report shows of the run's files. One that cannot be had is not shown; the report is.
pub async fn fetch(gateway: &Gateway, run: &Run) -> Files {
    let mut files = Files {
        sources: sources(gateway, run).await,
        ..Files::default()
    };
    for named in wanted(run) {
        if let Ok(content) = gateway.blob(run.id(), named.blob.digest).await {
            files.artifacts.insert(named.name, content);
        }
    }
    files
}

/// Text of the files that findings point at, so that their lines can be shown.
pub(super) async fn sources(gateway: &Gateway, run: &Run) -> BTreeMap<String, String> {
    let mut sources = BTreeMap::new();
    let Some((state, manifest)) = run.state.as_ref().and_then(|state| Some((state, state.manifest()?))) else {
        return sources;
    };
    let verdict = state.verdict.iter().flat_map(|verdict| verdict.findings());
    let execution = state.execution.iter().flat_map(|execution| &execution.findings);
    let findings = state.findings.iter().chain(verdict).chain(execution);
    let places = findings.flat_map(|finding| [Some(&finding.at), finding.other.as_ref()]);
    let named: BTreeSet<&str> = places.flatten().map(|at| at.file.as_str()).collect();
    let theirs = manifest
        .iter()
        .filter(|(path, entry)| entry.owner == Owner::Model && named.contains(path.as_str()));
    let wanted: Vec<(String, Digest)> = theirs.map(|(path, entry)| (path.to_string(), entry.digest)).collect();
    for (path, digest) in wanted {
        // A line that cannot be had is not shown; the run is.
        if let Ok(content) = gateway.blob(run.id(), digest).await {
            sources.insert(path, String::from_utf8_lossy(&content).into_owned());
        }
    }
    sources
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_replaced_in_one_step_and_leaves_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("report.html");
        for page in ["before", "after"] {
            replace(&path, page.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), page);
        }
        assert!(
            replace(dir.path(), b"x")
                .unwrap_err()
                .to_string()
                .contains("name a file")
        );
        assert!(replace(&dir.path().join("none/report.html"), b"x").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
