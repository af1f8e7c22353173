//! `interlock audit`: the chain, checked by this program and not by the gateway that hands it over.

use crate::args::Audit;
use crate::audit::{Checked, check_chain};
use crate::console::{Console, Tone};
use crate::error::CliError;
use crate::exit::Exit;
use crate::keyring;
use crate::runs;
use crate::session::Session;
use crate::view::text;
use interlock_domain::RunId;
use std::path::Path;

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
    report(&id, &file, &checked, console);
    Ok(if checked.fault.is_none() {
        Exit::Done
    } else {
        Exit::NotAccepted
    })
}

fn report(id: &str, keys: &Path, checked: &Checked, console: &Console) {
    let count = |number: u64, one| text::count(usize::try_from(number).unwrap_or(usize::MAX), one);
    let signers: Vec<&str> = checked.signers.iter().map(|stage| stage.name()).collect();
    console.line(&format!("run {id}, with the public keys in {}", keys.display()));
    console.line(&format!(
        "  {} and {}: signature of its stage, place, run, sequence number",
        count(checked.records, "record"),
        count(checked.controls, "control")
    ));
    console.line(&format!(
        "  {}, {}, applied one after the other",
        count(checked.parents, "parent digest"),
        count(checked.transitions, "transition")
    ));
    if !signers.is_empty() {
        console.line(&format!("  signed by {}", signers.join(", ")));
    }
    match &checked.fault {
        None => console.toned(
            Tone::Good,
            &format!("  sound; the chain ends with {}", checked.ends_with),
        ),
        Some(fault) => console.toned(Tone::Bad, &format!("  NOT SOUND: {}", text::line(fault))),
    }
}
