//! How often each answer was asked for, completed and abandoned; optionally as a log of JSON lines.
//! Counts are what tests judge by ("no completed model call was repeated"), so a log that cannot be
//! written is an error, not a shrug.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// A handle on the counts of one server; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    counts: Counts,
    log: Option<File>,
}

/// The counts at one moment, by key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Requests that named this key, whatever came of them.
    pub started: BTreeMap<String, u32>,
    /// Requests whose whole answer was handed to the socket.
    pub completed: BTreeMap<String, u32>,
    /// Requests whose client went away before the answer had ended.
    pub abandoned: BTreeMap<String, u32>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Event {
    Started,
    Completed,
    Abandoned,
}

#[derive(Serialize)]
struct LogLine<'a> {
    event: Event,
    key: &'a str,
    unix_ms: u128,
}

impl Stats {
    /// Counts that are also appended to `log`, one JSON object a line.
    pub(crate) fn logging_to(log: Option<&Path>) -> io::Result<Self> {
        let log = log
            .map(|path| OpenOptions::new().create(true).append(true).open(path))
            .transpose()?;
        Ok(Self {
            inner: Arc::new(Mutex::new(Inner {
                counts: Counts::default(),
                log,
            })),
        })
    }

    /// The counts now.
    pub fn counts(&self) -> Counts {
        self.lock().counts.clone()
    }

    /// How many requests named `key`.
    pub fn started(&self, key: &str) -> u32 {
        self.lock().counts.started.get(key).copied().unwrap_or(0)
    }

    /// How many whole answers were sent for `key`.
    pub fn completed(&self, key: &str) -> u32 {
        self.lock().counts.completed.get(key).copied().unwrap_or(0)
    }

    /// How many clients went away in the middle of the answer for `key`.
    pub fn abandoned(&self, key: &str) -> u32 {
        self.lock().counts.abandoned.get(key).copied().unwrap_or(0)
    }

    /// Counts one event and returns the new count of its kind for this key.
    pub(crate) fn record(&self, event: Event, key: &str) -> io::Result<u32> {
        let mut inner = self.lock();
        let counts = match event {
            Event::Started => &mut inner.counts.started,
            Event::Completed => &mut inner.counts.completed,
            Event::Abandoned => &mut inner.counts.abandoned,
        };
        let count = counts.entry(key.to_owned()).or_insert(0);
        *count += 1;
        let count = *count;
        if let Some(log) = &mut inner.log {
            let unix_ms = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_millis());
            let mut line = serde_json::to_vec(&LogLine { event, key, unix_ms })?;
            line.push(b'\n');
            // One write per line, so that two servers may append to one file.
            log.write_all(&line)?;
        }
        Ok(count)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
