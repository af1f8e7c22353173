//! The command that runs the program, from its task's limits.

use crate::folders::{CHECKPOINT, CONFIG, Folders, INPUTS, OUT, WORK};
use interlock_domain::owned;
use interlock_domain::payload;
use interlock_domain::task::Limits as TaskLimits;
use interlock_sandbox::{Arg, Command, End, Limits, Mount, Observed, PYTHON_INSIDE, Profile};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

const MIB: u64 = 1 << 20;
/// Kept of each of stdout and stderr, head and tail together.
const KEPT_OUTPUT: u64 = 4 * MIB;
/// Between the polite and the final signal.
const GRACE: Duration = Duration::from_secs(3);

/// The command line of an execution.
pub fn command(folders: &Folders, environment: Vec<Mount>, limits: &TaskLimits, nonce: &str) -> Command {
    let mut mounts = folders.mounts();
    mounts.extend(environment);
    let env = BTreeMap::from([
        ("INTERLOCK_OUT".to_owned(), Arg::inside(OUT)),
        ("INTERLOCK_INPUTS".to_owned(), Arg::inside(INPUTS)),
        ("INTERLOCK_CONFIG".to_owned(), Arg::inside(CONFIG)),
        ("INTERLOCK_NONCE".to_owned(), Arg::text(nonce)),
    ]);
    Command {
        program: Arg::inside(PYTHON_INSIDE),
        args: vec![Arg::text("-B"), Arg::text("-u"), Arg::text(owned::ENTRY_POINT)],
        env,
        cwd: WORK.to_owned(),
        mounts,
        profile: Profile::Work,
        limits: sandbox_limits(limits),
        stdin: None,
    }
}

/// Lets the program see its checkpoint folder.
pub fn show_checkpoint(command: &mut Command, host: &Path) {
    command.mounts.push(Mount {
        host: host.to_owned(),
        inside: CHECKPOINT.to_owned(),
        writable: true,
    });
    command
        .env
        .insert("INTERLOCK_CHECKPOINT".to_owned(), Arg::inside(CHECKPOINT));
}

fn sandbox_limits(limits: &TaskLimits) -> Limits {
    Limits {
        wall: Duration::from_secs(limits.wall_seconds),
        grace: GRACE,
        memory_bytes: limits.memory_mb * MIB,
        processes: limits.processes,
        file_bytes: limits.file_mb * MIB,
        output_bytes: KEPT_OUTPUT,
        output_total: limits.output_mb * MIB,
        stall: (limits.stall_seconds > 0).then(|| Duration::from_secs(limits.stall_seconds)),
        disk_bytes: limits.disk_mb * MIB,
        ..Limits::default()
    }
}

/// What was seen, in the words of the record.
pub fn observed(seen: &Observed) -> payload::Observed {
    let end = match seen.end {
        End::Exited(code) => payload::End::Exited(code),
        End::Signaled(signal) => payload::End::Signaled(signal),
        End::Limit(kind) => payload::End::Limit(kind.name().to_owned()),
        End::Cancelled => payload::End::Cancelled,
    };
    payload::Observed {
        end,
        tier: seen.tier.name().to_owned(),
        duration_ms: millis(seen.duration),
        cpu_ms: millis(seen.cpu),
        peak_memory_bytes: seen.peak_memory_bytes,
        peak_processes: seen.peak_processes,
        survivors: seen.survivors,
        stdout_bytes: seen.stdout.total_bytes,
        stderr_bytes: seen.stderr.total_bytes,
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
