//! How a criterion is judged: by the strongest evidence, by the worst of equally strong values, and not at all where a
//! comparison cannot be made (faults I1, I2).

use crate::criteria::{Criterion, CriterionResult, CriterionStatus, Direction, Metric, base};
use crate::doubt::Doubt;
use crate::scored::{known, misfit};

impl Criterion {
    /// Judges it by the strongest fitting metric, where nothing speaks against the numbers.
    pub fn judge(&self, metrics: &[Metric]) -> CriterionResult {
        self.judge_despite(metrics, &[])
    }

    /// Judges it by the strongest fitting metric; what a doubt bars is left open.
    pub fn judge_despite(&self, metrics: &[Metric], doubts: &[Doubt]) -> CriterionResult {
        let named: Vec<&Metric> = metrics
            .iter()
            .filter(|m| m.name == self.metric && (self.split.is_empty() || m.split == self.split))
            .collect();
        let Some(strongest) = named.iter().max_by_key(|m| m.evidence) else {
            return self.not_judged("no such metric was measured", None);
        };
        if strongest.evidence < self.evidence {
            let reason = format!(
                "the only value is {}, which is weaker than {}",
                strongest.evidence.name(),
                self.evidence.name()
            );
            return self.not_judged(&reason, Some(strongest));
        }
        if let Some(why) = known(&self.metric).and_then(|kind| misfit(kind, &self.unit, self.direction)) {
            return self.not_judged(&why, Some(strongest));
        }
        // Of several equally strong values the worst one counts: nobody gets to choose.
        let rivals = named.iter().filter(|m| m.evidence == strongest.evidence);
        let mut worst: Option<(f64, &Metric)> = None;
        for rival in rivals {
            let value = match self.comparable(rival, doubts) {
                Ok(value) => value,
                Err(why) => return self.not_judged(&why, Some(rival)),
            };
            let is_worse = worst.is_none_or(|(so_far, _)| match self.direction {
                Direction::AtLeast => value < so_far,
                Direction::AtMost => value > so_far,
            });
            if is_worse {
                worst = Some((value, rival));
            }
        }
        match worst {
            Some((value, metric)) => self.compared(value, metric),
            None => self.not_judged("no such metric was measured", None),
        }
    }

    /// The value in the unit of the threshold, or why it cannot be compared with it.
    fn comparable(&self, metric: &Metric, doubts: &[Doubt]) -> Result<f64, String> {
        let (value, unit) = base(metric.value, &metric.unit);
        if unit != base(self.threshold, &self.unit).1 {
            return Err(format!("{} cannot be compared with {}", metric.unit, self.unit));
        }
        if !value.is_finite() {
            return Err("the value is not a finite number".to_owned());
        }
        match doubts.iter().find(|doubt| doubt.bars(metric)) {
            Some(doubt) => Err(doubt.message.clone()),
            None => Ok(value),
        }
    }

    fn compared(&self, value: f64, metric: &Metric) -> CriterionResult {
        let threshold = base(self.threshold, &self.unit).0;
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
