//! What was run and what was seen of it from outside; the numbers, and the criteria that they are judged by.

use super::checks::{Found, all_found};
use super::curve::Chart;
use super::files::{Files, RESULT};
use super::resources;
use super::shown::{Listed, Shown};
use crate::view::text::{count, number, size, span};
use crate::view::{Run, line};
use interlock_domain::criteria::{CriterionStatus, Evidence, Metric};
use interlock_domain::owned::ENTRY_POINT;
use interlock_domain::payload::{Execution, Observed, Payload};
use interlock_domain::task::Limits;
use serde::Deserialize;

/// Most files that were not kept.
const MAX_NOT_KEPT: usize = 100;

/// The last execution.
#[derive(Debug)]
pub struct Ran {
    /// Number of its record.
    pub seq: u64,
    /// Which execution of the run it is, and what was started.
    pub what: Shown,
    /// What was measured, and the limit it is held to.
    pub measured: Vec<Measured>,
    /// What it used over time.
    pub used: Vec<Chart>,
    /// Files of the workspace that were changed meanwhile.
    pub tampered: Vec<Shown>,
    /// What was found about it, whatever it was judged to be.
    pub findings: Listed<Found>,
    /// What is kept of it.
    pub artifacts: Vec<(Shown, Shown, Shown)>,
    /// What could not be kept, and why.
    pub not_kept: Listed<Shown>,
    /// The executions before it, in a line each.
    pub earlier: Vec<Shown>,
}

/// One thing that was measured from outside.
#[derive(Debug)]
pub struct Measured {
    /// What.
    pub name: &'static str,
    /// How much.
    pub value: Shown,
    /// How much there may be; empty where there is no limit.
    pub limit: Shown,
}

/// One criterion's answer.
#[derive(Debug)]
pub struct Judged {
    /// Met, missed or not judged.
    pub answer: &'static str,
    /// Whether that is good.
    pub tone: &'static str,
    /// The criterion.
    pub criterion: Shown,
    /// Why.
    pub reason: Shown,
    /// Strength of the number that was judged.
    pub strength: &'static str,
    /// Record of the execution that brought it.
    pub seq: u64,
}

/// One number.
#[derive(Debug)]
pub struct Numbered {
    /// Strength of its evidence.
    pub strength: &'static str,
    /// On which data.
    pub split: Shown,
    /// Name.
    pub name: Shown,
    /// Value with unit.
    pub value: Shown,
}

/// The last execution with the number of its record.
pub fn last(run: &Run) -> Option<(u64, &Execution)> {
    executions(run).last()
}

fn executions(run: &Run) -> impl Iterator<Item = (u64, &Execution)> {
    run.records.iter().filter_map(|record| match &record.payload {
        Payload::Execution(execution) => Some((record.seq, execution)),
        Payload::Request(_)
        | Payload::PlanProposal(_)
        | Payload::Answer(_)
        | Payload::Candidate(_)
        | Payload::Verdict(_)
        | Payload::ExecutionStarted(_)
        | Payload::StageFailure(_)
        | Payload::Outcome(_) => None,
    })
}

/// What was run; `None` where nothing was.
pub fn ran(run: &Run, files: &Files) -> Option<Ran> {
    let (seq, execution) = last(run)?;
    let limits = run
        .state
        .as_ref()
        .and_then(|state| state.task())
        .map(|task| task.limits);
    let earlier = run.records.iter().filter(|record| record.seq < seq);
    let earlier = earlier.filter(|record| matches!(record.payload, Payload::Execution(_)));
    Some(Ran {
        seq,
        what: Shown::line(&format!(
            "Execution {}: python {ENTRY_POINT}, in environment {}",
            execution.attempt,
            execution.environment.short()
        )),
        measured: execution
            .observed
            .as_ref()
            .map(|observed| measured(observed, limits.as_ref()))
            .unwrap_or_default(),
        used: resources::curves(files),
        tampered: execution.tampered.iter().map(|path| Shown::line(path)).collect(),
        findings: all_found(&execution.findings, files),
        not_kept: not_kept(files),
        artifacts: execution
            .artifacts
            .iter()
            .map(|named| {
                (
                    Shown::line(&named.name),
                    Shown::line(&size(named.blob.size)),
                    Shown::of(named.blob.digest),
                )
            })
            .collect(),
        earlier: earlier
            .map(|record| Shown::line(&format!("record {}: {}", record.seq, line::line(record))))
            .collect(),
    })
}

/// What the executor wrote into its result file about files that it had to leave.
fn not_kept(files: &Files) -> Listed<Shown> {
    #[derive(Deserialize)]
    struct Left {
        #[serde(default)]
        not_kept: Vec<String>,
    }
    let result = files.artifacts.get(RESULT);
    let left: Option<Left> = result.and_then(|bytes| serde_json::from_slice(bytes).ok());
    let left = left.map(|left| left.not_kept).unwrap_or_default();
    Listed::first(left.iter().map(|why| Shown::line(why)).collect(), MAX_NOT_KEPT)
}

fn measured(seen: &Observed, limits: Option<&Limits>) -> Vec<Measured> {
    let row = |name, value: String, limit: Option<String>| Measured {
        name,
        value: Shown::line(&value),
        limit: Shown::line(&limit.unwrap_or_default()),
    };
    let mib = |number: u64| format!("{number} MiB");
    vec![
        row("end", line::end(&seen.end), None),
        row("sandbox tier", seen.tier.clone(), None),
        row(
            "duration",
            span(seen.duration_ms),
            limits.map(|limits| span(limits.wall_seconds.saturating_mul(1000))),
        ),
        row("CPU time", span(seen.cpu_ms), None),
        row(
            "peak memory",
            size(seen.peak_memory_bytes),
            limits.map(|limits| mib(limits.memory_mb)),
        ),
        row(
            "most processes at once",
            seen.peak_processes.to_string(),
            limits.map(|limits| limits.processes.to_string()),
        ),
        row(
            "processes that outlived it",
            count(seen.survivors as usize, "survivor"),
            Some("none".to_owned()),
        ),
        row(
            "output",
            format!(
                "{} to stdout, {} to stderr",
                size(seen.stdout_bytes),
                size(seen.stderr_bytes)
            ),
            limits.map(|limits| mib(limits.output_mb)),
        ),
    ]
}

/// Every criterion of the last execution.
pub fn judged(run: &Run) -> Vec<Judged> {
    let Some((seq, execution)) = last(run) else {
        return Vec::new();
    };
    let all = execution.criteria.iter();
    all.map(|result| {
        let (answer, tone) = match result.status {
            CriterionStatus::Met => ("met", "good"),
            CriterionStatus::Missed => ("missed", "bad"),
            CriterionStatus::NotJudged => ("not judged", "warn"),
        };
        Judged {
            answer,
            tone,
            criterion: Shown::line(&result.criterion),
            reason: Shown::line(&result.reason),
            strength: result
                .metric
                .as_ref()
                .map_or("no evidence", |metric| metric.evidence.name()),
            seq,
        }
    })
    .collect()
}

/// The numbers of the last execution that `wanted` takes, the strongest evidence first.
pub fn numbers(run: &Run, wanted: impl Fn(Evidence) -> bool) -> Vec<Numbered> {
    let Some((_, execution)) = last(run) else {
        return Vec::new();
    };
    let mut metrics: Vec<&Metric> = execution
        .metrics
        .iter()
        .filter(|metric| wanted(metric.evidence))
        .collect();
    metrics.sort_by(|a, b| {
        let by_name = || (&a.name, &a.split).cmp(&(&b.name, &b.split));
        b.evidence.cmp(&a.evidence).then_with(by_name)
    });
    let rows = metrics.into_iter().map(|metric| Numbered {
        strength: metric.evidence.name(),
        split: Shown::line(&metric.split),
        name: Shown::line(&metric.name),
        value: Shown::line(&format!("{} {}", number(metric.value), metric.unit)),
    });
    rows.collect()
}
