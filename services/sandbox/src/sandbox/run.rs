//! One conversation with one supervisor: job in, signs of life and one report out.

use std::io;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::spawner::Spawner;
use crate::error::SandboxError;
use crate::observed::{Captured, End, Observed, Progress};
use crate::wire::{self, Job, Kind, Report, Start};

/// What a supervisor may take beyond the wall limit and the grace time: start, sweep, report.
const MARGIN: Duration = Duration::from_secs(60);
/// How much of a supervisor's own complaints is kept.
const COMPLAINT: u64 = 16 << 10;

/// A supervisor that is ended when nobody waits for it any more.
struct Supervisor<'a> {
    spawner: &'a Spawner,
    child: Option<Child>,
}

impl Drop for Supervisor<'_> {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            self.spawner.bury(child);
        }
    }
}

/// Has a supervisor carry out the job.
pub(super) async fn run(
    spawner: &Spawner,
    path: &Path,
    job: Job,
    stdin: &[u8],
    cancel: CancellationToken,
    progress: Option<watch::Sender<Progress>>,
) -> Result<Observed, SandboxError> {
    let spawn = |source| SandboxError::Spawn {
        path: path.to_owned(),
        source,
    };
    let mut child = spawner.start(path.to_owned()).await.map_err(spawn)?;
    let (stdin_pipe, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let supervisor = Supervisor {
        spawner,
        child: Some(child),
    };
    let (Some(to), Some(from), Some(complaints)) = (stdin_pipe, stdout, stderr) else {
        return Err(SandboxError::NoReport("no pipes".to_owned()));
    };
    let to = pipe::Sender::from_owned_fd(to.into()).map_err(spawn)?;
    let from = pipe::Receiver::from_owned_fd(from.into()).map_err(spawn)?;
    let complaints = pipe::Receiver::from_owned_fd(complaints.into()).map_err(spawn)?;

    let tier = job.tier;
    let longest = Duration::from_millis(job.watch.wall_ms.saturating_add(job.watch.grace_ms)) + MARGIN;
    let talk = async {
        let (said, complaint) = tokio::join!(talk(to, from, &job, stdin, &cancel, progress), read_some(complaints));
        said.map_err(|error| SandboxError::NoReport(format!("{error}; {}", complaint.trim())))
    };
    // Dropping the pipes ends the supervisor and everything below it.
    let (report, parts) = tokio::time::timeout(longest, talk)
        .await
        .map_err(|_| SandboxError::NoReport("it did not answer in time".to_owned()))??;
    drop(supervisor);
    observed(tier, report, parts)
}

type Parts = [Vec<u8>; 4];

/// Sends the job and reads until the report. Closing the pipe to the supervisor is how it is told to end.
async fn talk(
    mut to: pipe::Sender,
    from: pipe::Receiver,
    job: &Job,
    stdin: &[u8],
    cancel: &CancellationToken,
    progress: Option<watch::Sender<Progress>>,
) -> io::Result<(Report, Parts)> {
    to.write_all(&wire::json_frame(Kind::Job, job)?).await?;
    to.write_all(&wire::frame(Kind::Stdin, stdin)?).await?;
    let mut listening = std::pin::pin!(listen(from, progress));
    tokio::select! {
        said = &mut listening => return said,
        () = cancel.cancelled() => drop(to),
    }
    listening.await
}

/// Reads signs of life until the report.
async fn listen(mut from: pipe::Receiver, progress: Option<watch::Sender<Progress>>) -> io::Result<(Report, Parts)> {
    loop {
        match read_frame(&mut from).await? {
            (Kind::Progress, body) => {
                if let Some(progress) = &progress {
                    progress.send_replace(serde_json::from_slice(&body)?);
                }
            }
            (Kind::Report, body) => {
                let mut parts = Parts::default();
                for part in &mut parts {
                    *part = read_frame(&mut from).await?.1;
                }
                return Ok((serde_json::from_slice(&body)?, parts));
            }
            (Kind::Job | Kind::Stdin | Kind::Bytes, _) => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "unexpected frame"));
            }
        }
    }
}

/// Reads one frame.
async fn read_frame(from: &mut (impl AsyncRead + Unpin)) -> io::Result<(Kind, Vec<u8>)> {
    let mut header = [0; 5];
    from.read_exact(&mut header).await?;
    let (kind, length) = wire::parse_header(header)?;
    let mut body = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut body).await?;
    if body.len() as u64 == u64::from(length) {
        Ok((kind, body))
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// The first part of what the supervisor complains about; the rest is read and dropped.
async fn read_some(mut from: pipe::Receiver) -> String {
    let mut kept = Vec::new();
    let mut buffer = vec![0; 4096];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        if (kept.len() as u64) < COMPLAINT {
            kept.extend_from_slice(buffer.get(..count).unwrap_or_default());
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}

fn observed(tier: crate::Tier, report: Report, parts: Parts) -> Result<Observed, SandboxError> {
    let [out_head, out_tail, err_head, err_tail] = parts;
    let stdout = Captured {
        head: out_head,
        tail: out_tail,
        total_bytes: report.stdout_bytes,
    };
    let stderr = Captured {
        head: err_head,
        tail: err_tail,
        total_bytes: report.stderr_bytes,
    };
    match (report.start, report.end) {
        (Start::Done, _) => {}
        // Ended while the walls went up: that is an end like any other.
        (Start::SetUpFailed(_), End::Cancelled | End::Limit(_)) => {}
        (Start::SetUpFailed(why), End::Exited(_) | End::Signaled(_)) => {
            return Err(SandboxError::SetUp(
                format!("{why} {}", stderr.to_text().trim()).trim().to_owned(),
            ));
        }
        (Start::NotStarted(why), _) => return Err(SandboxError::NotStarted(why)),
    }
    Ok(Observed {
        end: report.end,
        tier,
        started: report.started_ms,
        duration: Duration::from_micros(report.duration_us),
        cpu: Duration::from_millis(report.cpu_ms),
        peak_memory_bytes: report.peak_memory_bytes,
        peak_processes: report.peak_processes,
        survivors: report.survivors,
        stdout,
        stderr,
        denied: report.denied,
    })
}
