//! `interlock show` and `watch`: one run, once or as it changes.

use super::report::sources;
use super::standing;
use crate::args::Show;
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::follow::follow;
use crate::progress::Progress;
use crate::runs;
use crate::session::{Session, interruptible};
use crate::view::{self, Run, gate, json, report};

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
            run.sources = sources(gateway, &run).await;
            Ok(run)
        })
        .await
}

fn print_json(run: &Run, console: &Console) {
    for record in &run.records {
        console.line(&json::record(record).to_string());
    }
    console.line(&json::result(run, standing(run).code()).to_string());
}
