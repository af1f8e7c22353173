//! All runs as the streams tell them. Pure: takes in what was read, in any order and more than once.

use super::place::Place;
use super::run::Run;
use crate::policy;
use interlock_domain::{Keyring, RunId};
use interlock_proto::v1::RunSummary;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// All runs, by age.
#[derive(Debug)]
pub(crate) struct Projection {
    keyring: Keyring,
    runs: BTreeMap<RunId, Run>,
    /// Runs in which the gateway owes a record.
    owed: BTreeSet<RunId>,
    /// Stored records whose subject names no run. They stay in their stream.
    stray: BTreeSet<String>,
}

impl Projection {
    pub(crate) fn new(keyring: Keyring) -> Self {
        Self {
            keyring,
            runs: BTreeMap::new(),
            owed: BTreeSet::new(),
            stray: BTreeSet::new(),
        }
    }

    /// Takes in what is stored under a subject, and says of which run it is.
    pub(crate) fn keep(&mut self, subject: &str, bytes: &[u8]) -> Option<RunId> {
        let Some((id, place)) = Place::of_subject(subject) else {
            if self.stray.insert(subject.to_owned()) {
                tracing::error!(subject, "a stored record belongs to no run");
            }
            return None;
        };
        let run = self.runs.entry(id).or_insert_with(|| Run::new(id));
        run.keep(place, bytes, &self.keyring);
        if policy::owed(&run.state).is_some() && run.stuck().is_none() {
            self.owed.insert(id);
        } else {
            self.owed.remove(&id);
        }
        Some(id)
    }

    pub(crate) fn get(&self, run: RunId) -> Option<&Run> {
        self.runs.get(&run)
    }

    /// Where something new about `run` would lie. Nothing more can come where a refused record lies.
    pub(crate) fn next_places(&self, run: RunId) -> Vec<Place> {
        match self.runs.get(&run) {
            Some(known) => known
                .next_places()
                .filter(|place| !known.stored.contains_key(place))
                .collect(),
            None => Run::new(run).next_places().collect(),
        }
    }

    pub(crate) fn knows(&self, run: RunId, seq: u64, controls: u64) -> bool {
        self.runs.get(&run).is_some_and(|known| known.knows(seq, controls))
    }

    /// Newest first; run ids sort by age.
    pub(crate) fn list(&self, limit: usize, before: Option<RunId>) -> (Vec<RunSummary>, bool) {
        let end = before.map_or(Bound::Unbounded, Bound::Excluded);
        let mut older = self.runs.range((Bound::Unbounded, end)).rev();
        let listed = older.by_ref().take(limit).map(|(_, run)| run.summary.clone()).collect();
        (listed, older.next().is_some())
    }

    pub(crate) fn owed(&self) -> Vec<RunId> {
        self.owed.iter().copied().collect()
    }

    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.runs.len() as u64, self.stray.len() as u64)
    }
}
