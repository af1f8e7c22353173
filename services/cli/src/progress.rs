//! Shows a run while it goes on: a line for each record, and a live line where somebody is watching.

use crate::console::Console;
use crate::view::{Run, json, line, status};
use std::cell::Cell;

/// What has been shown so far.
pub struct Progress {
    console: Console,
    json: bool,
    shown: Cell<u64>,
}

impl Progress {
    /// Nothing is shown yet.
    pub fn new(console: &Console, json: bool) -> Self {
        let console = if json { console.clone() } else { console.live() };
        Self {
            console,
            json,
            shown: Cell::new(0),
        }
    }

    /// The run has its id.
    pub fn submitted(&self, id: &str) {
        if !self.json {
            self.console.line(&format!("run {id}"));
        }
    }

    /// Every record that was not shown before.
    pub fn show(&self, run: &Run) {
        let before = self.shown.get();
        for record in run.records.iter().filter(|record| record.seq > before) {
            if self.json {
                self.console.line(&json::record(record).to_string());
            } else {
                self.console.toned(line::tone(record), &line::line(record));
            }
            self.shown.set(record.seq);
        }
        self.console.status(&status::status(run), self.shown.get() != before);
    }

    /// Ends the live line.
    pub fn settle(&self) {
        self.console.settle();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        // A signal may have ended the waiting in the middle of it.
        self.settle();
    }
}
