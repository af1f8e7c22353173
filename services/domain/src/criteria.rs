//! Acceptance criteria and their judgement: met, missed or not judged, and never a pass by default.

use serde::Deserialize;

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
    /// Checks what a threshold has to be; `scored` says whether the task has sealed truth.
    pub fn validate(self, scored: bool) -> Result<Criterion, String> {
        if self.metric.trim().is_empty() || self.unit.trim().is_empty() {
            return Err("metric and unit must not be empty".to_owned());
        }
        if !self.threshold.is_finite() {
            return Err(format!("{}: the threshold is not a finite number", self.metric));
        }
        if self.evidence == Evidence::Scored && !scored {
            return Err(format!(
                "{}: scored evidence needs a [scoring] table with sealed truth",
                self.metric
            ));
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

    /// Judges it by the strongest fitting metric.
    pub fn judge(&self, metrics: &[Metric]) -> CriterionResult {
        let named: Vec<&Metric> = metrics
            .iter()
            .filter(|m| m.name == self.metric && (self.split.is_empty() || m.split == self.split))
            .collect();
        let strongest = named.iter().max_by_key(|m| m.evidence);
        let Some(metric) = strongest else {
            return self.not_judged("no such metric was measured", None);
        };
        if metric.evidence < self.evidence {
            return self.not_judged(
                &format!(
                    "the only value is {}, which is weaker than {}",
                    metric.evidence.name(),
                    self.evidence.name()
                ),
                Some(metric),
            );
        }
        // Of several equally strong values the worst one counts: nobody gets to choose.
        let rivals = named.iter().filter(|m| m.evidence == metric.evidence);
        let (threshold, unit) = base(self.threshold, &self.unit);
        let mut worst: Option<(f64, &Metric)> = None;
        for rival in rivals {
            let (value, of) = base(rival.value, &rival.unit);
            if of != unit {
                return self.not_judged(
                    &format!("{} cannot be compared with {}", rival.unit, self.unit),
                    Some(rival),
                );
            }
            if !value.is_finite() {
                return self.not_judged("the value is not a finite number", Some(rival));
            }
            let is_worse = worst.is_none_or(|(so_far, _)| match self.direction {
                Direction::AtLeast => value < so_far,
                Direction::AtMost => value > so_far,
            });
            if is_worse {
                worst = Some((value, rival));
            }
        }
        let Some((value, metric)) = worst else {
            return self.not_judged("no such metric was measured", None);
        };
        let met = match self.direction {
            Direction::AtLeast => value >= threshold,
            Direction::AtMost => value <= threshold,
        };
        CriterionResult {
            criterion: self.describe(),
            status: if met {
                CriterionStatus::Met
            } else {
                CriterionStatus::Missed
            },
            reason: format!(
                "{} {} {} ({})",
                metric.name,
                metric.value,
                metric.unit,
                metric.evidence.name()
            ),
            metric: Some(metric.clone()),
        }
    }

    fn not_judged(&self, reason: &str, metric: Option<&Metric>) -> CriterionResult {
        CriterionResult {
            criterion: self.describe(),
            status: CriterionStatus::NotJudged,
            reason: reason.to_owned(),
            metric: metric.cloned(),
        }
    }
}

/// The only conversion that is known to be right; values of other units are compared with their like alone.
///
/// It divides, which rounds correctly: 29 percent is the very 0.29 that a program writes; 0.29 * 100 is not 29.
fn base(value: f64, unit: &str) -> (f64, &str) {
    match unit {
        "percent" => (value / 100.0, "fraction"),
        other => (value, other),
    }
}
