//! One execution, from the verified manifest to the record of what happened.

use crate::artifacts;
use crate::doubts::doubts;
use crate::folders::{Folders, write_input};
use crate::judge::{Facts, judge};
use crate::logs::{self, RESOURCES};
use crate::program;
use crate::recorded::{self, Artifact, MAX_RECORDED_BYTES, NoResult, Recorded};
use crate::result_file::{Account, result_file};
use crate::score::{self, Question, ScoreError, Scored};
use crate::telling::Telling;
use interlock_domain::blob::NamedBlob;
use interlock_domain::criteria::{Evidence, Metric};
use interlock_domain::doubt::{Doubt, DoubtKind};
use interlock_domain::finding::{Finding, Location};
use interlock_domain::owned::ENTRY_POINT;
use interlock_domain::payload::{Execution, Request};
use interlock_domain::{Digest, FailureClass, Task};
use interlock_sandbox::{End, Mount, ResultError, ResultFolder, STDERR, STDOUT, Sandbox, SandboxError};
use interlock_stage::workspace::{self, Sources};
use interlock_stage::{Work, WorkError};
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Kept of stderr for a failure that left no record, in characters.
const STDERR_TAIL: usize = 2000;

/// What an execution needs to know.
#[derive(Debug)]
pub struct Order<'a> {
    /// The request.
    pub request: &'a Request,
    /// Its task.
    pub task: &'a Task,
    /// The workspace's content.
    pub sources: &'a Sources,
    /// The workspace's identity.
    pub manifest: Digest,
    /// Number of the execution.
    pub attempt: u32,
    /// Identity of the environment.
    pub environment: Digest,
    /// The environment as the program sees it.
    pub mounts: Vec<Mount>,
    /// Where the program keeps what it needs to go on, on the host; `None` where it is not to go on.
    pub checkpoint: Option<PathBuf>,
}

/// Runs the program and judges what was seen.
pub async fn execute(
    sandbox: &Sandbox,
    scratch: &Path,
    work: &mut Work,
    order: Order<'_>,
) -> Result<Execution, WorkError> {
    let name = format!("run-{}-{}", work.state.run, order.attempt);
    let folders = Folders::make(scratch, &name).map_err(|e| ours("the execution's folders", &e))?;
    prepare(&folders, work, &order).await?;
    let nonce = Digest::of_parts([
        work.state.run.to_string().as_bytes(),
        &order.attempt.to_be_bytes(),
        work.state.head.map(|d| *d.as_bytes()).unwrap_or_default().as_slice(),
    ])
    .to_string();
    let mut command = program::command(&folders, order.mounts.clone(), &order.task.limits, &nonce);
    command.limits.network.clone_from(&order.task.network);
    if let Some(checkpoint) = &order.checkpoint {
        program::show_checkpoint(&mut command, checkpoint);
    }
    let started = Instant::now();
    let telling = Telling::of(work, &folders, order.attempt);
    let (seen, samples) = telling
        .run(sandbox, command, work.cancel.clone())
        .await
        .map_err(|e| sandbox_failed(&e))?;
    let overhead = started.elapsed().saturating_sub(seen.duration);
    // Ended because this service stops: nothing is said, and whoever takes over runs it again.
    if seen.end == End::Cancelled && !work.cancelled_by_human().await? {
        return Err(WorkError::Cancelled);
    }
    let tampered: Vec<String> = workspace::changed(&folders.work(), order.sources)
        .iter()
        .map(ToString::to_string)
        .collect();
    let recorded = recorded_result(&folders, &nonce);
    let started = Instant::now();
    let scored = scored(sandbox, work, &order, &folders).await?;
    let scoring = started.elapsed();
    let observed = program::observed(&seen);
    let stderr = seen.stderr.to_text();
    let mut around = vec![seconds("sandbox_overhead", overhead)];
    if scored.is_some() {
        around.push(seconds("scoring_duration", scoring));
    }
    let asked: Value = serde_json::from_str(&order.task.config_json)
        .map_err(|e| WorkError::failed(FailureClass::Harness, format!("the task's configuration: {e}")))?;
    let predictions = order.task.scoring.as_ref().map(|scoring| scoring.predictions.as_str());
    let mut doubts = match &recorded {
        Ok(recorded) => doubts(recorded, &asked, predictions),
        Err(_) => Vec::new(),
    };
    doubts.extend(own_result(&folders));
    let judged = judge(&Facts {
        observed: &observed,
        tampered: &tampered,
        recorded: &recorded,
        scored: scored.as_ref(),
        around: &around,
        criteria: &order.task.criteria,
        doubts: &doubts,
        stderr_tail: tail(&stderr),
    });
    let named = recorded.as_ref().map(|r| r.artifacts.as_slice()).unwrap_or_default();
    let wanted = evidence(order.task, named);
    let (mut files, mut left) = artifacts::store_files(&work.bus, &folders, &wanted).await?;
    left.extend(artifacts::changed(named, &files));
    if judged.metrics_left_out > 0 {
        left.push(format!(
            "{} metrics, which stand in out/recorded.json alone",
            judged.metrics_left_out
        ));
    }
    let result = result_file(&Account {
        judged: &judged,
        scored_by: scored
            .as_ref()
            .and_then(|scored| scored.as_ref().ok())
            .map(|scored| scored.by.as_str()),
        observed: &observed,
        tampered: &tampered,
        recorded: recorded.as_ref().ok(),
        asked: &asked,
        doubts: &doubts,
        files: &files,
        left: &left,
    });
    let mut kept = Vec::new();
    for (name, content) in [
        (artifacts::RESULT, result.as_slice()),
        (STDOUT, &logs::whole(&folders.logs().join(STDOUT), &seen.stdout)),
        (STDERR, &logs::whole(&folders.logs().join(STDERR), &seen.stderr)),
        (RESOURCES, &logs::resources(&samples)),
    ] {
        kept.push(NamedBlob {
            name: name.to_owned(),
            blob: work.bus.put_blob(content).await?,
        });
    }
    kept.append(&mut files);
    let testimony = recorded.as_ref().map(|r| r.testimony.clone()).unwrap_or_default();
    Ok(Execution {
        manifest: order.manifest,
        attempt: order.attempt,
        environment: order.environment,
        observed: Some(observed),
        artifacts: kept,
        tampered,
        metrics: judged.metrics,
        testimony_json: bounded_json(&testimony),
        criteria: judged.criteria,
        judgement: judged.judgement,
        findings: judged
            .findings
            .into_iter()
            .chain(denied(&seen.denied, order.task))
            .collect(),
        doubts,
    })
}

/// A program that writes what only the harness writes; what it wrote counts for nothing.
fn own_result(folders: &Folders) -> Option<Doubt> {
    let is_there = fs::symlink_metadata(folders.out().join(artifacts::RESULT)).is_ok();
    is_there.then(|| Doubt {
        kind: DoubtKind::OwnResult,
        message: format!(
            "the program wrote a {} of its own, which counts for nothing",
            artifacts::RESULT
        ),
        splits: Vec::new(),
        measured: false,
    })
}

/// The files that the judgement rests on, and those that the program named.
fn evidence(task: &Task, named: &[Artifact]) -> Vec<PathBuf> {
    let predictions = task
        .scoring
        .iter()
        .map(|scoring| score::predictions_file(&scoring.predictions));
    let named = named.iter().map(|artifact| PathBuf::from(&artifact.path));
    let mut files: Vec<PathBuf> = vec![PathBuf::from("recorded.json")];
    for file in predictions.chain(named) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// What the program wanted to reach and may not: for those who read the result, and for whoever mends a program that failed.
fn denied(wanted: &[String], task: &Task) -> Option<Finding> {
    let allowed: Vec<String> = task.network.iter().map(ToString::to_string).collect();
    let message = format!(
        "the program wanted to reach {}, which the task does not allow (program.network has {}); do without, or have the task \
         allow it",
        wanted.join(", "),
        allowed.join(", ")
    );
    let at = Location::file(ENTRY_POINT);
    (!wanted.is_empty()).then(|| Finding::new("network/denied", at, message))
}

/// A time that is neither the program's nor the harness's own: setting up and clearing away the sandbox around the
/// program, or the scorer with its sandbox.
fn seconds(name: &str, took: Duration) -> Metric {
    Metric {
        name: name.to_owned(),
        value: took.as_secs_f64(),
        unit: "seconds".to_owned(),
        split: String::new(),
        evidence: Evidence::Observed,
    }
}

async fn prepare(folders: &Folders, work: &Work, order: &Order<'_>) -> Result<(), WorkError> {
    for input in &order.request.inputs {
        let content = work.bus.get_blob(&input.blob).await?;
        write_input(&folders.inputs().join(&input.name), &content).map_err(|e| ours("an input", &e))?;
    }
    write_input(&folders.task().join("config.json"), order.task.config_json.as_bytes())
        .map_err(|e| ours("the configuration", &e))?;
    workspace::lay_out(&folders.work(), order.sources)
        .map_err(|e| WorkError::failed(FailureClass::Harness, e.to_string()))
}

fn recorded_result(folders: &Folders, nonce: &str) -> Result<Recorded, NoResult> {
    let bytes =
        ResultFolder::open(&folders.out()).and_then(|out| out.read(Path::new("recorded.json"), MAX_RECORDED_BYTES));
    match bytes {
        Ok(bytes) => recorded::read(&bytes, nonce),
        Err(ResultError::Missing { .. }) => Err(NoResult::Missing),
        Err(why) => Err(NoResult::Unsafe(why.to_string())),
    }
}

async fn scored(
    sandbox: &Sandbox,
    work: &Work,
    order: &Order<'_>,
    folders: &Folders,
) -> Result<Option<Result<Scored, String>>, WorkError> {
    let (Some(scoring), Some(truth)) = (&order.task.scoring, &order.request.truth) else {
        return Ok(None);
    };
    let truth = work.bus.get_blob(&truth.blob).await?;
    let question = Question {
        predictions: &scoring.predictions,
        truth: &truth,
        criteria: &order.task.criteria,
    };
    match score::score(sandbox, order.mounts.clone(), folders, question, work.cancel.clone()).await {
        Ok(scored) => Ok(Some(scored)),
        Err(ScoreError::Sandbox(e)) => Err(sandbox_failed(&e)),
        Err(ScoreError::Scorer(why)) if work.cancel.is_cancelled() => Ok(Some(Err(why))),
        Err(e @ (ScoreError::Prepare(_) | ScoreError::Scorer(_))) => {
            Err(WorkError::failed(FailureClass::Harness, e.to_string()))
        }
    }
}

/// The sandbox's own trouble is ours, and never the program's.
fn sandbox_failed(error: &SandboxError) -> WorkError {
    match error.disposition() {
        interlock_domain::Disposition::Retry => WorkError::later(FailureClass::Harness, error.to_string()),
        interlock_domain::Disposition::Refuse | interlock_domain::Disposition::Escalate => {
            WorkError::failed(FailureClass::Harness, error.to_string())
        }
    }
}

fn ours(what: &str, error: &io::Error) -> WorkError {
    WorkError::failed(FailureClass::Harness, format!("{what}: {error}"))
}

fn tail(text: &str) -> &str {
    let start = text.char_indices().rev().nth(STDERR_TAIL).map_or(0, |(at, _)| at);
    text.get(start..).unwrap_or(text)
}

/// Testimony has to fit into a record; what does not is in the artifact.
fn bounded_json(value: &serde_json::Value) -> String {
    let text = value.to_string();
    if text.len() <= 64 * 1024 {
        text
    } else {
        "\"too long for the record; see result.json\"".to_owned()
    }
}
