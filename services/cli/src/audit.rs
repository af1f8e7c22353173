//! Replays a chain as it is stored, and believes nothing that the keys do not prove.

use interlock_domain::record::{control_subject, subject};
use interlock_domain::state::{Event, apply};
use interlock_domain::{Keyring, RunId, RunState, Stage};
use interlock_proto::v1::{ChainResponse, StoredRecord};
use std::collections::BTreeSet;

/// What was checked, up to the first fault.
#[derive(Debug, Default)]
pub struct Checked {
    /// Stages whose signatures were checked.
    pub signers: BTreeSet<Stage>,
    /// Records whose signature and place are right.
    pub records: u64,
    /// Controls whose signature and place are right.
    pub controls: u64,
    /// Records that name their predecessor.
    pub parents: u64,
    /// Records and controls that were legal where they stand.
    pub transitions: u64,
    /// What the last record is.
    pub ends_with: String,
    /// The first thing that is wrong, with the place where it is stored.
    pub fault: Option<String>,
}

/// Checks everything that is stored under a run's name. What is left over after the replay is a fault too: nothing may
/// lie beside the chain.
pub fn check_chain(run: RunId, chain: &ChainResponse, keyring: &Keyring) -> Checked {
    let mut checked = Checked {
        ends_with: "nothing".to_owned(),
        ..Checked::default()
    };
    if let Err(fault) = replay(run, chain, keyring, &mut checked) {
        checked.fault = Some(fault);
    }
    checked
}

fn replay(run: RunId, chain: &ChainResponse, keyring: &Keyring, checked: &mut Checked) -> Result<(), String> {
    let mut state = RunState::new(run);
    let mut left: Vec<&StoredRecord> = chain.records.iter().collect();
    while let Some(actor) = state.chain_actor() {
        let place = subject(actor, run, state.seq + 1);
        let Some(at) = left.iter().position(|stored| stored.subject == place) else {
            break;
        };
        let stored = left.swap_remove(at);
        let opened = keyring
            .open_record(&stored.signed)
            .map_err(|e| format!("{place}: {e}"))?;
        if opened.value.subject() != place {
            return Err(format!(
                "{place}: it says that it belongs to {}",
                opened.value.subject()
            ));
        }
        checked.signers.insert(actor);
        checked.records += 1;
        checked.parents += u64::from(state.head.is_some() && opened.value.parent == state.head);
        checked.ends_with = format!(
            "record {} ({}) of {}",
            opened.value.seq,
            opened.value.payload.name(),
            opened.value.stage
        );
        state = apply(state, Event::Record(&opened)).map_err(|e| format!("{place}: {e}"))?;
        checked.transitions += 1;
    }
    let mut controls: Vec<&StoredRecord> = chain.controls.iter().collect();
    loop {
        let place = control_subject(run, state.controls + 1);
        let Some(at) = controls.iter().position(|stored| stored.subject == place) else {
            break;
        };
        let stored = controls.swap_remove(at);
        let opened = keyring
            .open_control(&stored.signed)
            .map_err(|e| format!("{place}: {e}"))?;
        checked.signers.insert(Stage::Gateway);
        checked.controls += 1;
        state = apply(state, Event::Control(&opened)).map_err(|e| format!("{place}: {e}"))?;
        checked.transitions += 1;
    }
    match left.iter().chain(&controls).map(|stored| stored.subject.as_str()).min() {
        Some(place) => Err(format!("{place}: it is stored, and no record of the chain leads to it")),
        None if state.seq == 0 => Err("there is no record at all".to_owned()),
        None => Ok(()),
    }
}
