//! Any command of the machine in the sandbox, and what was seen of it as one JSON document. Judges nothing beyond "it
//! ended with status 0, and nothing of it is left".

mod changes;
mod document;
mod limits;
mod program;
mod request;

use crate::command::{Arg, Command, Mount, Tier};
use crate::error::SandboxError;
use crate::observed::End;
use crate::plan::SCRATCH_INSIDE;
use crate::results::{ResultError, remove_tree};
use crate::sandbox::{Sandbox, SandboxConfig};
use changes::Snapshot;
use request::{OUT_INSIDE, Request};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read as _};
use std::path::PathBuf;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Most that is handed to a command on its stdin.
const STDIN: u64 = 256 << 20;

/// What `exec` has to say.
#[derive(Clone, Debug)]
pub struct ExecAnswer {
    /// Whether the command ended with status 0 and nothing of it is left.
    pub good: bool,
    /// The document; the fields stand in the README of this crate.
    pub json: String,
}

/// Why a command was not run, or nothing can be said about it.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The words of the command line.
    #[error("{0}")]
    Usage(String),
    /// The sandbox.
    #[error("{0}{advice}", advice = advice(.0))]
    Sandbox(#[from] SandboxError),
    /// The output folder.
    #[error("--out {path}: {source}")]
    Out {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        source: ResultError,
    },
    /// Something of the machine.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// What the system said.
        source: io::Error,
    },
}

/// What the reader can do about it, where that is not said already.
fn advice(error: &SandboxError) -> &'static str {
    match error {
        SandboxError::NoTier(_) => "; `interlock doctor` says what each tier needs, --tier names the other one",
        SandboxError::NotStarted(_) => {
            "; inside there are only /usr, /bin, /lib and what --mount shows: what the program needs beyond that has to \
             be mounted"
        }
        SandboxError::BadCommand(_)
        | SandboxError::Missing { .. }
        | SandboxError::SetUp(_)
        | SandboxError::Spawn { .. }
        | SandboxError::NoReport(_) => "",
    }
}

/// Runs what the words ask for. SIGINT, SIGTERM and SIGHUP cancel the command, which is an end like any other.
///
/// # Errors
/// Words that are not understood, a machine without the tier, a program that is not there: nothing ran.
pub async fn exec(words: impl Iterator<Item = OsString>) -> Result<ExecAnswer, ExecError> {
    let request = Request::parse(words)?;
    let cancel = cancelled_by_signals()?;
    let scratch = request.scratch.join("sandbox");
    let sandbox = Sandbox::probe(SandboxConfig {
        launcher: request.launcher.clone(),
        supervisor: request.supervisor.clone(),
        bwrap: request.bwrap.clone(),
        tier: request.tier,
        scratch: scratch.clone(),
    })
    .await?;
    let answer = carry_out(&request, &sandbox, cancel).await;
    // What cannot be removed is small and lies in a folder of the caller's.
    let _ = remove_tree(&scratch);
    answer
}

async fn carry_out(request: &Request, sandbox: &Sandbox, cancel: CancellationToken) -> Result<ExecAnswer, ExecError> {
    let tier = sandbox.tier();
    if let Some(out) = &request.out {
        std::fs::create_dir_all(out).map_err(|source| ExecError::Io {
            doing: format!("--out {}: cannot be made", out.display()),
            source,
        })?;
    }
    let before = snapshot(request)?;
    let command = command(request, tier)?;
    let seen = sandbox.run(command, cancel).await?;
    let after = snapshot(request)?;
    let good = seen.end == End::Exited(0) && seen.survivors == 0;
    let changed = before
        .zip(after)
        .map(|(before, after)| changes::between(&before, &after));
    let json = document::document(request, &seen, changed.as_ref());
    Ok(ExecAnswer {
        good,
        json: format!("{json:#}"),
    })
}

fn snapshot(request: &Request) -> Result<Option<Snapshot>, ExecError> {
    let taken = request.out.as_ref().map(|out| {
        Snapshot::take(out).map_err(|source| ExecError::Out {
            path: out.clone(),
            source,
        })
    });
    taken.transpose()
}

fn command(request: &Request, tier: Tier) -> Result<Command, ExecError> {
    let mut mounts = request.mounts.clone();
    mounts.extend(request.out.iter().map(|out| Mount {
        host: out.clone(),
        inside: OUT_INSIDE.to_owned(),
        writable: true,
    }));
    let cwd = if request.out.is_some() {
        OUT_INSIDE
    } else {
        SCRATCH_INSIDE
    };
    let mut env: BTreeMap<String, Arg> = request.mounts.iter().map(variable).collect();
    if request.out.is_some() {
        env.insert("INTERLOCK_OUT".to_owned(), Arg::inside(OUT_INSIDE));
    }
    let program = program::find(&request.program, tier, &mounts)?;
    let args = request.args.iter().map(|word| program::word(word, &mounts)).collect();
    let stdin = request.stdin.then(read_stdin).transpose()?;
    Ok(Command {
        program,
        args,
        env,
        cwd: cwd.to_owned(),
        mounts,
        profile: request.profile,
        limits: request.limits.clone(),
        stdin,
    })
}

/// `INTERLOCK_IN_<NAME>`: where a mount is found, in whatever tier.
fn variable(mount: &Mount) -> (String, Arg) {
    let name = mount.inside.rsplit('/').next().unwrap_or_default();
    let name: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect();
    (format!("INTERLOCK_IN_{name}"), Arg::inside(mount.inside.clone()))
}

fn read_stdin() -> Result<Vec<u8>, ExecError> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(STDIN + 1).read_to_end(&mut bytes);
    read.map_err(|source| ExecError::Io {
        doing: "--stdin: cannot be read".to_owned(),
        source,
    })?;
    if bytes.len() as u64 > STDIN {
        return Err(ExecError::Usage(format!(
            "--stdin: more than {STDIN} bytes; put them into a file and show its folder with --mount"
        )));
    }
    Ok(bytes)
}

/// A token that the signals which ask for an end cancel.
fn cancelled_by_signals() -> Result<CancellationToken, ExecError> {
    let listen = |kind| {
        signal(kind).map_err(|source| ExecError::Io {
            doing: "cannot listen for signals".to_owned(),
            source,
        })
    };
    let mut int = listen(SignalKind::interrupt())?;
    let mut term = listen(SignalKind::terminate())?;
    let mut hup = listen(SignalKind::hangup())?;
    let cancel = CancellationToken::new();
    let cancelled = cancel.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = int.recv() => {}
            _ = term.recv() => {}
            _ = hup.recv() => {}
        }
        cancelled.cancel();
    });
    Ok(cancel)
}
