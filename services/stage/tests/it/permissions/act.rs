//! The words of the tables: an act, what came of it, and a row that says who may.

use super::world::World;
use async_nats::HeaderMap;
use bytes::Bytes;
use interlock_domain::Stage;

/// One thing that a stage can send to the server.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Say(Say),
    Listen { subject: String, queue: bool },
}

#[derive(Clone, Debug)]
pub(super) struct Say {
    pub(super) subject: String,
    pub(super) headers: HeaderMap,
    pub(super) payload: Bytes,
    /// Where the answers are to go instead of the stage's own inbox.
    pub(super) divert: Option<String>,
}

/// What a stage tries, given the world as it is.
type Acts = Box<dyn Fn(&mut World, Stage) -> Vec<Act>>;

/// A line of a table.
pub(super) struct Row {
    pub(super) group: &'static str,
    /// Completes "the planner tried to …".
    pub(super) what: String,
    /// The stages that may.
    pub(super) may: Vec<Stage>,
    /// All of these are tried; one that has an effect is one too many for a stage that may not.
    pub(super) acts: Acts,
    /// Whether changes in what is the stage's own are beside the point, as when others are the target.
    pub(super) own_is_beside: bool,
}

impl Row {
    pub(super) fn new(
        group: &'static str,
        what: impl Into<String>,
        may: &[Stage],
        acts: impl Fn(&mut World, Stage) -> Vec<Act> + 'static,
    ) -> Self {
        Self {
            group,
            what: what.into(),
            may: may.to_vec(),
            acts: Box::new(acts),
            own_is_beside: false,
        }
    }
}

/// What the server made of one act, as far as the stage is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// "Permissions Violation".
    Violation,
    /// An answer that says no, or that there is nothing.
    No(String),
    /// Anything else: what was asked for.
    Yes(String),
    Silence,
}

/// What came of all acts of a cell.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// What the stage was given.
    pub(super) given: Vec<String>,
    /// What changed in streams and consumers.
    pub(super) changed: Vec<String>,
    /// What arrived where nothing should.
    pub(super) arrived: Vec<String>,
    /// How the server said no.
    pub(super) refusals: usize,
}

impl Seen {
    pub(super) fn happened(&self) -> bool {
        !(self.given.is_empty() && self.changed.is_empty() && self.arrived.is_empty())
    }
}

pub(super) fn say(subject: impl Into<String>, payload: impl Into<Bytes>) -> Act {
    said(subject, HeaderMap::new(), payload, None)
}

pub(super) fn with_headers(subject: impl Into<String>, headers: &[(&str, &str)], payload: impl Into<Bytes>) -> Act {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(*name, *value);
    }
    said(subject, map, payload, None)
}

pub(super) fn said(
    subject: impl Into<String>,
    headers: HeaderMap,
    payload: impl Into<Bytes>,
    divert: Option<String>,
) -> Act {
    Act::Say(Say {
        subject: subject.into(),
        headers,
        payload: payload.into(),
        divert,
    })
}

/// A call of the broker's interface, under the prefix that stages use and under its real name.
pub(super) fn api(call: &str, payload: &str) -> Vec<Act> {
    ["core.API", "$JS.API"]
        .map(|prefix| say(format!("{prefix}.{call}"), payload.to_owned()))
        .into()
}
