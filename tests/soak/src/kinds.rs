//! The kinds of programs, and how each has to end. A program that ends otherwise is a fault of the sandbox.

use interlock_sandbox::{End, LimitKind, Limits, Observed, SandboxError};
use std::time::Duration;

/// What a program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Works in two processes and writes a result.
    Good,
    /// Ends with an exception.
    Failing,
    /// Is ended by a signal of its own.
    Crashing,
    /// Never ends.
    Hanging,
    /// Makes processes without end.
    Forking,
    /// Writes to its streams without end.
    Flooding,
    /// Writes files without end.
    Filling,
    /// Leaves a daemon behind.
    Daemonising,
    /// Is cancelled by its caller while it runs.
    Cancelled,
    /// Its caller forgets about it while it runs.
    Forgotten,
    /// Is not there.
    Missing,
}

impl Kind {
    /// Every kind, in the order in which they come.
    pub const ALL: [Kind; 11] = [
        Kind::Good,
        Kind::Failing,
        Kind::Hanging,
        Kind::Forking,
        Kind::Flooding,
        Kind::Daemonising,
        Kind::Filling,
        Kind::Crashing,
        Kind::Cancelled,
        Kind::Forgotten,
        Kind::Missing,
    ];

    /// The kind of a run: every one in turn.
    pub(crate) fn of(run: usize) -> Kind {
        Kind::ALL.into_iter().nth(run % Kind::ALL.len()).unwrap_or(Kind::Good)
    }

    /// Its file in `programs`.
    pub(crate) const fn file(self) -> &'static str {
        match self {
            Kind::Good => "good.py",
            Kind::Failing => "failing.py",
            Kind::Crashing => "crashing.py",
            Kind::Hanging | Kind::Cancelled | Kind::Forgotten => "hanging.py",
            Kind::Forking => "forking.py",
            Kind::Flooding => "flooding.py",
            Kind::Filling => "filling.py",
            Kind::Daemonising => "daemonising.py",
            Kind::Missing => "missing.py",
        }
    }

    /// How far it may go. Only the limit that it is to reach is low.
    pub(crate) fn limits(self) -> Limits {
        let mut limits = Limits {
            wall: Duration::from_secs(120),
            grace: Duration::from_millis(200),
            ..Limits::default()
        };
        match self {
            Kind::Hanging => limits.wall = Duration::from_millis(600),
            Kind::Forking => limits.processes = 40,
            Kind::Flooding => limits.output_total = 16 << 20,
            Kind::Filling => limits.disk_bytes = 32 << 20,
            Kind::Good
            | Kind::Failing
            | Kind::Crashing
            | Kind::Daemonising
            | Kind::Cancelled
            | Kind::Forgotten
            | Kind::Missing => {}
        }
        limits
    }

    /// Whether this is how it has to end.
    pub(crate) fn is_as_expected(self, seen: &Result<Observed, SandboxError>) -> bool {
        match (self, seen) {
            (Kind::Missing, Err(SandboxError::NotStarted(_))) => true,
            (_, Err(_)) => false,
            (_, Ok(seen)) if seen.survivors != 0 => false,
            (Kind::Good | Kind::Daemonising, Ok(seen)) => seen.end == End::Exited(0),
            (Kind::Failing, Ok(seen)) => seen.end == End::Exited(1),
            // SIGSEGV on every processor there is.
            (Kind::Crashing, Ok(seen)) => seen.end == End::Signaled(11),
            (Kind::Hanging, Ok(seen)) => seen.end == End::Limit(LimitKind::Wall),
            (Kind::Forking, Ok(seen)) => seen.end == End::Limit(LimitKind::Processes),
            (Kind::Flooding, Ok(seen)) => seen.end == End::Limit(LimitKind::Output),
            (Kind::Filling, Ok(seen)) => seen.end == End::Limit(LimitKind::Disk),
            (Kind::Cancelled, Ok(seen)) => seen.end == End::Cancelled,
            (Kind::Forgotten | Kind::Missing, Ok(_)) => false,
        }
    }
}
