//! What harness code wrote down in the program's own process: `recorded.json`.
//!
//! The program could have written it too, so nothing here is stronger than `recorded`, and a file
//! that does not carry this execution's nonce is somebody's old or forged one.

use interlock_domain::criteria::{Evidence, Metric};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Largest `recorded.json` in bytes.
pub const MAX_RECORDED_BYTES: u64 = 16 * 1024 * 1024;
/// Longest name, split or unit of a metric in bytes: what the recorder itself lets through.
const MAX_NAME_BYTES: usize = 64;
/// Longest texts of an error in bytes: the recorder's own bounds in characters, at four bytes each, and its marks.
const MAX_KIND_BYTES: usize = 1_000;
const MAX_MESSAGE_BYTES: usize = 17_000;
const MAX_TRACEBACK_BYTES: usize = 65_000;
const MAX_FILE_BYTES: usize = 4_096;
const MAX_CAUSE_BYTES: usize = 2_000;

/// The file, as far as it is understood.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Whether `run` returned.
    pub finished: bool,
    /// Numbers that were recorded.
    pub metrics: Vec<Metric>,
    /// What `run` returned: testimony.
    pub testimony: Value,
    /// What ended it otherwise.
    pub error: Option<ProgramError>,
}

/// The exception that ended `run`, as harness code saw it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct ProgramError {
    /// Qualified name of its class.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its message.
    pub message: String,
    /// The whole traceback.
    pub traceback: String,
    /// The deepest model-written file.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
    /// What its fields show; absent where an older entry point wrote it.
    #[serde(default)]
    pub cause: Option<Cause>,
}

/// What harness code read off an exception, beyond its words.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Cause {
    /// One of the words of `raised.py`.
    pub kind: String,
    /// The module, the path, or the files that it is about.
    pub what: String,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NoResult {
    /// Nothing was written.
    #[error("no result was written")]
    Missing,
    /// What lies there cannot be taken.
    #[error("the result cannot be taken: {0}")]
    Unsafe(String),
    /// What was written cannot be read.
    #[error("the result is not valid: {0}")]
    Invalid(String),
    /// What was written belongs to another execution.
    #[error("the result is not of this execution")]
    Stale,
}

#[derive(Deserialize)]
struct File {
    schema: u32,
    nonce: String,
    finished: bool,
    metrics: Vec<MetricText>,
    #[serde(default)]
    testimony: Value,
    error: Option<ProgramError>,
}

#[derive(Deserialize)]
struct MetricText {
    name: String,
    value: f64,
    unit: String,
    #[serde(default)]
    split: Option<String>,
    #[serde(default)]
    step: Option<u64>,
}

/// Reads the file's bytes; `nonce` is what this execution was given.
pub fn read(bytes: &[u8], nonce: &str) -> Result<Recorded, NoResult> {
    let file: File = serde_json::from_slice(bytes).map_err(|e| NoResult::Invalid(e.to_string()))?;
    if file.schema != 1 {
        return Err(NoResult::Invalid(format!("its schema is {}; expected 1", file.schema)));
    }
    if file.nonce != nonce {
        return Err(NoResult::Stale);
    }
    if let Some(what) = oversized(&file) {
        return Err(NoResult::Invalid(format!(
            "{what} is longer than the recorder writes it"
        )));
    }
    if file.finished && file.error.is_some() {
        return Err(NoResult::Invalid(
            "it says both that run() returned and that it did not".to_owned(),
        ));
    }
    Ok(Recorded {
        finished: file.finished,
        metrics: standing(file.metrics),
        testimony: file.testimony,
        error: file.error,
    })
}

/// What is longer than the recorder would have written it: then somebody else wrote it, and no record could hold it.
fn oversized(file: &File) -> Option<&'static str> {
    let is_long = |text: &Option<String>, most: usize| text.as_ref().is_some_and(|text| text.len() > most);
    let long_metric = |metric: &MetricText| {
        metric.name.len() > MAX_NAME_BYTES
            || metric.unit.len() > MAX_NAME_BYTES
            || is_long(&metric.split, MAX_NAME_BYTES)
    };
    if file.metrics.iter().any(long_metric) {
        return Some("a metric's name, split or unit");
    }
    let error = file.error.as_ref()?;
    let is_long = error.kind.len() > MAX_KIND_BYTES
        || error.message.len() > MAX_MESSAGE_BYTES
        || error.traceback.len() > MAX_TRACEBACK_BYTES
        || is_long(&error.file, MAX_FILE_BYTES)
        || error
            .cause
            .as_ref()
            .is_some_and(|cause| cause.kind.len() + cause.what.len() > MAX_CAUSE_BYTES);
    is_long.then_some("the error")
}

/// The values that stand for the run: of a series (one value per step) its last, and none of it where the same name and
/// split also has a value without a step. How a value was on the way is no result; it stays in the file.
fn standing(metrics: Vec<MetricText>) -> Vec<Metric> {
    let mut last: BTreeMap<(String, String), Option<u64>> = BTreeMap::new();
    for metric in &metrics {
        let step = metric.step;
        last.entry(series(metric))
            .and_modify(|so_far| *so_far = so_far.and_then(|s| step.map(|step| step.max(s))))
            .or_insert(step);
    }
    let stands = metrics
        .into_iter()
        .filter(|metric| last.get(&series(metric)) == Some(&metric.step));
    stands
        .map(|metric| Metric {
            name: metric.name,
            value: metric.value,
            unit: metric.unit,
            split: metric.split.unwrap_or_default(),
            evidence: Evidence::Recorded,
        })
        .collect()
}

fn series(metric: &MetricText) -> (String, String) {
    (metric.name.clone(), metric.split.clone().unwrap_or_default())
}
