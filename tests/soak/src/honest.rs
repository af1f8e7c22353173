//! Programs as people write them, over packages as people use them, in the profile of real runs and in both tiers: each
//! has to end with status 0. Needs the network once, to build the environment.

use crate::SoakError;
use interlock_sandbox::{
    Arg, Command, End, Environment, Limits, Mount, PYTHON_INSIDE, Profile, Sandbox, Tier, python_mounts,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A program of the folder `honest`, and the package without which it is left out.
const PROGRAMS: [(&str, &str); 4] = [
    ("tables.py", "pandas"),
    ("forest.py", "sklearn"),
    ("figure.py", "matplotlib"),
    ("loader.py", "torch"),
];

/// What became of one program.
#[derive(Debug)]
pub struct Told {
    /// Its file.
    pub program: &'static str,
    /// How it was confined.
    pub tier: Tier,
    /// Nothing if all is well or the package is not there, else what was seen.
    pub wrong: Option<String>,
    /// In words: how long it took, or why it was left out.
    pub said: String,
}

/// Runs them all.
///
/// # Errors
/// A tier that does not hold here, or a program that could not be run at all.
pub async fn honest(bin: &Path, environment: &Environment) -> Result<Vec<Told>, SoakError> {
    let mut all = Vec::new();
    let folder = tempfile::tempdir()?;
    for tier in Tier::ALL {
        let sandbox = crate::sandbox(bin, tier, &folder.path().join("scratch")).await?;
        for (program, package) in PROGRAMS {
            let out = folder.path().join(format!("{tier}-{program}"));
            std::fs::create_dir(&out)?;
            let told = if has(&environment.path, package) {
                run(&sandbox, environment, program, &out).await?
            } else {
                Told {
                    program,
                    tier,
                    wrong: None,
                    said: format!("left out: no {package} in the environment"),
                }
            };
            all.push(told);
        }
    }
    Ok(all)
}

/// Whether the environment has a package of that name.
fn has(environment: &Path, package: &str) -> bool {
    let versions = std::fs::read_dir(environment.join("lib"))
        .into_iter()
        .flatten()
        .flatten();
    let mut folders = versions.map(|version| version.path().join("site-packages").join(package));
    folders.any(|folder| folder.is_dir())
}

async fn run(
    sandbox: &Sandbox,
    environment: &Environment,
    program: &'static str,
    out: &Path,
) -> Result<Told, SoakError> {
    let mount = |host: PathBuf, inside: &str, writable| Mount {
        host,
        inside: inside.to_owned(),
        writable,
    };
    let mut mounts = python_mounts(&environment.path)?;
    let programs = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/honest"));
    mounts.extend([mount(programs, "/work", false), mount(out.to_owned(), "/out", true)]);
    let seen = sandbox.run(
        Command {
            program: Arg::inside(PYTHON_INSIDE),
            args: vec![Arg::inside(format!("/work/{program}"))],
            env: BTreeMap::from([("OUT".to_owned(), Arg::inside("/out"))]),
            cwd: "/out".to_owned(),
            mounts,
            profile: Profile::Work,
            limits: Limits {
                wall: Duration::from_secs(300),
                // A pool that waits for ever is the fault that this looks for.
                stall: Some(Duration::from_secs(60)),
                memory_bytes: 4 << 30,
                ..Limits::default()
            },
            stdin: None,
        },
        CancellationToken::new(),
    );
    let seen = seen.await?;
    let good = seen.end == End::Exited(0) && seen.survivors == 0;
    Ok(Told {
        program,
        tier: sandbox.tier(),
        wrong: (!good).then(|| {
            format!(
                "{:?}, survivors {}\n{}",
                seen.end,
                seen.survivors,
                seen.stderr.to_text()
            )
        }),
        said: format!(
            "{:.1} s, {} MiB, {} processes",
            seen.duration.as_secs_f64(),
            seen.peak_memory_bytes >> 20,
            seen.peak_processes
        ),
    })
}
