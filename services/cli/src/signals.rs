//! The wish of whoever started the command that it should stop.

use crate::error::CliError;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGINT, SIGTERM and SIGHUP of this process.
pub struct Interrupts {
    int: Signal,
    term: Signal,
    hup: Signal,
}

impl Interrupts {
    /// From now on these signals no longer end the process by themselves.
    pub fn listen() -> Result<Self, CliError> {
        let listen = |kind| {
            signal(kind).map_err(|source| CliError::Io {
                doing: "cannot listen for signals".to_owned(),
                source,
            })
        };
        Ok(Self {
            int: listen(SignalKind::interrupt())?,
            term: listen(SignalKind::terminate())?,
            hup: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.int.recv() => {}
            _ = self.term.recv() => {}
            _ = self.hup.recv() => {}
        }
    }
}
