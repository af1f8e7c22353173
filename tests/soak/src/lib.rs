//! Hundreds of programs of every kind through one process that holds the sandboxes, and what is left of them: nothing
//! should be. And honest programs, which have to work. Measures no speed.

pub mod honest;
mod kinds;
mod left;

use interlock_sandbox::{Arg, Command, Mount, Profile, Sandbox, SandboxConfig, Tier, remove_tree};
pub use kinds::Kind;
pub use left::{Holdings, resident};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Programs at the same time.
const AT_ONCE: usize = 8;
/// Memory is looked at after each of so many equal parts.
const PARTS: usize = 5;
/// Most that the memory of this process may grow from the end of the first part to the end of the last. A leak of one
/// program's kept output (64 KiB) in every fourth run of 500 is past it.
pub const GROWTH: u64 = 6 << 20;
/// How much of each stream is kept of a program.
const KEPT: u64 = 64 << 10;
/// How long what is ending may take to be gone.
const PATIENCE: Duration = Duration::from_secs(20);
/// When a program that is cancelled or forgotten is.
const AFTER: Duration = Duration::from_millis(300);

/// Why it could not be done.
#[derive(Debug, thiserror::Error)]
pub enum SoakError {
    /// A file or a process.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The sandbox.
    #[error(transparent)]
    Sandbox(#[from] interlock_sandbox::SandboxError),
    /// The environment of the honest programs.
    #[error(transparent)]
    Environment(#[from] interlock_sandbox::EnvironmentError),
    /// Its interpreter.
    #[error(transparent)]
    Python(#[from] interlock_sandbox::PythonError),
    /// A program that ended otherwise than it had to.
    #[error("run {run}, {kind:?} in tier {tier}: {seen}")]
    Unexpected {
        /// Which run.
        run: usize,
        /// Its kind.
        kind: Kind,
        /// Its tier.
        tier: Tier,
        /// What was seen.
        seen: String,
    },
    /// A task that ended badly.
    #[error("a run was lost: {0}")]
    Lost(#[from] tokio::task::JoinError),
}

/// What was seen.
#[derive(Debug)]
pub struct Report {
    /// How many programs of each kind.
    pub counts: BTreeMap<Kind, usize>,
    /// Resident memory of this process after each part, in bytes.
    pub resident: Vec<u64>,
    /// What is left, in words; empty if nothing is.
    pub left: Vec<String>,
    /// How long it took.
    pub took: Duration,
}

impl Report {
    /// By how many bytes memory grew from the first part to the last.
    pub fn growth(&self) -> u64 {
        let (first, last) = (self.resident.first(), self.resident.last());
        last.unwrap_or(&0).saturating_sub(*first.unwrap_or(&0))
    }

    /// Whether nothing is left and memory is flat.
    pub fn good(&self) -> bool {
        self.left.is_empty() && self.growth() <= GROWTH
    }
}

/// The sandboxes, and where their programs live.
#[derive(Debug)]
struct Soak {
    sandboxes: [Sandbox; 2],
    folder: PathBuf,
    word: String,
}

/// Runs so many programs, of every kind in turn, in both tiers, some at the same time. `bin` holds launcher and
/// supervisor.
///
/// # Errors
/// The first program that did not end as it had to; a machine on which a tier does not hold.
pub async fn soak(runs: usize, bin: &Path) -> Result<Report, SoakError> {
    let started = Instant::now();
    let folder = tempfile::tempdir()?;
    let scratch = folder.path().join("scratch");
    let mut sandboxes = Vec::new();
    for tier in Tier::ALL {
        sandboxes.push(sandbox(bin, tier, &scratch).await?);
    }
    let sandboxes = sandboxes
        .try_into()
        .map_err(|_| std::io::Error::other("not two tiers"))?;
    let soak = Arc::new(Soak {
        sandboxes,
        folder: folder.path().to_owned(),
        word: format!("soak-{}", std::process::id()),
    });
    settled(&soak.word, &scratch, &Holdings::default()).await?;
    let before = Holdings::now(&soak.word, &scratch)?;
    let (mut counts, mut memory) = (BTreeMap::new(), Vec::new());
    for part in 0..PARTS {
        let mut running = JoinSet::new();
        for run in runs * part / PARTS..runs * (part + 1) / PARTS {
            if running.len() >= AT_ONCE
                && let Some(done) = running.join_next().await
            {
                *counts.entry(done??).or_default() += 1;
            }
            running.spawn(one(soak.clone(), run));
        }
        while let Some(done) = running.join_next().await {
            *counts.entry(done??).or_default() += 1;
        }
        memory.push(resident()?);
    }
    let left = settled(&soak.word, &scratch, &before).await?;
    Ok(Report {
        counts,
        resident: memory,
        left,
        took: started.elapsed(),
    })
}

/// A sandbox of one tier.
async fn sandbox(bin: &Path, tier: Tier, scratch: &Path) -> Result<Sandbox, SoakError> {
    let config = SandboxConfig {
        launcher: bin.join("interlock-launcher"),
        supervisor: bin.join("interlock-supervisor"),
        bwrap: Some(PathBuf::from("/usr/bin/bwrap")),
        tier: Some(tier),
        scratch: scratch.join(tier.name()),
    };
    Ok(Sandbox::probe(config).await?)
}

/// What is left when nothing changes any more for the better.
async fn settled(word: &str, scratch: &Path, before: &Holdings) -> Result<Vec<String>, SoakError> {
    let begun = Instant::now();
    loop {
        let now = Holdings::now(word, scratch)?;
        let left = now.more_than(before);
        let children = now.processes.is_empty();
        // Before anything was run there is nothing to compare with, and only what is ending is waited for.
        if left.is_empty() || (*before == Holdings::default() && children) || begun.elapsed() > PATIENCE {
            return Ok(left);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn one(soak: Arc<Soak>, run: usize) -> Result<Kind, SoakError> {
    let [first, second] = &soak.sandboxes;
    // Kinds and tiers have no common factor beyond the kinds' odd number: each kind meets each tier.
    let sandbox = if run.is_multiple_of(2) { first } else { second };
    let kind = Kind::of(run);
    let out = soak.folder.join(format!("out-{run}"));
    std::fs::create_dir(&out)?;
    let command = command(&soak.word, kind, &out);
    let cancel = CancellationToken::new();
    let running = sandbox.run(command, cancel.clone());
    let seen = match kind {
        Kind::Forgotten => tokio::time::timeout(AFTER, running).await.ok(),
        Kind::Cancelled => {
            let asked = async {
                tokio::time::sleep(AFTER).await;
                cancel.cancel();
            };
            Some(tokio::join!(running, asked).0)
        }
        Kind::Good
        | Kind::Failing
        | Kind::Crashing
        | Kind::Hanging
        | Kind::Forking
        | Kind::Flooding
        | Kind::Filling
        | Kind::Daemonising
        | Kind::Missing => Some(running.await),
    };
    let removed = remove_tree(&out);
    match seen {
        None => {}
        Some(seen) if kind.is_as_expected(&seen) => removed?,
        Some(seen) => {
            return Err(SoakError::Unexpected {
                run,
                kind,
                tier: sandbox.tier(),
                seen: format!("{seen:?}").chars().take(600).collect(),
            });
        }
    }
    Ok(kind)
}

fn command(word: &str, kind: Kind, out: &Path) -> Command {
    let programs = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/programs"));
    let mount = |host: PathBuf, inside: &str, writable| Mount {
        host,
        inside: inside.to_owned(),
        writable,
    };
    let file = format!("/work/{}", kind.file());
    let mut limits = kind.limits();
    limits.output_bytes = KEPT;
    let (program, args) = match kind {
        Kind::Missing => (Arg::inside(file), vec![Arg::text(word)]),
        _ => (
            Arg::text("/usr/bin/python3"),
            vec![Arg::text("-I"), Arg::inside(file), Arg::text(word)],
        ),
    };
    Command {
        program,
        args,
        env: BTreeMap::from([("OUT".to_owned(), Arg::inside("/out"))]),
        cwd: "/out".to_owned(),
        mounts: vec![mount(programs, "/work", false), mount(out.to_owned(), "/out", true)],
        profile: Profile::Work,
        limits,
        stdin: None,
    }
}
