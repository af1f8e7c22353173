//! One run from start to report. Whatever goes wrong after the start, the tree is swept before anything is said.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::io::AsyncWriteExt;

use super::cgroup::{Bound, Bounds};
use super::end::{self, Reaper};
use super::proxy::Proxy;
use super::watch::{self, Callers, Watch};
use super::{SupervisorError, start};
use crate::kernel;
use crate::observed::{End, LimitKind};
use crate::results;
use crate::wire::{self, Job, Kind, Report, Start};

/// How long the caller may take to read the report.
const REPORT: Duration = Duration::from_secs(30);

/// Runs the job and writes the report.
pub(super) async fn run(job: Job, stdin: Vec<u8>) -> Result<(), SupervisorError> {
    let mut callers = Callers::new()?;
    if let Some(folder) = &job.scratch {
        // Left over by a service of the same process id that was killed: in a container that is the usual case.
        results::remove_tree(folder)?;
        std::fs::create_dir(folder)?;
    }
    let bound = Bound::enter(Bounds {
        tasks: job.watch.tasks,
        memory: job.watch.memory_bytes.saturating_add(job.watch.scratch_bytes),
    });
    let outcome = observe(&job, stdin, &mut callers, &bound).await;
    drop(bound);
    if let Some(folder) = &job.scratch {
        // What cannot be removed is found again by its name; the report matters more.
        let _ = results::remove_tree(folder);
    }
    let sent = tokio::time::timeout(REPORT, callers.reports.write_all(&outcome?)).await;
    Ok(sent.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??)
}

/// Starts, watches and sweeps. Gives the bytes of the report.
async fn observe(job: &Job, stdin: Vec<u8>, callers: &mut Callers, bound: &Bound) -> Result<Vec<u8>, SupervisorError> {
    let started_ms = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_millis();
    let begun = Instant::now();
    let what = job
        .wrap
        .as_ref()
        .map_or(&job.launcher, |wrap| &wrap.program)
        .display()
        .to_string();
    let mut started = start::start(job, !stdin.is_empty()).map_err(|source| SupervisorError::Start { what, source })?;
    let mut reaper = Reaper::new(started.pid);
    let proxy = started
        .proxy
        .take()
        .map(|channel| Proxy::start(channel, job.allowed.clone()));
    let watched = match Watch::new(job, &mut started, stdin, begun, bound) {
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
    // The kernel was faster than the watch.
    let end = end.or_else(|| bound.is_out_of_memory().then_some(End::Limit(LimitKind::Memory)));
    let end = end.or_else(|| watch.disk.count().then_some(End::Limit(LimitKind::Disk)));
    let (start, told) = started.told();
    let ran = u32::from(start == Start::Done);
    let report = Report {
        start,
        end: end.unwrap_or_else(|| own_end(job, told.or(reaper.status))),
        started_ms: u64::try_from(started_ms).unwrap_or(u64::MAX),
        duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
        cpu_ms: watch.meter.cpu_ms(),
        peak_memory_bytes: watch.meter.peak_memory.max(kernel::largest_child()),
        // A program may be over before the first look.
        peak_processes: watch.meter.peak_processes.max(ran),
        survivors,
        stdout_bytes: watch.out.capture.total(),
        stderr_bytes: watch.err.capture.total(),
        denied: proxy.transpose()?.map(|proxy| proxy.denied()).unwrap_or_default(),
    };
    let mut bytes = wire::json_frame(Kind::Report, &report)?;
    let (out, err) = (watch.out.capture.into_parts(), watch.err.capture.into_parts());
    for part in [out.0, out.1, err.0, err.1] {
        bytes.extend(wire::frame(Kind::Bytes, &part)?);
    }
    Ok(bytes)
}

/// How the program ended by itself.
fn own_end(job: &Job, status: Option<ExitStatus>) -> End {
    let signal = status.and_then(|status| status.signal());
    let code = status.and_then(|status| status.code());
    let ended = match (signal, code) {
        (Some(signal), _) => End::Signaled(signal),
        (None, Some(code)) => End::Exited(code),
        (None, None) => End::Signaled(libc::SIGKILL),
    };
    match ended {
        // Each process alone has the limit of the tree as its own; whoever reaches it there has reached it.
        End::Signaled(libc::SIGXCPU) if job.watch.cpu_ms.is_some() => End::Limit(LimitKind::Cpu),
        other => other,
    }
}
