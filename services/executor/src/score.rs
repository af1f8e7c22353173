//! Scoring: harness code in a second sandbox compares the program's predictions with sealed truth.
//!
//! The scorer never sees the program, and the program never saw the truth.

use crate::folders::{Folders, write_input};
use interlock_domain::criteria::{Criterion, Evidence, Metric};
use interlock_domain::owned::tools;
use interlock_sandbox::{
    Arg, Command, End, Limits, Mount, PYTHON_INSIDE, Profile, ResultFolder, Sandbox, SandboxError,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Largest file of predictions in bytes.
const MAX_PREDICTIONS: u64 = 256 << 20;
/// Longest time to score.
const WALL: Duration = Duration::from_secs(120);
const INSIDE: &str = "/scoring";

/// Why scoring could not be tried at all: our fault, not the program's.
#[derive(Debug, thiserror::Error)]
pub enum ScoreError {
    /// The files for the scorer.
    #[error("cannot prepare the scorer: {0}")]
    Prepare(#[from] std::io::Error),
    /// The sandbox.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The scorer itself broke.
    #[error("the scorer failed: {0}")]
    Scorer(String),
}

/// Numbers that were scored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scored {
    /// The numbers.
    pub metrics: Vec<Metric>,
    /// What computed them, with its version; empty when nothing had to be.
    pub by: String,
}

#[derive(Deserialize)]
struct ScorerAnswer {
    ok: bool,
    #[serde(default)]
    by: String,
    #[serde(default)]
    metrics: Vec<ScoredText>,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
struct ScoredText {
    name: String,
    value: f64,
    unit: String,
}

/// What is to be scored.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Name under which the program recorded its predictions.
    pub predictions: &'a str,
    /// The sealed truth.
    pub truth: &'a [u8],
    /// The criteria whose metrics have to be scored.
    pub criteria: &'a [Criterion],
}

/// The scored metrics, or why the program's predictions cannot be scored.
pub async fn score(
    sandbox: &Sandbox,
    environment: Vec<Mount>,
    folders: &Folders,
    question: Question<'_>,
    cancel: CancellationToken,
) -> Result<Result<Scored, String>, ScoreError> {
    let Some(names) = metric_names(question.criteria) else {
        return Ok(Ok(Scored::default()));
    };
    let relative = predictions_file(question.predictions);
    let taken = ResultFolder::open(&folders.out()).and_then(|out| out.read(&relative, MAX_PREDICTIONS));
    let predictions = match taken {
        Ok(bytes) => bytes,
        Err(why) => {
            return Ok(Err(format!(
                "the predictions {:?} cannot be taken: {why}",
                question.predictions
            )));
        }
    };
    let folder = folders.scoring();
    write_input(&folder.join("truth.csv"), question.truth)?;
    write_input(&folder.join("predictions.csv"), &predictions)?;
    for (name, content) in tools::SCORING {
        write_input(&folder.join(name), content.as_bytes())?;
    }
    let seen = sandbox
        .run(command(&folders.scoring(), environment, &names), cancel)
        .await?;
    if seen.end != End::Exited(0) {
        return Err(ScoreError::Scorer(format!("{:?}: {}", seen.end, seen.stderr.to_text())));
    }
    let answer: ScorerAnswer =
        serde_json::from_str(&seen.stdout.to_text()).map_err(|e| ScoreError::Scorer(e.to_string()))?;
    if !answer.ok {
        return Ok(Err(answer.reason));
    }
    let metrics = answer.metrics.into_iter().map(|scored| Metric {
        name: scored.name,
        value: scored.value,
        unit: scored.unit,
        split: question.predictions.to_owned(),
        evidence: Evidence::Scored,
    });
    Ok(Ok(Scored {
        metrics: metrics.collect(),
        by: answer.by,
    }))
}

/// Where the recorder writes predictions of this name, below the output folder.
pub fn predictions_file(name: &str) -> PathBuf {
    PathBuf::from("predictions").join(format!("{name}.csv"))
}

/// The metrics that criteria want scored, each once; `None` when there is none.
fn metric_names(criteria: &[Criterion]) -> Option<Vec<String>> {
    let mut names: Vec<String> = criteria
        .iter()
        .filter(|c| c.evidence == Evidence::Scored)
        .map(|c| c.metric.clone())
        .collect();
    names.sort_unstable();
    names.dedup();
    (!names.is_empty()).then_some(names)
}

fn command(folder: &std::path::Path, environment: Vec<Mount>, names: &[String]) -> Command {
    let mut mounts = environment;
    mounts.push(Mount {
        host: folder.to_owned(),
        inside: INSIDE.to_owned(),
        writable: false,
    });
    let file = |name: &str| Arg::inside(format!("{INSIDE}/{name}"));
    let mut args = vec![
        // With the packages of the environment, which are the task's own choice, for a well-kept library's metrics; with
        // nothing of the program's, and without what its user or the working folder could add.
        Arg::text("-I"),
        Arg::text("-B"),
        file("scorer.py"),
        Arg::text("--truth"),
        file("truth.csv"),
        Arg::text("--predictions"),
        file("predictions.csv"),
    ];
    for name in names {
        args.push(Arg::text("--metric"));
        args.push(Arg::text(name.clone()));
    }
    Command {
        program: Arg::inside(PYTHON_INSIDE),
        args,
        env: BTreeMap::new(),
        cwd: INSIDE.to_owned(),
        mounts,
        profile: Profile::Strict,
        limits: Limits {
            wall: WALL,
            ..Limits::default()
        },
        stdin: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_program_runs_in_the_scorer() {
        let folder = std::path::Path::new("/x");
        let command = command(folder, Vec::new(), &["mae".to_owned()]);
        let args: Vec<String> = command.args.iter().map(|arg| format!("{arg:?}")).collect();
        let script = args
            .iter()
            .position(|arg| arg.contains("scorer.py"))
            .unwrap_or_default();
        assert!(args.iter().take(script).any(|arg| arg.contains("-I")), "{args:?}");
        let mounts: Vec<&std::path::Path> = command.mounts.iter().map(|mount| mount.host.as_path()).collect();
        assert_eq!(mounts, [folder], "beside the environment it sees its own folder alone");
        assert!(command.mounts.iter().all(|mount| !mount.writable));
    }
}
