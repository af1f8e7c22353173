//! One request from its being counted to its end, so that a client who goes away is noticed at any
//! moment: while the answer is looked up, in a scripted silence, in the middle of the body.

use std::io;

use crate::stats::{Event, Stats};

/// A request that was counted as started; counts as abandoned when dropped without an end.
#[derive(Debug)]
pub(crate) struct Begun {
    stats: Stats,
    key: String,
    ordinal: u32,
    over: bool,
}

impl Begun {
    /// Counts the request.
    pub(crate) fn new(stats: Stats, key: String) -> io::Result<Self> {
        let ordinal = stats.record(Event::Started, &key)?;
        Ok(Self {
            stats,
            key,
            ordinal,
            over: false,
        })
    }

    /// The how-manieth request of its key this is, from 1.
    pub(crate) fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// The whole answer was handed over.
    pub(crate) fn complete(&mut self) -> io::Result<()> {
        self.over = true;
        self.stats.record(Event::Completed, &self.key).map(drop)
    }

    /// It ended otherwise, and not because of the client.
    pub(crate) fn end(&mut self) {
        self.over = true;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if !self.over
            && let Err(error) = self.stats.record(Event::Abandoned, &self.key)
        {
            eprintln!("interlock-scripted-model: cannot write the log: {error}");
        }
    }
}
