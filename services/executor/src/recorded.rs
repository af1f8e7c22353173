//! What harness code wrote down in the program's own process: `recorded.json`.
//!
//! The program could have written it too, so nothing here is stronger than `recorded`, and a file
//! that does not carry this execution's nonce is somebody's old or forged one.

use interlock_domain::criteria::{Evidence, Metric};
use serde::Deserialize;
use serde_json::Value;

/// Largest `recorded.json` in bytes.
pub const MAX_RECORDED_BYTES: u64 = 16 * 1024 * 1024;

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
    let metrics = file.metrics.into_iter().map(|metric| Metric {
        name: metric.name,
        value: metric.value,
        unit: metric.unit,
        split: metric.split.unwrap_or_default(),
        evidence: Evidence::Recorded,
    });
    Ok(Recorded {
        finished: file.finished,
        metrics: metrics.collect(),
        testimony: file.testimony,
        error: file.error,
    })
}
