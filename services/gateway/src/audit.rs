//! The chain as stored, for whoever checks it. Read afresh from the streams, never from memory.

use crate::gateway::Gateway;
use crate::refusal::Refusal;
use crate::view::Place;
use futures::future::try_join_all;
use interlock_domain::{RunId, Stage};
use interlock_proto::v1 as wire;
use std::collections::BTreeMap;

/// Largest answer in bytes; what a client has to be ready to take.
const MAX_CHAIN_BYTES: usize = 48 * 1024 * 1024;

/// What was found, with its size watched.
#[derive(Default)]
struct Found {
    stored: BTreeMap<Place, Vec<u8>>,
    bytes: usize,
}

impl Gateway {
    /// Everything that is stored under the run's name, whoever wrote it: every place up to the first
    /// number that nobody has used, and whatever else is known to lie beyond.
    pub(crate) async fn chain(&self, run: RunId) -> Result<wire::ChainResponse, Refusal> {
        let mut found = Found::default();
        for seq in 1.. {
            let places = Stage::ALL.map(|stage| Place::Record { seq, stage });
            if !self.read_all(run, &places, &mut found).await? {
                break;
            }
        }
        for k in 1.. {
            if !self.read_all(run, &[Place::Control { k }], &mut found).await? {
                break;
            }
        }
        let known = self.view.look(run, |known| known.stored.keys().copied().collect());
        let known: Vec<Place> = known.unwrap_or_default();
        for place in known {
            if !found.stored.contains_key(&place) {
                self.read_all(run, &[place], &mut found).await?;
            }
        }
        if found.stored.is_empty() {
            return Err(Refusal::NoRun(run));
        }
        Ok(response(run, found))
    }

    /// Whether anything lies at these places.
    async fn read_all(&self, run: RunId, places: &[Place], found: &mut Found) -> Result<bool, Refusal> {
        let reads = places.iter().map(|place| self.view.read(run, *place));
        let read = try_join_all(reads).await?;
        let mut any = false;
        for (place, bytes) in places.iter().zip(read) {
            let Some(bytes) = bytes else { continue };
            any = true;
            found.bytes += bytes.len();
            found.stored.insert(*place, bytes.to_vec());
        }
        if found.bytes > MAX_CHAIN_BYTES {
            return Err(Refusal::TooMuch(format!(
                "what is stored for run {run} has more than {MAX_CHAIN_BYTES} bytes, which one answer cannot carry; read the streams themselves"
            )));
        }
        Ok(any)
    }
}

fn response(run: RunId, found: Found) -> wire::ChainResponse {
    let mut response = wire::ChainResponse::default();
    for (place, signed) in found.stored {
        let stored = wire::StoredRecord {
            subject: place.subject(run),
            signed,
        };
        match place {
            Place::Record { .. } => response.records.push(stored),
            Place::Control { .. } => response.controls.push(stored),
        }
    }
    response
}
