//! What the sandbox costs: an interpreter that does nothing, bare and in both tiers, one after the other in every round;
//! and how long it takes until the last of 64 processes is gone.

use crate::BenchError;
use crate::place;
use crate::times::{median, millis, p90};
use interlock_sandbox::{Arg, Command, End, Limits, Mount, Profile, Sandbox, Tier};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Launches of each kind.
const LAUNCHES: usize = 60;
/// Trees that are ended, of each kind in each tier.
const TREES: usize = 15;
/// Most that a launch in the sandbox may take longer than a bare one, at the median.
const fn launch_goal(tier: Tier) -> Duration {
    match tier {
        Tier::Namespaces => Duration::from_millis(20),
        Tier::Landlock => Duration::from_millis(12),
    }
}
/// Most that ending 64 processes may take, at the median.
const KILL_GOAL: Duration = Duration::from_millis(150);
const PYTHON: &str = "/usr/bin/python3";

/// Measures, and says what was found.
pub async fn report() -> Result<String, BenchError> {
    let folder = tempfile::tempdir()?;
    let mut sandboxes = Vec::new();
    for tier in Tier::ALL {
        let scratch = folder.path().join(format!("scratch-{tier}"));
        sandboxes.push(place::sandbox(Some(tier), &scratch).await?);
    }
    let mut text = launches(&sandboxes).await?;
    for sandbox in &sandboxes {
        for kind in ["listening", "stubborn"] {
            let mut times = Vec::new();
            for _ in 0..TREES {
                times.push(ended_tree(sandbox, kind, folder.path()).await?);
            }
            let _ = writeln!(
                text,
                "64 processes, {kind}, from cancel to all gone, tier {:<10} median {:>6.1} ms, p90 {:>6.1} ms {}",
                sandbox.tier(),
                millis(median(&times)),
                millis(p90(&times)),
                against(median(&times), KILL_GOAL),
            );
        }
    }
    Ok(text)
}

fn against(seen: Duration, goal: Duration) -> String {
    let met = if seen <= goal { "met" } else { "MISSED" };
    format!("(goal {:.0} ms: {met})", millis(goal))
}

async fn launches(sandboxes: &[Sandbox]) -> Result<String, BenchError> {
    let mut bare = Vec::new();
    let mut over: Vec<(Vec<Duration>, Vec<Duration>)> = vec![Default::default(); sandboxes.len()];
    for round in 0..=LAUNCHES {
        let alone = bare_launch()?;
        let mut inside = Vec::new();
        for sandbox in sandboxes {
            let started = Instant::now();
            let seen = sandbox.run(launch(), CancellationToken::new()).await?;
            inside.push(started.elapsed());
            if seen.end != End::Exited(0) {
                return Err(BenchError::Wrong(format!("python3 -c pass ended with {:?}", seen.end)));
            }
        }
        // The first round fills the caches.
        if round > 0 {
            bare.push(alone);
            for (time, (all, differences)) in inside.into_iter().zip(&mut over) {
                all.push(time);
                differences.push(time.saturating_sub(alone));
            }
        }
    }
    let mut text = format!(
        "python3 -c pass, {LAUNCHES} rounds: bare            median {:>6.1} ms, p90 {:>6.1} ms\n",
        millis(median(&bare)),
        millis(p90(&bare))
    );
    for (sandbox, (all, differences)) in sandboxes.iter().zip(&over) {
        let added = median(all).saturating_sub(median(&bare));
        let _ = writeln!(
            text,
            "\x20 in the sandbox, tier {:<10}         median {:>6.1} ms, p90 {:>6.1} ms, {:.2} times bare; over bare: \
             medians {:.1} ms, p90 of the rounds {:.1} ms {}",
            sandbox.tier(),
            millis(median(all)),
            millis(p90(all)),
            median(all).as_secs_f64() / median(&bare).as_secs_f64().max(f64::MIN_POSITIVE),
            millis(added),
            millis(p90(differences)),
            against(added, launch_goal(sandbox.tier())),
        );
    }
    Ok(text)
}

fn bare_launch() -> Result<Duration, BenchError> {
    let started = Instant::now();
    let ended = std::process::Command::new(PYTHON)
        .args(["-c", "pass"])
        .env_clear()
        .current_dir("/tmp")
        .stdin(Stdio::null())
        .output()?;
    let time = started.elapsed();
    if ended.status.success() {
        Ok(time)
    } else {
        Err(BenchError::Wrong(format!("python3 -c pass: {}", ended.status)))
    }
}

fn launch() -> Command {
    Command {
        program: Arg::text(PYTHON),
        args: ["-c", "pass"].map(Arg::text).to_vec(),
        env: BTreeMap::new(),
        cwd: "/tmp".to_owned(),
        mounts: Vec::new(),
        profile: Profile::Work,
        limits: Limits::default(),
        stdin: None,
    }
}

/// Starts a tree, cancels it when it stands, and waits until the supervisor says that nothing is left.
async fn ended_tree(sandbox: &Sandbox, kind: &str, folder: &Path) -> Result<Duration, BenchError> {
    let out = folder.join("out");
    let _ = std::fs::remove_dir_all(&out);
    std::fs::create_dir(&out)?;
    let programs = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/programs"));
    let mount = |host: PathBuf, inside: &str, writable| Mount {
        host,
        inside: inside.to_owned(),
        writable,
    };
    let mut command = launch();
    command.args = vec![Arg::text("-I"), Arg::inside("/work/tree.py"), Arg::text(kind)];
    command.env.insert("OUT".to_owned(), Arg::inside("/out"));
    command.mounts = vec![mount(programs, "/work", false), mount(out.clone(), "/out", true)];
    command.limits.processes = 100;
    if kind == "stubborn" {
        // The grace time is the caller's choice; what is measured is what comes after it.
        command.limits.grace = Duration::ZERO;
    }
    let cancel = CancellationToken::new();
    let asked = async {
        while !out.join("ready").exists() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        // None is in the middle of being made.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let asked = Instant::now();
        cancel.cancel();
        asked
    };
    let (seen, asked) = tokio::join!(
        async {
            let seen = sandbox.run(command, cancel.clone()).await;
            (seen, Instant::now())
        },
        asked
    );
    let (seen, gone) = (seen.0?, seen.1);
    if seen.end != End::Cancelled || seen.survivors != 0 {
        return Err(BenchError::Wrong(format!("a tree of 64 was {seen:?}")));
    }
    Ok(gone.duration_since(asked))
}
