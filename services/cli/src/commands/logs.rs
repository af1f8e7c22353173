//! `interlock logs`: what the program wrote, as it was stored.

use crate::args::{Logs, Stream};
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
    let parts = session
        .look(async |gateway| {
            let id = runs::find(gateway, &args.run).await?;
            let run = Run::new(gateway.show(&id).await?);
            let artifacts = artifacts(&run).ok_or_else(|| {
                CliError::NotNow(format!(
                    "the program of run {id} has not ended yet, or was never started"
                ))
            })?;
            let mut parts = Vec::new();
            for stream in &streams {
                let name = format!("{}.log", stream.name());
                if let Some(named) = artifacts.iter().find(|named| named.name == name) {
                    parts.push(gateway.blob(&id, named.blob.digest).await?);
                }
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

fn artifacts(run: &Run) -> Option<Vec<NamedBlob>> {
    let execution = run.state.as_ref()?.execution.as_ref()?;
    Some(execution.artifacts.clone())
}
