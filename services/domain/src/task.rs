//! What a user submits: goal, boundaries, acceptance criteria.
//!
//! Parsed once, strictly: an unknown key is an error, because a misspelt limit is a missing limit.

use crate::criteria::{Criterion, CriterionText};
use crate::destination::{Destination, DestinationError};
use crate::scored::predicted;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// Largest task file in bytes.
pub const MAX_TASK_BYTES: usize = 256 * 1024;

/// A validated task.
#[derive(Clone, Debug)]
pub struct Task {
    /// Short name, safe in file names and branches.
    pub name: String,
    /// What is wanted, for the model and for people.
    pub goal: String,
    /// Name of the lock file, as the task names it; `None` for the standard library alone.
    pub lock: Option<String>,
    /// Read-only inputs: name inside the sandbox → file beside the task.
    pub inputs: BTreeMap<String, String>,
    /// How predictions are scored, if they are.
    pub scoring: Option<Scoring>,
    /// What makes the result acceptable; at least one.
    pub criteria: Vec<Criterion>,
    /// What a program may use.
    pub limits: Limits,
    /// Who answers at gates.
    pub gates: Gates,
    /// What is checked beyond what always is.
    pub checks: Checks,
    /// What becomes of a program that did not end but was lost.
    pub interrupted: Interrupted,
    /// What the program may reach over the network; nothing where it is empty.
    pub network: Vec<Destination>,
    /// Handed to `run(config, recorder)`, as JSON text.
    pub config_json: String,
    /// Folder of scripted answers beside the task, for runs without a real model.
    pub answers: Option<String>,
}

/// Sealed truth and the predictions that are compared with it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Scoring {
    /// File beside the task with columns `id,label`; neither the model nor the program sees it.
    pub truth: String,
    /// Name under which the program records its predictions.
    pub predictions: String,
}

/// Limits of one execution, and of the run.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Wall-clock time of the program in seconds.
    pub wall_seconds: u64,
    /// Seconds without any output after which the program counts as stalled; 0 for no such limit.
    pub stall_seconds: u64,
    /// Memory of the whole process tree in MiB.
    pub memory_mb: u64,
    /// Processes and threads of the tree.
    pub processes: u32,
    /// Largest file that the program may write, in MiB.
    pub file_mb: u64,
    /// Disk that everything the program writes may take, in MiB.
    pub disk_mb: u64,
    /// Output (stdout and stderr together) in MiB.
    pub output_mb: u64,
    /// Wall-clock time of the import of one file in seconds.
    pub import_seconds: u64,
    /// Repairs that a run may spend before a human is asked.
    pub repairs: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall_seconds: 600,
            stall_seconds: 0,
            memory_mb: 2048,
            processes: 64,
            file_mb: 512,
            disk_mb: 2048,
            output_mb: 64,
            import_seconds: 30,
            repairs: 12,
        }
    }
}

/// Checks that a task asks for, beyond those that every workspace has to pass.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct Checks {
    /// The environment's `ruff` over the model's files.
    pub lint: bool,
    /// The environment's `mypy` over the model's files.
    pub types: bool,
    /// Executables beside the task that are asked about the workspace; see `services/verifier/docs/custom.md`.
    pub custom: Vec<String>,
}

/// Who answers at the gates. Silence is never consent: there is no default that approves.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct Gates {
    /// The plan gate.
    pub plan: PlanGate,
    /// The guidance gate, where a run waits once repair is exhausted or cannot help.
    pub guidance: GuidanceGate,
}

/// What becomes of a program whose executor is gone, and which therefore died without its doing.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Interrupted {
    /// It is run again from its beginning.
    #[default]
    Rerun,
    /// It is run again, and finds the checkpoint folder as the lost program left it.
    Resume,
    /// A human is asked.
    Ask,
}

/// Policy of the plan gate.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum PlanGate {
    /// A human answers.
    #[default]
    Human,
    /// The first valid plan is approved, and the record says that nobody looked.
    Automatic,
}

/// Policy of the guidance gate.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum GuidanceGate {
    /// A human answers.
    #[default]
    Human,
    /// The run ends as failed.
    Stop,
}

/// Why a task is refused.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// Not TOML, or not of this shape.
    #[error("the task file is not valid: {0}")]
    Toml(String),
    /// A value is out of its range.
    #[error("task: {field}: {why}")]
    Field {
        /// The key.
        field: String,
        /// What is wrong and what was expected.
        why: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskText {
    name: String,
    goal: String,
    #[serde(default)]
    environment: EnvironmentText,
    #[serde(default)]
    inputs: BTreeMap<String, String>,
    scoring: Option<Scoring>,
    #[serde(default)]
    criteria: Vec<CriterionText>,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    gates: Gates,
    #[serde(default)]
    checks: Checks,
    #[serde(default)]
    program: ProgramText,
    #[serde(default)]
    config: toml::Table,
    #[serde(default)]
    model: ModelText,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvironmentText {
    lock: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ProgramText {
    interrupted: Interrupted,
    network: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelText {
    answers: Option<String>,
}

impl Task {
    /// Parses and checks a task file.
    pub fn parse(text: &str) -> Result<Self, TaskError> {
        if text.len() > MAX_TASK_BYTES {
            return Err(field(
                "task",
                format!(
                    "the file has {} bytes; at most {MAX_TASK_BYTES} are allowed",
                    text.len()
                ),
            ));
        }
        let raw: TaskText = toml::from_str(text).map_err(|e| TaskError::Toml(e.to_string()))?;
        check_name("name", &raw.name)?;
        if raw.goal.trim().is_empty() {
            return Err(field("goal", "it is empty; say what is wanted".into()));
        }
        for name in raw.inputs.keys() {
            check_name("inputs", name)?;
        }
        if let Some(scoring) = &raw.scoring {
            check_name("scoring.predictions", &scoring.predictions)?;
        }
        check_files(&raw)?;
        if raw.criteria.is_empty() {
            return Err(field(
                "criteria",
                "there is none, so nothing could ever be accepted; add a [[criteria]] table".into(),
            ));
        }
        check_limits(&raw.limits)?;
        let criteria = raw
            .criteria
            .into_iter()
            .map(|text| {
                text.validate(raw.scoring.as_ref().map(|scoring| scoring.predictions.as_str()))
                    .map_err(|why| field("criteria", why))
            })
            .collect::<Result<Vec<Criterion>, _>>()?;
        predicted(&criteria).map_err(|why| field("criteria", why))?;
        let network = raw.program.network.iter().map(|text| {
            text.parse()
                .map_err(|why: DestinationError| field("program.network", why.to_string()))
        });
        let network = network.collect::<Result<_, _>>()?;
        let config_json = json("config", toml::Value::Table(raw.config))?.to_string();
        Ok(Self {
            name: raw.name,
            goal: raw.goal,
            lock: raw.environment.lock,
            inputs: raw.inputs,
            scoring: raw.scoring,
            criteria,
            limits: raw.limits,
            gates: raw.gates,
            checks: raw.checks,
            interrupted: raw.program.interrupted,
            network,
            config_json,
            answers: raw.model.answers,
        })
    }

    /// Every file that the task names, in the words it uses; what a client has to send along.
    pub fn files(&self) -> Vec<&str> {
        let truth = self.scoring.iter().map(|scoring| scoring.truth.as_str());
        let inputs = self.inputs.values().map(String::as_str);
        let mut files: Vec<&str> = self
            .lock
            .iter()
            .map(String::as_str)
            .chain(inputs)
            .chain(truth)
            .chain(self.checks.custom.iter().map(String::as_str))
            .collect();
        files.sort_unstable();
        files.dedup();
        files
    }
}

fn field(field: &str, why: String) -> TaskError {
    TaskError::Field {
        field: field.to_owned(),
        why,
    }
}

fn check_name(key: &str, name: &str) -> Result<(), TaskError> {
    let fits = !name.is_empty()
        && name.len() <= 64
        && !name.starts_with(['.', '-'])
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    if fits {
        return Ok(());
    }
    Err(field(
        key,
        format!("{name:?} is no name; expected 1 to 64 of the characters a-z A-Z 0-9 . _ -"),
    ))
}

fn check_files(raw: &TaskText) -> Result<(), TaskError> {
    let lock = raw.environment.lock.iter().map(|name| ("environment.lock", name));
    let inputs = raw.inputs.values().map(|name| ("inputs", name));
    let truth = raw.scoring.iter().map(|scoring| ("scoring.truth", &scoring.truth));
    let answers = raw.model.answers.iter().map(|name| ("model.answers", name));
    let custom = raw.checks.custom.iter().map(|name| ("checks.custom", name));
    for (key, name) in lock.chain(inputs).chain(truth).chain(answers).chain(custom) {
        if name.trim().is_empty() {
            return Err(field(key, "it names no file".into()));
        }
        // A task may come from somebody else: it gets to name its own files, and no others.
        let is_below = Path::new(name)
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_below {
            return Err(field(
                key,
                format!("{name:?} does not lie in the task's own folder; name a file beside the task, without \"..\""),
            ));
        }
    }
    let mut checkers = Vec::new();
    for path in &raw.checks.custom {
        let name = file_name(path);
        check_name("checks.custom", name)?;
        checkers.push(name.rsplit_once('.').map_or(name, |(stem, _)| stem));
    }
    checkers.sort_unstable();
    if checkers.windows(2).any(|pair| pair.first() == pair.last()) {
        let why = "two checkers have the same file name before the ending, and their findings are called by it";
        return Err(field("checks.custom", why.into()));
    }
    let sealed = raw.scoring.as_ref().map(|scoring| scoring.truth.as_str());
    if raw.inputs.values().any(|name| Some(name.as_str()) == sealed) {
        return Err(field(
            "scoring.truth",
            "it is also one of the inputs, so the program would see it".into(),
        ));
    }
    Ok(())
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What a program gets to read is what the task says: dates as text, and no number that JSON lacks.
fn json(key: &str, value: toml::Value) -> Result<serde_json::Value, TaskError> {
    Ok(match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => serde_json::Number::from_f64(number)
            .ok_or_else(|| field(key, format!("{number} is no number that JSON can hold")))?
            .into(),
        toml::Value::Boolean(truth) => truth.into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items
            .into_iter()
            .map(|item| json(key, item))
            .collect::<Result<_, _>>()?,
        toml::Value::Table(entries) => serde_json::Value::Object(
            entries
                .into_iter()
                .map(|(name, entry)| {
                    let entry = json(&format!("{key}.{name}"), entry)?;
                    Ok((name, entry))
                })
                .collect::<Result<_, TaskError>>()?,
        ),
    })
}

fn check_limits(limits: &Limits) -> Result<(), TaskError> {
    // Upper bounds keep a typing slip (seconds for milliseconds) from becoming a run without a limit.
    let ranges: [(&str, u64, u64, u64); 9] = [
        ("limits.wall_seconds", limits.wall_seconds, 1, 30 * 24 * 3600),
        ("limits.stall_seconds", limits.stall_seconds, 0, 30 * 24 * 3600),
        ("limits.memory_mb", limits.memory_mb, 16, 4 * 1024 * 1024),
        ("limits.processes", u64::from(limits.processes), 1, 65_536),
        ("limits.file_mb", limits.file_mb, 1, 1024 * 1024),
        ("limits.disk_mb", limits.disk_mb, 1, 1024 * 1024),
        ("limits.output_mb", limits.output_mb, 1, 64 * 1024),
        ("limits.import_seconds", limits.import_seconds, 1, 3600),
        ("limits.repairs", u64::from(limits.repairs), 0, 1000),
    ];
    for (name, value, low, high) in ranges {
        if value < low || value > high {
            return Err(field(
                name,
                format!("{value} is out of range; expected {low} to {high}"),
            ));
        }
    }
    Ok(())
}
