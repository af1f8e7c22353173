//! The program's stdin, stdout and stderr, from this side. Reads whatever is there; never waits for the end of a
//! stream, because a process that got away may hold it open for ever.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;

use super::capture::Capture;

/// Bytes read at a time: the usual capacity of a pipe.
const CHUNK: usize = 64 << 10;
/// Most bytes taken after the end: more than any pipe holds by default, and little enough for a writer that
/// could not be killed.
const LAST_BYTES: u64 = 4 << 20;

/// One output stream being drained.
#[derive(Debug)]
pub(super) struct Drain {
    pipe: Option<pipe::Receiver>,
    buffer: Vec<u8>,
    pub(super) capture: Capture,
    /// The whole stream, as far as the disk takes it.
    log: Option<File>,
}

impl Drain {
    pub(super) fn new(fd: Option<OwnedFd>, keep: u64, log: Option<File>) -> io::Result<Drain> {
        let pipe = fd.map(pipe::Receiver::from_owned_fd).transpose()?;
        Ok(Drain {
            pipe,
            buffer: vec![0; CHUNK],
            capture: Capture::new(keep),
            log,
        })
    }

    /// Takes the next bytes. Pends for ever once the stream has ended. Safe to drop at any time.
    pub(super) async fn next(&mut self) {
        let Some(pipe) = &mut self.pipe else {
            return std::future::pending().await;
        };
        match pipe.read(&mut self.buffer).await {
            Ok(0) | Err(_) => self.pipe = None,
            Ok(count) => self.take(count),
        }
    }

    fn take(&mut self, count: usize) {
        let bytes = self.buffer.get(..count).unwrap_or_default();
        self.capture.push(bytes);
        // A full disk ends the file; its length tells the caller.
        if let Some(log) = &mut self.log
            && log.write_all(bytes).is_err()
        {
            self.log = None;
        }
    }

    /// Takes what is in the pipe now, and no more.
    pub(super) fn finish(&mut self) {
        let mut taken = 0;
        while let Some(pipe) = &mut self.pipe {
            match pipe.try_read(&mut self.buffer) {
                Ok(count) if count > 0 && taken < LAST_BYTES => {
                    taken += count as u64;
                    self.take(count);
                }
                Ok(_) | Err(_) => return,
            }
        }
    }
}

/// The program's stdin being written.
#[derive(Debug)]
pub(super) struct Feed {
    pipe: Option<pipe::Sender>,
    bytes: Vec<u8>,
    written: usize,
}

impl Feed {
    pub(super) fn new(fd: Option<OwnedFd>, bytes: Vec<u8>) -> io::Result<Feed> {
        Ok(Feed {
            pipe: fd.map(pipe::Sender::from_owned_fd).transpose()?,
            bytes,
            written: 0,
        })
    }

    /// Writes the next bytes, and closes the pipe after the last. Pends for ever once it is closed.
    pub(super) async fn next(&mut self) {
        let Some(pipe) = &mut self.pipe else {
            return std::future::pending().await;
        };
        let rest = self.bytes.get(self.written..).unwrap_or_default();
        if rest.is_empty() {
            self.pipe = None;
            return;
        }
        match pipe.write(rest).await {
            Ok(count) => self.written += count,
            // The program does not read it: its own affair.
            Err(_) => self.pipe = None,
        }
    }
}
