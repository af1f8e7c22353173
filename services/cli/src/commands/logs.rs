//! `interlock logs`: what the program wrote, as it was stored.

use super::follow_logs;
use crate::args::{Logs, Stream};
use crate::client::Gateway;
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::runs;
use crate::session::Session;
use crate::view::Run;
use interlock_domain::blob::NamedBlob;

/// Prints the output of the last execution.
pub(super) async fn logs(args: &Logs, console: &Console) -> Result<Exit, CliError> {
    let streams = match args.stream {
        Some(one) => vec![one],
        None => vec![Stream::Stdout, Stream::Stderr],
    };
    let session = Session::open(console)?;
    if args.follow {
        let follow = async |gateway: &Gateway| {
            let id = runs::find(gateway, &args.run).await?;
            follow_logs::follow(gateway, &id, &streams, console).await
        };
        session.look(follow).await?;
        return Ok(Exit::Done);
    }
    let parts = session
        .look(async |gateway| {
            let id = runs::find(gateway, &args.run).await?;
            let run = Run::new(gateway.show(&id).await?);
            let artifacts = artifacts(&run).ok_or_else(|| {
                CliError::NotNow(format!(
                    "the program of run {id} has not ended yet, or was never started; `interlock logs --follow` shows \
                     what it writes while it runs"
                ))
            })?;
            let mut parts = Vec::new();
            for stream in &streams {
                parts.push(kept(gateway, &id, &artifacts, *stream).await?);
            }
            Ok(parts)
        })
        .await?;
    if parts.iter().all(Vec::is_empty) {
        console.note("the program wrote nothing");
    }
    for part in parts {
        console.bytes(&part);
    }
    Ok(Exit::Done)
}

/// One stream as it was stored; empty if there is none.
pub(super) async fn kept(
    gateway: &Gateway,
    id: &str,
    artifacts: &[NamedBlob],
    stream: Stream,
) -> Result<Vec<u8>, CliError> {
    let name = format!("{}.log", stream.name());
    match artifacts.iter().find(|named| named.name == name) {
        Some(named) => Ok(gateway.blob(id, named.blob.digest).await?),
        None => Ok(Vec::new()),
    }
}

/// What was stored of the last execution, if there was one.
pub(super) fn artifacts(run: &Run) -> Option<Vec<NamedBlob>> {
    let execution = run.state.as_ref()?.execution.as_ref()?;
    Some(execution.artifacts.clone())
}
