//! Two named pipes in a folder, over which a program in the sandbox is asked while it runs. Carries lines and knows
//! nothing of what they say. The folder has to be mounted writable for the program: opening a pipe to write is writing.

use std::io;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;

/// File name of the pipe that the program reads requests from.
pub const REQUESTS: &str = "requests";
/// File name of the pipe that the program writes answers to.
pub const ANSWERS: &str = "answers";
/// Longest answer in bytes; more than a report on one import ever has.
const MAX_LINE: usize = 4 << 20;

/// The end that asks.
#[derive(Debug)]
pub struct Asker(pipe::Sender);

/// The end that hears the answers.
#[derive(Debug)]
pub struct Listener {
    pipe: pipe::Receiver,
    received: Vec<u8>,
}

/// Makes the pipes in `folder`, which has to be there, and opens this side of both.
///
/// # Errors
/// If they cannot be made, or are there already.
pub fn dialogue(folder: &Path) -> io::Result<(Asker, Listener)> {
    for name in [REQUESTS, ANSWERS] {
        let mode = Mode::RUSR | Mode::WUSR;
        rustix::fs::mknodat(CWD, folder.join(name), FileType::Fifo, mode, 0)?;
    }
    // Opened both ways, neither side has to wait for the other, and the program may come and go.
    let mut options = pipe::OpenOptions::new();
    options.read_write(true);
    Ok((
        Asker(options.open_sender(folder.join(REQUESTS))?),
        Listener {
            pipe: options.open_receiver(folder.join(ANSWERS))?,
            received: Vec::new(),
        },
    ))
}

impl Asker {
    /// Sends one line; the line feed is added.
    ///
    /// # Errors
    /// As the pipe says.
    pub async fn say(&mut self, line: &str) -> io::Result<()> {
        self.0.write_all(format!("{line}\n").as_bytes()).await
    }
}

impl Listener {
    /// The next line, without its line feed. Waits for ever if the program has ended. Safe to drop half-way.
    ///
    /// # Errors
    /// As the pipe says, or if the line is too long to be an answer.
    pub async fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut looked_at = 0;
        loop {
            let found = self.received.iter().skip(looked_at).position(|byte| *byte == b'\n');
            if let Some(at) = found {
                let rest = self.received.split_off(looked_at + at + 1);
                let mut line = std::mem::replace(&mut self.received, rest);
                line.pop();
                return Ok(line);
            }
            looked_at = self.received.len();
            if looked_at > MAX_LINE {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a line is too long"));
            }
            self.pipe.read_buf(&mut self.received).await?;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use std::fs::{File, OpenOptions};
    use std::io::{BufRead, BufReader, Write};

    #[tokio::test]
    async fn lines_go_both_ways() {
        let folder = tempfile::tempdir().unwrap();
        let (mut asker, mut listener) = dialogue(folder.path()).unwrap();
        let (requests, answers) = (folder.path().join(REQUESTS), folder.path().join(ANSWERS));
        let program = std::thread::spawn(move || {
            let mut requests = BufReader::new(File::open(requests).unwrap());
            let mut answers = OpenOptions::new().write(true).open(answers).unwrap();
            let mut line = String::new();
            requests.read_line(&mut line).unwrap();
            answers
                .write_all(format!("heard {line}and more\nhal").as_bytes())
                .unwrap();
            answers.write_all(b"f\n").unwrap();
        });
        asker.say("one").await.unwrap();
        for expected in ["heard one", "and more", "half"] {
            assert_eq!(listener.line().await.unwrap(), expected.as_bytes());
        }
        program.join().unwrap();
    }

    #[tokio::test]
    async fn a_line_without_end_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (_asker, mut listener) = dialogue(folder.path()).unwrap();
        let path = folder.path().join(ANSWERS);
        let program = std::thread::spawn(move || {
            let mut answers = OpenOptions::new().write(true).open(path).unwrap();
            // Ends when nobody reads any more.
            while answers.write_all(&[b'x'; 1 << 16]).is_ok() {}
        });
        assert!(listener.line().await.is_err());
        drop(listener);
        program.join().unwrap();
    }

    #[tokio::test]
    async fn a_folder_with_pipes_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let _first = dialogue(folder.path()).unwrap();
        assert!(dialogue(folder.path()).is_err());
    }
}
