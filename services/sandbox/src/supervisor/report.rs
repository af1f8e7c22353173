//! One run from start to report. Whatever goes wrong after the start, the tree is swept before anything is said.

use std::io;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::WaitStatus;
use tokio::io::AsyncWriteExt;

use super::end::{self, Reaper};
use super::watch::{self, Callers, Watch};
use super::{SupervisorError, start};
use crate::command::Tier;
use crate::observed::{End, LimitKind};
use crate::wire::{self, Job, Kind, Report};

/// How long the caller may take to read the report.
const REPORT: Duration = Duration::from_secs(30);

/// Runs the job and writes the report.
pub(super) async fn run(job: Job, stdin: Vec<u8>) -> Result<(), SupervisorError> {
    let mut callers = Callers::new()?;
    if let Some(folder) = &job.scratch {
        std::fs::create_dir(folder)?;
    }
    let outcome = observe(&job, stdin, &mut callers).await;
    if let Some(folder) = &job.scratch {
        // What cannot be removed is found again by its name; the report matters more.
        let _ = std::fs::remove_dir_all(folder);
    }
    let sent = tokio::time::timeout(REPORT, callers.reports.write_all(&outcome?)).await;
    Ok(sent.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??)
}

/// Starts, watches and sweeps. Gives the bytes of the report.
async fn observe(job: &Job, stdin: Vec<u8>, callers: &mut Callers) -> Result<Vec<u8>, SupervisorError> {
    let started_ms = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let begun = Instant::now();
    let what = job.wrap.as_ref().map_or(&job.launcher, |wrap| &wrap.program).display().to_string();
    let mut started =
        start::start(job, !stdin.is_empty()).map_err(|source| SupervisorError::Start { what, source })?;
    let mut reaper = Reaper::new(started.pid);
    let watched = match Watch::new(job, &mut started, stdin, begun) {
        Ok(mut watch) => {
            let end = watch.until_end(callers, &mut reaper).await;
            end.map(|end| (watch, end))
        }
        Err(error) => Err(error),
    };
    let duration = begun.elapsed();
    let survivors = end::sweep(watch::walls(job.tier), &mut reaper);
    let (mut watch, end) = watched?;
    watch.finish();
    let report = Report {
        start: started.outcome(),
        end: end.unwrap_or_else(|| own_end(job, reaper.status)),
        started_ms: u64::try_from(started_ms).unwrap_or(u64::MAX),
        duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
        cpu_ms: watch.meter.cpu_ms(),
        peak_memory_bytes: watch.meter.peak_memory,
        peak_processes: watch.meter.peak_processes,
        survivors,
        stdout_bytes: watch.out.capture.total(),
        stderr_bytes: watch.err.capture.total(),
    };
    let mut bytes = wire::json_frame(Kind::Report, &report)?;
    let (out, err) = (watch.out.capture.into_parts(), watch.err.capture.into_parts());
    for part in [out.0, out.1, err.0, err.1] {
        bytes.extend(wire::frame(Kind::Bytes, &part)?);
    }
    Ok(bytes)
}

/// How the program ended by itself.
fn own_end(job: &Job, status: Option<WaitStatus>) -> End {
    let signal = status.and_then(|status| status.terminating_signal());
    let code = status.and_then(|status| status.exit_status());
    let ended = match (signal, code, job.tier) {
        (Some(signal), _, _) => End::Signaled(signal),
        // Bubblewrap can only pass on a signal as 128 and its number.
        (None, Some(code), Tier::Namespaces) if (129..=192).contains(&code) => End::Signaled(code - 128),
        (None, Some(code), _) => End::Exited(code),
        (None, None, _) => End::Signaled(libc::SIGKILL),
    };
    match ended {
        // Each process alone has the limit of the tree as its own; whoever reaches it there has reached it.
        End::Signaled(libc::SIGXCPU) if job.watch.cpu_ms.is_some() => End::Limit(LimitKind::Cpu),
        other => other,
    }
}
