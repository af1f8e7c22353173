//! What checking costs: a workspace of ten files that import numpy, pandas and scikit-learn, by one cold interpreter
//! for each file, as others do it, and by the verifier; and the static rules over a large package.

use crate::BenchError;
use crate::place::{self, beside, on_path};
use crate::project::Project;
use crate::times::{median, millis};
use interlock_pysource::{Declared, Workspace, check};
use interlock_sandbox::{Environment, Environments};
use interlock_verifier::checks::{self, Subject};
use interlock_verifier::extra::Extra;
use interlock_verifier::fork_servers::ForkLimits;
use interlock_verifier::import::{self, Question};
use interlock_verifier::reach::Reach;
use interlock_verifier::toolbox::Bench;
use interlock_verifier::workshop::Workshop;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Rounds of every measurement; the medians are told.
const ROUNDS: usize = 5;

/// Measures, and says what was found.
pub async fn report() -> Result<String, BenchError> {
    let folder = tempfile::tempdir()?;
    let environment = environment().await?;
    let sandbox = place::sandbox(None, &folder.path().join("sandbox")).await?;
    let workshop = Workshop::new(Arc::new(sandbox), folder.path().join("checks"), ForkLimits::default());
    let project = Project::read()?;
    let preload = interlock_verifier::files::preload(project.texts(), &environment);

    let started = Instant::now();
    imported(&workshop, &environment, &preload, &project.as_of(0), &[]).await?;
    let first = started.elapsed();
    let (mut cold, mut warm, mut all_cold, mut all_warm) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut whole, mut repaired, mut said) = (Vec::new(), Vec::new(), String::new());
    for round in 1..=ROUNDS {
        // Side by side, so that whatever else the machine does meets both.
        let version = project.as_of(round);
        let started = Instant::now();
        for module in version.modules() {
            cold.push(cold_import(&environment, &version, module, folder.path())?);
        }
        all_cold.push(started.elapsed());
        for file in version.files() {
            warm.push(imported(&workshop, &environment, &preload, &version, &[file]).await?);
        }
        let again = project.as_of(100 + round);
        all_warm.push(imported(&workshop, &environment, &preload, &again, &[]).await?);
        let whole_version = project.as_of(200 + round);
        whole.push(checked(&workshop, &environment, &whole_version).await?.0);
        let (time, answer) = checked(&workshop, &environment, &whole_version.repaired()).await?;
        repaired.push(time);
        said = answer;
    }
    let memory = server_memory();
    workshop.close().await;
    let (cold, warm) = (median(&cold), median(&warm));
    let (all_cold, all_warm) = (median(&all_cold), median(&all_warm));
    let ratio = |slow: Duration, fast: Duration| slow.as_secs_f64() / fast.as_secs_f64();
    let (lines, rate) = static_rules(&environment)?;
    Ok(format!(
        "import of 10 files with numpy, pandas and scikit-learn, tier {} (medians of {ROUNDS} rounds)\n\
         \x20 one cold interpreter per file {:>9.1} ms a file {:>9.0} ms all ten, one after the other\n\
         \x20 verifier, warm                {:>9.1} ms a file {:>9.0} ms all ten, {} at a time\n\
         \x20 ratio                         {:>9.0}           {:>9.0}\n\
         \x20 first check, with the start of the fork server: {:.0} ms; memory of the server: {memory} MB\n\
         every check of ten new files {:.0} ms; after one file was repaired {:.0} ms ({said})\n\
         static rules: {rate:.0} lines a second on one core, over {lines} lines of pandas",
        workshop.sandbox.tier(),
        millis(cold),
        millis(all_cold),
        millis(warm),
        millis(all_warm),
        std::thread::available_parallelism().map_or(1, usize::from),
        ratio(cold, warm),
        ratio(all_cold, all_warm),
        millis(first),
        millis(median(&whole)),
        millis(median(&repaired)),
    ))
}

async fn environment() -> Result<Environment, BenchError> {
    let uv = on_path("uv").ok_or(BenchError::Missing("uv, which `make setup` fetches"))?;
    let root = beside("bench-environments")?;
    let environments = Environments::new(root, uv, PathBuf::from("/usr/bin/python3"));
    let lock = std::fs::read(Project::folder().join("requirements.lock"))?;
    Ok(environments.ensure(&lock).await?)
}

/// One file, in an interpreter of its own that has loaded nothing.
fn cold_import(
    environment: &Environment,
    version: &Project,
    module: &str,
    folder: &Path,
) -> Result<Duration, BenchError> {
    let work = folder.join("cold");
    version.lay_out(&work)?;
    let started = Instant::now();
    let status = Command::new(environment.path.join("bin/python"))
        .args(["-B", "-c", &format!("import {module}")])
        .env_clear()
        .env("PYTHONPATH", work.join("src"))
        .stdin(Stdio::null())
        .status()?;
    let time = started.elapsed();
    if status.success() {
        Ok(time)
    } else {
        Err(BenchError::Wrong(format!("import {module}: {status}")))
    }
}

/// These files of the workspace, or all of them, by the verifier's import check.
async fn imported(
    workshop: &Workshop,
    environment: &Environment,
    preload: &[String],
    version: &Project,
    some: &[&str],
) -> Result<Duration, BenchError> {
    let sources = version.sources()?;
    let bench = Bench::new(&workshop.scratch, &sources, environment)?;
    let all: Vec<String> = version.files().map(str::to_owned).collect();
    let some: Vec<String> = some.iter().map(|path| (*path).to_owned()).collect();
    let question = Question {
        files: if some.is_empty() { &all } else { &some },
        environment,
        reach: &Reach::of(&sources),
        preload,
        each: Duration::from_secs(60),
        memory_bytes: 2 << 30,
    };
    let started = Instant::now();
    let (result, _) = import::run(&bench, workshop, question, &CancellationToken::new()).await?;
    let time = started.elapsed();
    let warm = format!("{} in a warm interpreter, 0 known", question.files.len());
    let said = format!("{:?}", result.answer);
    if said.contains(&warm) {
        Ok(time)
    } else {
        Err(BenchError::Wrong(said))
    }
}

/// Every check over the whole workspace, and what the import check said.
async fn checked(
    workshop: &Workshop,
    environment: &Environment,
    version: &Project,
) -> Result<(Duration, String), BenchError> {
    let (plan, manifest, sources) = version.whole()?;
    let subject = Subject {
        plan: &plan,
        manifest: &manifest,
        sources: &sources,
        environment,
        limits: &interlock_domain::task::Limits::default(),
        complete: true,
        extra: &Extra::default(),
    };
    let started = Instant::now();
    let checked = checks::run(workshop, subject, &CancellationToken::new()).await?;
    let time = started.elapsed();
    let import = checked.checks.iter().find(|check| check.check == import::CHECK);
    match (checked.failure, import.map(|check| &check.answer)) {
        (None, Some(interlock_domain::check::CheckAnswer::Passed(ran))) => Ok((time, ran.what().to_owned())),
        _ => Err(BenchError::Wrong(format!("{:?}", checked.checks))),
    }
}

/// Lines, and lines a second of one core, over every file of an installed package.
fn static_rules(environment: &Environment) -> Result<(usize, f64), BenchError> {
    let site = std::fs::read_dir(environment.path.join("lib"))?.next();
    let site = site.ok_or(BenchError::Missing("the environment's library"))??.path();
    let mut files = BTreeMap::new();
    let mut open = vec![site.join("site-packages/pandas")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "py") {
                let name = path.strip_prefix(site.join("site-packages")).unwrap_or(&path);
                files.insert(format!("src/{}", name.display()), std::fs::read_to_string(&path)?);
            }
        }
    }
    let lines = files.values().map(|text| text.lines().count()).sum();
    let others: BTreeSet<String> = environment
        .modules
        .iter()
        .filter(|name| *name != "pandas")
        .cloned()
        .collect();
    let started = Instant::now();
    let workspace = Workspace::new(files, "src", others, environment.standard_modules.clone());
    let targets: Vec<String> = workspace.python_files().map(str::to_owned).collect();
    let reports = check(&workspace, &Declared::default(), &targets);
    let time = started.elapsed();
    assert!(!reports.is_empty(), "no rule ran");
    Ok((lines, lines as f64 / time.as_secs_f64()))
}

/// Memory of our fork servers in MB, shared pages counted by their share.
fn server_memory() -> u64 {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ours = processes.filter(|entry| {
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains("/harness/fork_server.py\0--root\0")
            && !String::from_utf8_lossy(&command).contains("bwrap")
    });
    let kilobytes = ours.filter_map(|entry| {
        let text = std::fs::read_to_string(entry.path().join("smaps_rollup")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    });
    kilobytes.sum::<u64>() / 1024
}
