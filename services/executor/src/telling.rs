//! Tells what the running program is doing, about once a second: for people who watch, and for the curve of what it
//! used. Decides nothing: limits are the supervisor's, and the end is told by the record.

use crate::folders::Folders;
use interlock_domain::RunId;
use interlock_proto::v1::{Chunk, Live, SelfReport, Usage};
use interlock_sandbox::{Command, Observed, Progress, ResultFolder, STDERR, STDOUT, Sandbox, SandboxError};
use interlock_stage::work::now_unix_ms;
use interlock_stage::{Bus, Work};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Between two messages.
const PERIOD: Duration = Duration::from_secs(1);
/// Most bytes of one stream in one message; far below what the broker takes.
const CHUNK: u64 = 128 << 10;
/// Where the program says how far it is, below its output folder. Written by `recorder.progress`.
pub const SELF_REPORT: &str = "progress.json";
/// Longest such file, in bytes.
const MAX_SELF_REPORT: u64 = 4096;
/// Longest note of the program's that is passed on, in characters.
const MAX_NOTE: usize = 200;
/// Most samples that are kept of a run.
const MAX_SAMPLES: usize = 240;

/// What the program used at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sample {
    elapsed_ms: u64,
    cpu_ms: u64,
    memory_bytes: u64,
    processes: u32,
    output_bytes: u64,
    disk_bytes: u64,
}

/// What is told, and of whom.
#[derive(Debug)]
pub struct Telling {
    /// Where to.
    pub bus: Bus,
    /// Of which run.
    pub run: RunId,
    /// Number of the execution.
    pub attempt: u32,
    /// The folder with both streams in full length.
    pub logs: PathBuf,
    /// The program's output folder.
    pub out: PathBuf,
}

impl Telling {
    /// Of this piece of work. The supervisor's signs of life come with [`Telling::run`].
    pub fn of(work: &Work, folders: &Folders, attempt: u32) -> Self {
        Self {
            bus: work.bus.clone(),
            run: work.state.run,
            attempt,
            logs: folders.logs(),
            out: folders.out(),
        }
    }

    /// Runs the program, and tells of it as long as it runs.
    ///
    /// # Errors
    /// As [`Sandbox::run`].
    pub async fn run(
        self,
        sandbox: &Sandbox,
        command: Command,
        cancel: CancellationToken,
    ) -> Result<(Observed, Vec<Sample>), SandboxError> {
        let (signs, progress) = watch::channel(Progress::default());
        let over = CancellationToken::new();
        let ends_with_us = over.clone().drop_guard();
        let logs = self.logs.clone();
        let telling = tokio::spawn(self.until(progress, over));
        let seen = sandbox.run_logged(command, cancel, Some(signs), Some(logs)).await;
        drop(ends_with_us);
        // What is told is no part of what happened: a task that broke down loses its samples, not the run.
        let samples = telling.await.unwrap_or_default();
        Ok((seen?, samples))
    }

    /// Tells until `over`, and once more that it is over. Answers the samples that it took.
    async fn until(self, mut progress: watch::Receiver<Progress>, over: CancellationToken) -> Vec<Sample> {
        let mut samples = Samples::default();
        let (mut stdout, mut stderr) = (Stream::new(&self.logs, STDOUT), Stream::new(&self.logs, STDERR));
        let mut number = 0;
        let mut ended = false;
        while !ended {
            tokio::select! {
                () = tokio::time::sleep(PERIOD) => {}
                () = over.cancelled() => ended = true,
            }
            let usage = progress.borrow_and_update().clone();
            samples.take(&usage);
            number += 1;
            let live = Live {
                run_id: self.run.to_string(),
                attempt: self.attempt,
                number,
                time_unix_ms: now_unix_ms(),
                period_ms: u32::try_from(PERIOD.as_millis()).unwrap_or(u32::MAX),
                usage: Some(Usage {
                    elapsed_ms: usage.elapsed_ms,
                    cpu_ms: usage.cpu_ms,
                    memory_bytes: usage.memory_bytes,
                    processes: usage.processes,
                    output_bytes: usage.output_bytes,
                    quiet_ms: usage.quiet_ms,
                    disk_bytes: usage.disk_bytes,
                }),
                stdout: stdout.next(),
                stderr: stderr.next(),
                ended,
                self_report: self_report(&self.out),
            };
            self.bus.tell(self.run, &live).await;
        }
        samples.kept
    }
}

/// One stream's file, and how much of it has been told.
struct Stream {
    path: PathBuf,
    told: u64,
}

impl Stream {
    fn new(folder: &Path, name: &str) -> Self {
        Self {
            path: folder.join(name),
            told: 0,
        }
    }

    /// What is new. Of more than fits into one message only the end: whoever watches wants the newest.
    fn next(&mut self) -> Option<Chunk> {
        let file = File::open(&self.path).ok()?;
        let length = file.metadata().ok()?.len();
        let offset = self.told.max(length.saturating_sub(CHUNK));
        let wanted = usize::try_from(length.saturating_sub(offset)).ok()?;
        if wanted == 0 {
            return None;
        }
        let mut data = vec![0; wanted];
        file.read_exact_at(&mut data, offset).ok()?;
        self.told = length;
        Some(Chunk { offset, data })
    }
}

#[derive(Deserialize)]
struct Said {
    done: f64,
    total: f64,
    #[serde(default)]
    note: String,
}

/// What the program says of how far it is, if it says something that can be.
fn self_report(out: &Path) -> Option<SelfReport> {
    let folder = ResultFolder::open(out).ok()?;
    let bytes = folder.read(Path::new(SELF_REPORT), MAX_SELF_REPORT).ok()?;
    let said: Said = serde_json::from_slice(&bytes).ok()?;
    let possible = said.done.is_finite() && said.total.is_finite() && said.done >= 0.0 && said.total > 0.0;
    possible.then(|| SelfReport {
        done: said.done.min(said.total),
        total: said.total,
        note: said.note.chars().take(MAX_NOTE).collect(),
    })
}

/// Samples at even distances: twice as far apart whenever there are too many.
#[derive(Default)]
struct Samples {
    kept: Vec<Sample>,
    seen: usize,
    step: usize,
}

impl Samples {
    fn take(&mut self, usage: &Progress) {
        self.step = self.step.max(1);
        let due = self.seen.is_multiple_of(self.step);
        self.seen += 1;
        if !due || usage.elapsed_ms == 0 {
            return;
        }
        self.kept.push(Sample {
            elapsed_ms: usage.elapsed_ms,
            cpu_ms: usage.cpu_ms,
            memory_bytes: usage.memory_bytes,
            processes: usage.processes,
            output_bytes: usage.output_bytes,
            disk_bytes: usage.disk_bytes,
        });
        if self.kept.len() > MAX_SAMPLES {
            let mut index = 0;
            self.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.step *= 2;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_told_piece_by_piece_and_of_a_flood_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let mut stream = Stream::new(folder.path(), STDOUT);
        assert_eq!(stream.next(), None, "nothing is there yet");
        let path = folder.path().join(STDOUT);
        std::fs::write(&path, "abc").unwrap();
        let first = stream.next().unwrap();
        assert_eq!((first.offset, first.data.as_slice()), (0, &b"abc"[..]));
        assert_eq!(stream.next(), None, "it was told");
        let mut long = b"abc".to_vec();
        long.extend(std::iter::repeat_n(b'x', 3 * CHUNK as usize));
        long.push(b'!');
        std::fs::write(&path, &long).unwrap();
        let next = stream.next().unwrap();
        assert_eq!(next.data.len() as u64, CHUNK);
        assert_eq!(next.offset + CHUNK, long.len() as u64);
        assert_eq!(next.data.last(), Some(&b'!'));
    }

    #[test]
    fn only_a_possible_report_is_passed_on() {
        let out = tempfile::tempdir().unwrap();
        let say = |text: &str| {
            std::fs::write(out.path().join(SELF_REPORT), text).unwrap();
            self_report(out.path())
        };
        let good = say(r#"{"done": 3, "total": 10, "note": "epoch 3"}"#).unwrap();
        assert_eq!((good.done, good.total, good.note.as_str()), (3.0, 10.0, "epoch 3"));
        assert_eq!(say(r#"{"done": 12, "total": 10}"#).unwrap().done, 10.0);
        for bad in [
            r#"{"done": -1, "total": 10}"#,
            r#"{"done": 1, "total": 0}"#,
            "{",
            "[]",
            &"9".repeat(5000),
        ] {
            assert_eq!(say(bad), None, "{bad:.40}");
        }
        std::fs::remove_file(out.path().join(SELF_REPORT)).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", out.path().join(SELF_REPORT)).unwrap();
        assert_eq!(self_report(out.path()), None, "no link is followed");
    }

    #[test]
    fn samples_stay_few_and_evenly_apart() {
        let mut samples = Samples::default();
        for second in 1..=5000_u64 {
            samples.take(&Progress {
                elapsed_ms: second * 1000,
                ..Progress::default()
            });
        }
        assert!(samples.kept.len() <= MAX_SAMPLES && samples.kept.len() > MAX_SAMPLES / 3);
        let gaps: std::collections::BTreeSet<u64> = samples
            .kept
            .windows(2)
            .map(|pair| pair[1].elapsed_ms - pair[0].elapsed_ms)
            .collect();
        assert_eq!(gaps.len(), 1, "{gaps:?}");
    }
}
