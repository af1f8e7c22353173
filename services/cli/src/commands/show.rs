//! `interlock show` and `watch`: one run, once or as it changes.

use super::standing;
use crate::args::Show;
use crate::client::Gateway;
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::follow::follow;
use crate::progress::Progress;
use crate::runs;
use crate::session::{Session, interruptible};
use crate::view::{self, Run, gate, json, report};
use interlock_domain::{Digest, Owner};
use std::collections::BTreeSet;

/// Shows a run in full.
pub(super) async fn show(args: &Show, console: &Console) -> Result<Exit, CliError> {
    let run = look(args, console).await?;
    if args.json {
        print_json(&run, console);
    } else {
        view::show::show(&run).print(console);
    }
    Ok(Exit::Done)
}

/// Follows a run to its end or to a gate, and ends as the run does.
pub(super) async fn watch(args: &Show, console: &Console) -> Result<Exit, CliError> {
    let session = Session::open(console)?;
    let Some((_, gateway)) = session.there().await? else {
        let run = look(args, console).await?;
        if run.ended() || gate::is_open(&run) {
            told(&run, args, console);
            return Ok(standing(&run));
        }
        return Err(CliError::Usage(format!(
            "no stack is running, so nothing happens to run {}; have it carried on: interlock up",
            run.id()
        )));
    };
    let id = runs::find(&gateway, &args.run).await?;
    let progress = Progress::new(console, args.json);
    let ended = interruptible(follow(&gateway, &id, |run| progress.show(run))).await?;
    progress.settle();
    if !args.json {
        console.line("");
    }
    told(&ended, args, console);
    Ok(standing(&ended))
}

/// The last word about a run that has ended or waits.
fn told(run: &Run, args: &Show, console: &Console) {
    if args.json {
        console.line(&json::result(run, standing(run).code()).to_string());
        return;
    }
    let mut page = report::report(run);
    gate::section(run, &mut page);
    page.print(console);
}

async fn look(args: &Show, console: &Console) -> Result<Run, CliError> {
    let session = Session::open(console)?;
    session
        .look(async |gateway| {
            let id = runs::find(gateway, &args.run).await?;
            let mut run = Run::new(gateway.show(&id).await?);
            fetch_sources(gateway, &mut run).await;
            Ok(run)
        })
        .await
}

/// Fetches the files that open findings point at, so that their lines can be shown.
async fn fetch_sources(gateway: &Gateway, run: &mut Run) {
    let Some((state, manifest)) = run.state.as_ref().and_then(|state| Some((state, state.manifest()?))) else {
        return;
    };
    let places = state
        .findings
        .iter()
        .flat_map(|finding| [Some(&finding.at), finding.other.as_ref()]);
    let named: BTreeSet<&str> = places.flatten().map(|at| at.file.as_str()).collect();
    let theirs = manifest
        .iter()
        .filter(|(path, entry)| entry.owner == Owner::Model && named.contains(path.as_str()));
    let wanted: Vec<(String, Digest)> = theirs.map(|(path, entry)| (path.to_string(), entry.digest)).collect();
    for (path, digest) in wanted {
        // A line that cannot be had is not shown; the run is.
        if let Ok(content) = gateway.blob(run.id(), digest).await {
            run.sources.insert(path, String::from_utf8_lossy(&content).into_owned());
        }
    }
}

fn print_json(run: &Run, console: &Console) {
    for record in &run.records {
        console.line(&json::record(record).to_string());
    }
    console.line(&json::result(run, standing(run).code()).to_string());
}
