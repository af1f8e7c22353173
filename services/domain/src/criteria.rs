//! Acceptance criteria: what a task may ask for, and the three answers to it. `judging` gives the answers.

use crate::scored::{SCORED, known, misfit};
use serde::Deserialize;

/// The units that the recorder knows.
pub const UNITS: [&str; 6] = ["fraction", "percent", "count", "seconds", "bytes", "none"];
/// What the executor sees or measures itself, each in its unit.
pub const OBSERVED: [(&str, &str); 4] = [
    ("duration", "seconds"),
    ("peak_memory", "bytes"),
    ("sandbox_overhead", "seconds"),
    ("scoring_duration", "seconds"),
];

/// How a number came about, from weak to strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Said by model-written code: testimony.
    Claimed,
    /// Recorded by harness code in the same process as the model's.
    Recorded,
    /// Computed by harness code in another process against truth that the program never saw.
    Scored,
    /// Seen by the executor from outside.
    Observed,
}

impl Evidence {
    /// The word used in tasks and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Evidence::Claimed => "claimed",
            Evidence::Recorded => "recorded",
            Evidence::Scored => "scored",
            Evidence::Observed => "observed",
        }
    }
}

/// A number with its unit and the strength of its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Name, such as `accuracy`.
    pub name: String,
    /// Value in `unit`; may be anything that a program can write, so it is judged before use.
    pub value: f64,
    /// Unit, such as `fraction` or `percent`.
    pub unit: String,
    /// Split that it was measured on; empty when not said.
    pub split: String,
    /// Strength.
    pub evidence: Evidence,
}

/// Which side of the threshold is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The value has to be the threshold or more.
    AtLeast,
    /// The value has to be the threshold or less.
    AtMost,
}

/// One thing that has to hold for a result to be accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    /// Name of the metric.
    pub metric: String,
    /// Split it has to be measured on.
    pub split: String,
    /// Unit of the threshold.
    pub unit: String,
    /// Which side is good.
    pub direction: Direction,
    /// The threshold, finite.
    pub threshold: f64,
    /// The weakest evidence that counts.
    pub evidence: Evidence,
}

/// A criterion as a task file writes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CriterionText {
    metric: String,
    #[serde(default)]
    split: String,
    unit: String,
    direction: Direction,
    threshold: f64,
    evidence: Evidence,
}

impl CriterionText {
    /// Checks what a criterion has to be so that it can be judged at all: a run that can never be accepted is not worth
    /// its cost. `predictions` is the name of those that are scored, where the task has sealed truth.
    pub fn validate(self, predictions: Option<&str>) -> Result<Criterion, String> {
        if self.metric.trim().is_empty() || self.unit.trim().is_empty() {
            return Err("metric and unit must not be empty".to_owned());
        }
        for (what, name) in [("metric", &self.metric), ("split", &self.split)] {
            if !(is_name(name) || what == "split" && name.is_empty()) {
                return Err(format!(
                    "{what} {name:?} is nothing that can be recorded; expected a letter, then up to 63 letters, digits, '_', '-' or '.'"
                ));
            }
        }
        if !UNITS.contains(&self.unit.as_str()) {
            return Err(format!(
                "{}: unit {:?} is none that can be recorded; expected one of {}",
                self.metric,
                self.unit,
                UNITS.join(", ")
            ));
        }
        if !self.threshold.is_finite() {
            return Err(format!("{}: the threshold is not a finite number", self.metric));
        }
        match (self.evidence, predictions) {
            (Evidence::Scored, None) => {
                return Err(format!(
                    "{}: scored evidence needs a [scoring] table with sealed truth",
                    self.metric
                ));
            }
            (Evidence::Scored, Some(name)) if !self.split.is_empty() && self.split != name => {
                return Err(format!(
                    "{}: split {:?} is not what is scored; leave it out, or write {name:?}",
                    self.metric, self.split
                ));
            }
            (Evidence::Scored, Some(_)) => {
                self.must_be_one_of("scored", &SCORED.map(|known| (known.name, known.unit)))?;
            }
            (Evidence::Observed, _) if !self.split.is_empty() => {
                return Err(format!("{}: what is observed has no split; leave it out", self.metric));
            }
            (Evidence::Observed, _) => self.must_be_one_of("observed", &OBSERVED)?,
            (Evidence::Claimed | Evidence::Recorded, _) => {}
        }
        if let Some(why) = known(&self.metric).and_then(|kind| misfit(kind, &self.unit, self.direction)) {
            return Err(why);
        }
        Ok(Criterion {
            metric: self.metric,
            split: self.split,
            unit: self.unit,
            direction: self.direction,
            threshold: self.threshold,
            evidence: self.evidence,
        })
    }
}

impl CriterionText {
    fn must_be_one_of(&self, how: &str, known: &[(&str, &str)]) -> Result<(), String> {
        let fits = |(name, unit): &(&str, &str)| *name == self.metric && base(0.0, unit).1 == base(0.0, &self.unit).1;
        if known.iter().any(fits) {
            return Ok(());
        }
        let known: Vec<String> = known.iter().map(|(name, unit)| format!("{name} in {unit}")).collect();
        Err(format!(
            "{} in {}: nothing of that name and unit is {how}; expected one of {}",
            self.metric,
            self.unit,
            known.join(", ")
        ))
    }
}

/// Whether the recorder takes it as the name of a metric or of a split.
fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && text.len() <= 64
        && bytes.all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
}

/// The answer about one criterion.
#[derive(Clone, Debug, PartialEq)]
pub struct CriterionResult {
    /// The criterion in words.
    pub criterion: String,
    /// The answer.
    pub status: CriterionStatus,
    /// Why.
    pub reason: String,
    /// The number that was judged.
    pub metric: Option<Metric>,
}

/// Three answers; only `Met` counts as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CriterionStatus {
    /// It holds.
    Met,
    /// It does not hold.
    Missed,
    /// It cannot be said.
    NotJudged,
}

impl Criterion {
    /// The criterion in words.
    pub fn describe(&self) -> String {
        let sign = match self.direction {
            Direction::AtLeast => "≥",
            Direction::AtMost => "≤",
        };
        let split = if self.split.is_empty() {
            String::new()
        } else {
            format!("{} ", self.split)
        };
        format!(
            "{split}{} {sign} {} {} ({} evidence or stronger)",
            self.metric,
            self.threshold,
            self.unit,
            self.evidence.name()
        )
    }
}

/// The only conversion that is known to be right; values of other units are compared with their like alone.
///
/// It divides, which rounds correctly: 29 percent is the very 0.29 that a program writes; 0.29 * 100 is not 29.
pub(crate) fn base(value: f64, unit: &str) -> (f64, &str) {
    match unit {
        "percent" => (value / 100.0, "fraction"),
        other => (value, other),
    }
}
