//! The supervisor's loop: drains, looks, and decides when the program has to end.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::cgroup::Bound;
use super::disk::Disk;
use super::end::{self, Reaper};
use super::meter::Meter;
use super::pipes::{Drain, Feed};
use super::start::Started;
use super::{caller_lives, tree};
use crate::command::Tier;
use crate::observed::{End, LimitKind, Progress, STDERR, STDOUT};
use crate::wire::{self, Job, Kind};

/// Shortest time between two looks at the tree.
const LOOK: Duration = Duration::from_millis(50);
/// Looking may cost this part of one processor: a look that took 5 ms is followed by 100 ms without one.
const LOOK_SHARE: u32 = 20;
/// How often a sign of life goes to the caller.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

/// Processes between this one and the program: bubblewrap and the first process of its pid namespace.
pub(super) const fn walls(tier: Tier) -> u32 {
    match tier {
        Tier::Namespaces => 2,
        Tier::Landlock => 0,
    }
}

/// Whether the program may have its grace time. What grows without bound is ended at once: the machine is not its alone.
const fn asking_helps(end: End) -> bool {
    match end {
        End::Limit(LimitKind::Processes | LimitKind::Memory | LimitKind::Disk | LimitKind::Output) => false,
        End::Limit(LimitKind::Wall | LimitKind::Cpu | LimitKind::Stall) => true,
        End::Cancelled | End::Exited(_) | End::Signaled(_) => true,
    }
}

/// What tells this process to end the program: set up before anything is started, so that nothing is missed.
pub(super) struct Callers {
    children: Signal,
    asked: Signal,
    input: pipe::Receiver,
    pub(super) reports: pipe::Sender,
}

impl Callers {
    pub(super) fn new() -> io::Result<Callers> {
        Ok(Callers {
            children: signal(SignalKind::child())?,
            asked: signal(SignalKind::terminate())?,
            input: pipe::Receiver::from_owned_fd(io::stdin().as_fd().try_clone_to_owned()?)?,
            reports: pipe::Sender::from_owned_fd(io::stdout().as_fd().try_clone_to_owned()?)?,
        })
    }
}

/// The file that a stream is written to in full length, if it is to be.
fn log(job: &Job, name: &str) -> io::Result<Option<File>> {
    let open = |folder: &PathBuf| File::options().create_new(true).append(true).open(folder.join(name));
    job.logs.as_ref().map(open).transpose()
}

/// Why the program is being ended, and when the polite way is over.
#[derive(Clone, Copy)]
struct Ending {
    end: End,
    kill_at: Instant,
}

/// A running program under watch.
pub(super) struct Watch<'a> {
    job: &'a Job,
    feed: Feed,
    pub(super) out: Drain,
    pub(super) err: Drain,
    pub(super) meter: Meter,
    pub(super) disk: Disk,
    bound: &'a Bound,
    ending: Option<Ending>,
    next_look: Instant,
    next_sign: Instant,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        job: &'a Job,
        started: &mut Started,
        stdin: Vec<u8>,
        begun: Instant,
        bound: &'a Bound,
    ) -> io::Result<Watch<'a>> {
        Ok(Watch {
            job,
            feed: Feed::new(started.stdin.take(), stdin)?,
            out: Drain::new(started.stdout.take(), job.watch.output_kept, log(job, STDOUT)?)?,
            err: Drain::new(started.stderr.take(), job.watch.output_kept, log(job, STDERR)?)?,
            meter: Meter::new(job.watch.clone(), rustix::param::clock_ticks_per_second(), begun),
            disk: Disk::new(job, begun),
            bound,
            ending: None,
            next_look: begun,
            next_sign: begun + SIGN_OF_LIFE,
        })
    }

    /// Returns when the first process has ended or has to be killed: with why, unless it ended by itself.
    pub(super) async fn until_end(&mut self, callers: &mut Callers, reaper: &mut Reaper) -> io::Result<Option<End>> {
        let mut caller_there = true;
        let mut word = [0; 1];
        while reaper.status.is_none() && self.ending.is_none_or(|ending| Instant::now() < ending.kill_at) {
            let mut why = None;
            let wake = self
                .ending
                .map_or(self.next_look, |ending| ending.kill_at.min(self.next_look));
            tokio::select! {
                () = self.out.next() => {}
                () = self.err.next() => {}
                () = self.feed.next() => {}
                _ = callers.children.recv() => reaper.reap(),
                _ = callers.asked.recv() => why = Some(End::Cancelled),
                // Nothing is ever written here after the job: whatever comes is the caller's end, or its wish.
                _ = callers.input.read(&mut word), if caller_there => {
                    caller_there = false;
                    why = Some(End::Cancelled);
                }
                () = tokio::time::sleep_until(wake.into()) => {}
            }
            if self.output() > self.job.watch.output_total {
                why = why.or(Some(End::Limit(LimitKind::Output)));
            }
            if Instant::now() >= self.next_look {
                why = why.or(self.look()?.map(End::Limit));
            }
            self.sign_of_life(&callers.reports)?;
            if let Some(end) = why {
                self.end(end);
            }
        }
        let why = self.ending.map(|ending| ending.end);
        match why {
            // A bomb may reach the kernel's bound between two looks and die of the refusal; its children tell.
            None if self.look()? == Some(LimitKind::Processes) => Ok(Some(End::Limit(LimitKind::Processes))),
            None | Some(_) => Ok(why),
        }
    }

    /// Asks the program to end, once; or ends it at once if asking would do harm or nobody is left to wait for it.
    fn end(&mut self, end: End) {
        let now = Instant::now();
        let first = self.ending.is_none();
        let patience = Duration::from_millis(if asking_helps(end) { self.job.watch.grace_ms } else { 0 });
        let ending = self.ending.get_or_insert(Ending {
            end,
            kill_at: now + patience,
        });
        // One that turns to worse while it is being asked is not asked any longer.
        ending.kill_at = ending.kill_at.min(now + patience);
        if !caller_lives(self.job) {
            ending.kill_at = now;
        } else if first && !patience.is_zero() {
            end::ask(walls(self.job.tier));
        }
    }

    fn look(&mut self) -> io::Result<Option<LimitKind>> {
        let now = Instant::now();
        let walls = walls(self.job.tier);
        let mut tree = tree::below(rustix::process::getpid().as_raw_nonzero().get())?;
        tree.retain(|process| process.depth > walls);
        let reached = self.meter.look(now, &tree, tree::waited_ticks_of_self(), self.output());
        self.next_look = now + LOOK.max(now.elapsed() * LOOK_SHARE);
        let program = tree.iter().find(|process| process.alive()).map(|process| process.pid);
        let reached = reached.or_else(|| self.bound.is_out_of_memory().then_some(LimitKind::Memory));
        Ok(reached.or_else(|| self.disk.exceeded(now, program).then_some(LimitKind::Disk)))
    }

    fn sign_of_life(&mut self, reports: &pipe::Sender) -> io::Result<()> {
        let now = Instant::now();
        if now >= self.next_sign {
            self.next_sign = now + SIGN_OF_LIFE;
            // Short enough to be written whole or not at all; a caller that does not read misses it.
            let progress = Progress {
                disk_bytes: self.disk.bytes,
                ..self.meter.progress(now)
            };
            let _ = reports.try_write(&wire::json_frame(Kind::Progress, &progress)?);
        }
        Ok(())
    }

    /// Takes the last bytes and the last times, when nothing runs any more.
    pub(super) fn finish(&mut self) {
        self.out.finish();
        self.err.finish();
        self.meter
            .look(Instant::now(), &[], tree::waited_ticks_of_self(), self.output());
    }

    fn output(&self) -> u64 {
        self.out.capture.total() + self.err.capture.total()
    }
}
