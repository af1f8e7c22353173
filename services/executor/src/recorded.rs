//! What harness code wrote down in the program's own process: `recorded.json`.
//!
//! The program could have written it too, so nothing here is stronger than `recorded`, and a file
//! that does not carry this execution's nonce is somebody's old or forged one.

use interlock_domain::criteria::{Evidence, Metric};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

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

/// What the recorder itself lets through of everything else.
const MAX_SPLITS: usize = 64;
const MAX_USED: usize = 1_000;
pub(crate) const MAX_READ: usize = 10_000;
const MAX_MODELS: usize = 100;
const MAX_ARTIFACTS: usize = 200;
const MAX_PATH_BYTES: usize = 200;
const MAX_USED_NAME_BYTES: usize = 4 * 512;

/// The file, as far as it is understood.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Whether `run` returned.
    pub finished: bool,
    /// Numbers that were recorded.
    pub metrics: Vec<Metric>,
    /// What `run` returned: testimony.
    pub testimony: Value,
    /// What ended it otherwise.
    pub error: Option<ProgramError>,
    /// The data that it said it used.
    pub splits: Vec<Split>,
    /// Those of them that share rows.
    pub overlaps: Vec<Overlap>,
    /// What became of the configuration.
    pub config: Option<ConfigSeen>,
    /// Epochs that were counted, for each model.
    pub epochs: BTreeMap<String, u64>,
    /// Files that it wants kept.
    pub artifacts: Vec<Artifact>,
}

/// One split of the data.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Split {
    /// Name, such as `train`.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Number of the fold, where there are several.
    pub fold: Option<u64>,
    /// Rows that were hashed.
    pub rows: u64,
    /// Whether these are all rows.
    pub complete: bool,
    /// Digest of the content, whatever its order.
    pub digest: String,
}

/// What a split is for.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// To learn from.
    Train,
    /// To choose by.
    Validation,
    /// To measure on.
    Test,
    /// Nobody said.
    Other,
}

/// Two splits, by their position, and how many different rows they share.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub struct Overlap {
    /// The one.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// Rows that are in both.
    pub rows: u64,
}

/// What became of the configuration in the program's process.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct ConfigSeen {
    /// What `run` was given.
    pub received: Value,
    /// Paths of the values that were read.
    pub read: BTreeSet<Vec<String>>,
    /// Values that the program says, or shows by setting them, that it worked with.
    pub used: Vec<Used>,
}

/// One value that a program worked with.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Used {
    /// Its name in the configuration.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// A file that a program wants kept.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Artifact {
    /// Path below the output folder.
    pub path: String,
    /// Its size when it was named, in bytes.
    pub bytes: u64,
    /// `file` or `figure`.
    pub kind: ArtifactKind,
}

/// What a kept file is for.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ArtifactKind {
    /// Anything.
    File,
    /// An image for the report.
    Figure,
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
    #[serde(default)]
    splits: Vec<Split>,
    #[serde(default)]
    overlaps: Vec<Overlap>,
    config: Option<ConfigSeen>,
    #[serde(default)]
    epochs: BTreeMap<String, u64>,
    #[serde(default)]
    artifacts: Vec<Artifact>,
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
    if let Some(what) = impossible(&file) {
        return Err(NoResult::Invalid(format!("{what}, as the recorder never writes it")));
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
        splits: file.splits,
        overlaps: file.overlaps,
        config: file.config,
        epochs: file.epochs,
        artifacts: file.artifacts,
    })
}

/// What else the recorder cannot have written: more than it takes, or what contradicts itself.
fn impossible(file: &File) -> Option<&'static str> {
    let (read, used) = match &file.config {
        Some(config) => (config.read.len(), config.used.len()),
        None => (0, 0),
    };
    let pairs = MAX_SPLITS * (MAX_SPLITS - 1) / 2;
    let counts = [
        (file.splits.len(), MAX_SPLITS, "there are too many splits"),
        (file.overlaps.len(), pairs, "there are too many overlaps"),
        (file.epochs.len(), MAX_MODELS, "there are too many models"),
        (file.artifacts.len(), MAX_ARTIFACTS, "there are too many artifacts"),
        (read, MAX_READ, "too many values were read"),
        (used, MAX_USED, "too many values were used"),
    ];
    if let Some((_, _, what)) = counts.iter().find(|(count, most, _)| count > most) {
        return Some(what);
    }
    let is_pair = |pair: &Overlap| {
        let rows = |at: usize| file.splits.get(at).map_or(0, |split: &Split| split.rows);
        pair.first < pair.second && (1..=rows(pair.first).min(rows(pair.second))).contains(&pair.rows)
    };
    (!file.overlaps.iter().all(is_pair)).then_some("an overlap is not between two splits")
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
    let is_long_split = |split: &Split| split.name.len() > MAX_NAME_BYTES || split.digest.len() > MAX_NAME_BYTES;
    if file.splits.iter().any(is_long_split) || file.epochs.keys().any(|name| name.len() > MAX_NAME_BYTES) {
        return Some("the name of a split or model");
    }
    if file
        .artifacts
        .iter()
        .any(|artifact| artifact.path.len() > MAX_PATH_BYTES)
    {
        return Some("the path of an artifact");
    }
    let mut used = file.config.iter().flat_map(|config| &config.used);
    if used.any(|used| used.name.len() > MAX_USED_NAME_BYTES) {
        return Some("the name of a used value");
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
