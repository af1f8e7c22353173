//! Records as people and programs read them. Pure: nothing here talks to anybody.

pub mod cause;
pub mod evidence;
pub mod gate;
pub mod json;
pub mod line;
pub mod live;
pub mod page;
pub mod report;
pub mod show;
pub mod status;
pub mod text;

use interlock_domain::state::{Event, apply};
use interlock_domain::{Digest, Opened, Record, RunId, RunState, codec};
use interlock_proto::v1::RunView;
use std::collections::BTreeMap;

/// A run, decoded.
#[derive(Debug)]
pub struct Run {
    /// As the gateway sent it.
    pub view: RunView,
    /// The records of its chain that this build can read.
    pub records: Vec<Record>,
    /// Records that it cannot read, with the reason.
    pub unread: Vec<String>,
    /// The state that follows from the records.
    pub state: Option<RunState>,
    /// Text of the files that open findings point at, where somebody fetched it.
    pub sources: BTreeMap<String, String>,
}

impl Run {
    /// Decodes what the gateway sent.
    pub fn new(view: RunView) -> Self {
        let mut records = Vec::new();
        let mut unread = Vec::new();
        for record in &view.records {
            match codec::from_wire(record.clone()) {
                Ok(record) => records.push(record),
                Err(error) => unread.push(format!("record {}: {error}", record.seq)),
            }
        }
        for strange in &view.strange {
            unread.push(format!("{}: {}", strange.subject, strange.why));
        }
        let state = records.first().map(|first| replayed(first.run, &records));
        Self {
            view,
            records,
            unread,
            state,
            sources: BTreeMap::new(),
        }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        self.view.summary.as_ref().map_or("", |summary| &summary.run_id)
    }

    /// One word for how it stands, as the gateway says it.
    pub fn status(&self) -> &str {
        self.view.summary.as_ref().map_or("", |summary| &summary.status)
    }

    /// Whether nothing will happen to it any more.
    pub fn ended(&self) -> bool {
        matches!(self.status(), "accepted" | "refused" | "failed" | "cancelled" | "stuck")
    }

    /// The task's name.
    pub fn task(&self) -> &str {
        self.view.summary.as_ref().map_or("", |summary| &summary.task)
    }
}

/// The state after as many records as follow from each other.
fn replayed(run: RunId, records: &[Record]) -> RunState {
    let mut state = RunState::new(run);
    for record in records {
        let opened = Opened {
            digest: Digest::of(&codec::encode_record(record)),
            value: record.clone(),
        };
        match apply(state.clone(), Event::Record(&opened)) {
            Ok(next) => state = next,
            // What the gateway accepted and this build does not is shown as records, not as state.
            Err(_) => break,
        }
    }
    state
}
