//! `interlock audit`: the chain, checked by this program and not by the gateway that hands it over.

use crate::args::Audit;
use crate::audit::{Checked, check_chain};
use crate::console::{Console, Tone};
use crate::error::CliError;
use crate::exit::Exit;
use crate::keyring;
use crate::runs;
use crate::session::Session;
use interlock_domain::RunId;

/// Audits a run.
pub async fn audit(args: &Audit, console: &Console) -> Result<Exit, CliError> {
    let session = Session::open(console)?;
    let file = args.keyring.clone().unwrap_or_else(|| session.home().keyring());
    let (id, chain) = session
        .look(async |gateway| {
            let id = runs::find(gateway, &args.run).await?;
            let chain = gateway.chain(&id).await?;
            Ok((id, chain))
        })
        .await?;
    let keyring = keyring::read(&file)?;
    let run: RunId = id
        .parse()
        .map_err(|_| CliError::Usage(format!("{id:?} is no run's id")))?;
    let checked = check_chain(run, &chain, &keyring);
    report(&id, &checked, console);
    Ok(if checked.fault.is_none() {
        Exit::Done
    } else {
        Exit::NotAccepted
    })
}

fn report(id: &str, checked: &Checked, console: &Console) {
    console.line(&format!("run {id}, keys of {} stages", checked.keys));
    console.line(&format!(
        "  {} records and {} controls: signature, place, run, sequence number",
        checked.records, checked.controls
    ));
    console.line(&format!(
        "  {} parent digests, {} transitions",
        checked.parents, checked.transitions
    ));
    match &checked.fault {
        None => console.toned(
            Tone::Good,
            &format!("  sound; the chain ends with {}", checked.ends_with),
        ),
        Some(fault) => console.toned(Tone::Bad, &format!("  NOT SOUND: {fault}")),
    }
}
