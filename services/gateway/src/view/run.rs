//! One run as the streams tell it: what is stored, and the state that follows from it.
//!
//! Keeps whatever is stored under the run's name, also what cannot be accepted. Reads nothing itself.

use super::place::Place;
use super::render;
use interlock_domain::payload::{Answer, Payload};
use interlock_domain::record::{Control, Record};
use interlock_domain::state::{Event, apply};
use interlock_domain::{Keyring, Opened, RunId, RunState};
use interlock_proto::v1::RunSummary;
use std::collections::BTreeMap;
use tokio::sync::watch;

/// A run, its stored bytes, and what follows from them.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) state: RunState,
    pub(crate) stored: BTreeMap<Place, Stored>,
    /// Every answer that is on record, with its time.
    pub(crate) answers: Vec<(Answer, i64)>,
    /// Time of the first and of the last record or control, in Unix milliseconds.
    pub(crate) times: Option<(i64, i64)>,
    /// Ready to be listed.
    pub(crate) summary: RunSummary,
    changed: watch::Sender<u64>,
}

/// Some stored bytes and how they stand to the run.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) bytes: Box<[u8]>,
    pub(crate) standing: Standing,
}

/// How stored bytes stand to the run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Part of the state.
    Applied,
    /// Nothing before it leads to its place, or not yet.
    Unreached,
    /// It lies where the next record belongs, and cannot be accepted.
    Refused(String),
}

impl Run {
    pub(crate) fn new(run: RunId) -> Self {
        Self {
            state: RunState::new(run),
            stored: BTreeMap::new(),
            answers: Vec::new(),
            times: None,
            summary: RunSummary::default(),
            changed: watch::Sender::new(0),
        }
    }

    /// Keeps what is stored at `place`, and follows the chain as far as it now goes.
    pub(crate) fn keep(&mut self, place: Place, bytes: &[u8], keyring: &Keyring) {
        if self.stored.contains_key(&place) {
            return;
        }
        // A copy: what the client library hands out is part of a larger read buffer.
        let stored = Stored {
            bytes: bytes.into(),
            standing: Standing::Unreached,
        };
        self.stored.insert(place, stored);
        while self.follow_chain(keyring) || self.follow_lane(keyring) {}
        self.summary = render::summary(self);
        self.changed.send_modify(|version| *version += 1);
    }

    /// The places at which something new would change the state.
    pub(crate) fn next_places(&self) -> impl Iterator<Item = Place> + use<> {
        let seq = self.state.seq + 1;
        let record = self.state.chain_actor().map(|stage| Place::Record { seq, stage });
        let control = Place::Control {
            k: self.state.controls + 1,
        };
        record.into_iter().chain([control])
    }

    /// What lies where the next record or control belongs and cannot be accepted.
    pub(crate) fn stuck(&self) -> Option<&str> {
        self.next_places()
            .find_map(|place| match &self.stored.get(&place)?.standing {
                Standing::Refused(why) => Some(why.as_str()),
                Standing::Applied | Standing::Unreached => None,
            })
    }

    /// Whether the state knows everything up to here.
    pub(crate) fn knows(&self, seq: u64, controls: u64) -> bool {
        self.state.seq >= seq && self.state.controls >= controls
    }

    /// Whether something is stored that nothing leads to, or not yet.
    pub(crate) fn has_unreached(&self) -> bool {
        self.stored
            .values()
            .any(|stored| stored.standing == Standing::Unreached)
    }

    /// Whether nothing can happen to it any more.
    pub(crate) fn ended(&self) -> bool {
        self.state.outcome.is_some() || self.state.is_cancelled()
    }

    /// Bumped at every change.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// The last record of the chain.
    pub(crate) fn last_record(&self) -> Option<Place> {
        let applied = |(place, stored): (&Place, &Stored)| match place {
            Place::Record { .. } if stored.standing == Standing::Applied => Some(*place),
            Place::Record { .. } | Place::Control { .. } => None,
        };
        self.stored.iter().rev().find_map(applied)
    }

    fn follow_chain(&mut self, keyring: &Keyring) -> bool {
        let seq = self.state.seq + 1;
        let Some(stage) = self.state.chain_actor() else {
            return false;
        };
        let Some(stored) = waiting(&mut self.stored, Place::Record { seq, stage }) else {
            return false;
        };
        let opened = keyring.open_record(&stored.bytes).map_err(|e| e.to_string());
        let followed = opened.and_then(|opened| {
            let next = apply(self.state.clone(), Event::Record(&opened)).map_err(|e| e.to_string())?;
            Ok((next, opened))
        });
        match followed {
            Ok((next, opened)) => {
                stored.standing = Standing::Applied;
                self.state = next;
                self.note(opened);
                true
            }
            Err(why) => refuse(stored, why),
        }
    }

    fn follow_lane(&mut self, keyring: &Keyring) -> bool {
        let k = self.state.controls + 1;
        let Some(stored) = waiting(&mut self.stored, Place::Control { k }) else {
            return false;
        };
        let opened = keyring.open_control(&stored.bytes).map_err(|e| e.to_string());
        let followed = opened.and_then(|opened: Opened<Control>| {
            let next = apply(self.state.clone(), Event::Control(&opened)).map_err(|e| e.to_string())?;
            Ok((next, opened.value.time_unix_ms))
        });
        match followed {
            Ok((next, time)) => {
                stored.standing = Standing::Applied;
                self.state = next;
                self.touch(time);
                true
            }
            Err(why) => refuse(stored, why),
        }
    }

    fn note(&mut self, opened: Opened<Record>) {
        let record = opened.value;
        self.touch(record.time_unix_ms);
        if let Payload::Answer(answer) = record.payload {
            self.answers.push((answer, record.time_unix_ms));
        }
    }

    fn touch(&mut self, time: i64) {
        self.times = match self.times {
            None => Some((time, time)),
            Some((first, last)) => Some((first, last.max(time))),
        };
    }
}

fn waiting(stored: &mut BTreeMap<Place, Stored>, place: Place) -> Option<&mut Stored> {
    stored
        .get_mut(&place)
        .filter(|stored| stored.standing == Standing::Unreached)
}

fn refuse(stored: &mut Stored, why: String) -> bool {
    stored.standing = Standing::Refused(why);
    false
}
