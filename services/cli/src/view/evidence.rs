//! What a result rests on: criteria, numbers with the strength of their evidence, and what was seen from outside.

use super::line::observed_line;
use super::page::plain;
use super::text::{self, clipped, number};
use crate::console::Tone;
use interlock_domain::criteria::{CriterionResult, CriterionStatus, Evidence, Metric};
use interlock_domain::payload::Execution;

/// Longest testimony that is shown; all of it is among the exported files.
const TESTIMONY: usize = 400;

/// Each criterion's answer.
pub fn criteria(criteria: &[CriterionResult]) -> Vec<(Tone, String)> {
    criteria
        .iter()
        .map(|result| {
            let (tone, word) = match result.status {
                CriterionStatus::Met => (Tone::Good, "met       "),
                CriterionStatus::Missed => (Tone::Bad, "missed    "),
                CriterionStatus::NotJudged => (Tone::Bad, "not judged"),
            };
            let criterion = text::line(&result.criterion);
            (tone, format!("{word}  {criterion}: {}", text::line(&result.reason)))
        })
        .collect()
}

/// Every number, the strongest evidence first; what is only claimed is marked as that.
pub fn metrics(metrics: &[Metric]) -> Vec<(Tone, String)> {
    let mut sorted: Vec<&Metric> = metrics.iter().collect();
    sorted.sort_by(|a, b| {
        b.evidence
            .cmp(&a.evidence)
            .then_with(|| (&a.name, &a.split).cmp(&(&b.name, &b.split)))
    });
    sorted
        .into_iter()
        .map(|metric| {
            let weak = match metric.evidence {
                Evidence::Claimed => "  (the program's own word)",
                Evidence::Recorded | Evidence::Scored | Evidence::Observed => "",
            };
            let split = if metric.split.is_empty() {
                String::new()
            } else {
                format!("{} ", metric.split)
            };
            plain(format!(
                "{:<10}  {}{} = {} {}{weak}",
                metric.evidence.name(),
                text::line(&split),
                text::line(&metric.name),
                number(metric.value),
                text::line(&metric.unit),
            ))
        })
        .collect()
}

/// What was recorded that speaks against the numbers.
pub fn doubts(execution: &Execution) -> Vec<(Tone, String)> {
    let doubts = execution.doubts.iter();
    doubts
        .map(|doubt| {
            let line = format!("{}: {}", doubt.kind.name(), text::line(&doubt.message));
            (Tone::Bad, line)
        })
        .collect()
}

/// What was seen of the program from outside.
pub fn observed(execution: &Execution) -> Vec<(Tone, String)> {
    let Some(observed) = &execution.observed else {
        return vec![plain("nothing was started")];
    };
    let mut lines = vec![
        plain(observed_line(observed)),
        plain(format!(
            "{} CPU, at most {}, {} to stdout, {} to stderr, sandbox tier {}",
            text::span(observed.cpu_ms),
            text::count(observed.peak_processes as usize, "process"),
            text::size(observed.stdout_bytes),
            text::size(observed.stderr_bytes),
            text::line(&observed.tier),
        )),
    ];
    for path in &execution.tampered {
        lines.push((
            Tone::Bad,
            format!("{} was changed while the program ran", text::line(path)),
        ));
    }
    lines
}

/// What the program said of itself.
pub fn testimony(execution: &Execution) -> Vec<(Tone, String)> {
    let said = execution.testimony_json.trim();
    if matches!(said, "" | "null") {
        return Vec::new();
    }
    vec![plain(clipped(said, TESTIMONY))]
}
