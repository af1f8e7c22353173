//! The metrics whose meaning is known: what the scorer can compute, from which predictions, and which values are good.
//! The scorer's own table is `python/harness/scorer.py`; a test compares the two.

use crate::criteria::{Criterion, Direction, Evidence, base};

/// What the scorer can compute, each in its unit, and which side of a threshold is good.
pub const SCORED: [Known; 17] = [
    Known::new("accuracy", "fraction", Direction::AtLeast, Predicted::Labels),
    Known::new("balanced_accuracy", "fraction", Direction::AtLeast, Predicted::Labels),
    Known::new("precision_macro", "fraction", Direction::AtLeast, Predicted::Labels),
    Known::new("precision_micro", "fraction", Direction::AtLeast, Predicted::Labels),
    Known::new("precision_weighted", "fraction", Direction::AtLeast, Predicted::Labels),
    Known::new("recall_macro", "fraction", Direction::AtLeast, Predicted::Labels),
    Known::new("recall_micro", "fraction", Direction::AtLeast, Predicted::Labels),
    Known::new("recall_weighted", "fraction", Direction::AtLeast, Predicted::Labels),
    Known::new("f1_macro", "fraction", Direction::AtLeast, Predicted::Labels),
    Known::new("f1_micro", "fraction", Direction::AtLeast, Predicted::Labels),
    Known::new("f1_weighted", "fraction", Direction::AtLeast, Predicted::Labels),
    Known::new("roc_auc", "fraction", Direction::AtLeast, Predicted::Scores),
    Known::new("log_loss", "none", Direction::AtMost, Predicted::Probabilities),
    Known::new("mae", "none", Direction::AtMost, Predicted::Numbers),
    Known::new("mse", "none", Direction::AtMost, Predicted::Numbers),
    Known::new("rmse", "none", Direction::AtMost, Predicted::Numbers),
    Known::new("r2", "none", Direction::AtLeast, Predicted::Numbers),
];
/// A metric whose meaning is known wherever its name occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Name.
    pub name: &'static str,
    /// The unit that the scorer gives it in; `none` stands for the unit of the target.
    pub unit: &'static str,
    /// Which values are good.
    pub good: Direction,
    /// What the predictions have to be.
    pub from: Predicted,
}

/// What predictions are, for the metrics that are computed from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicted {
    /// A label for each id.
    Labels,
    /// A number for each id.
    Numbers,
    /// A number for each id that is larger the likelier the greater of two labels is.
    Scores,
    /// The probability of the greater of two labels.
    Probabilities,
}

/// What the predictions have to be so that every one of these criteria can be scored; `None` where none is.
///
/// # Errors
/// Two of the metrics need predictions of different kinds, and there is one prediction for each id.
pub fn predicted(criteria: &[Criterion]) -> Result<Option<Predicted>, String> {
    let scored = criteria
        .iter()
        .filter(|criterion| criterion.evidence == Evidence::Scored);
    let mut found: Option<&Known> = None;
    for known in scored.filter_map(|criterion| known(&criterion.metric)) {
        let Some(before) = found else {
            found = Some(known);
            continue;
        };
        found = Some(match (before.from, known.from) {
            // Numbers may be labels, and a probability is a score: the stricter of the two is needed.
            (Predicted::Labels, Predicted::Labels | Predicted::Numbers)
            | (Predicted::Scores, Predicted::Scores | Predicted::Probabilities) => known,
            (Predicted::Numbers, Predicted::Labels | Predicted::Numbers)
            | (Predicted::Probabilities, Predicted::Scores | Predicted::Probabilities) => before,
            (Predicted::Labels | Predicted::Numbers, Predicted::Scores | Predicted::Probabilities)
            | (Predicted::Scores | Predicted::Probabilities, Predicted::Labels | Predicted::Numbers) => {
                return Err(format!(
                    "{} and {} cannot be scored from the same predictions: the one needs the likelihood of a label, the other \
                     the value itself; ask for one of them",
                    before.name, known.name
                ));
            }
        });
    }
    Ok(found.map(|known| known.from))
}

impl Known {
    const fn new(name: &'static str, unit: &'static str, good: Direction, from: Predicted) -> Self {
        Self { name, unit, good, from }
    }
}

/// What is known about the metric of this name.
pub(crate) fn known(name: &str) -> Option<&'static Known> {
    SCORED.iter().find(|known| known.name == name)
}

/// Why a criterion in this unit and direction says nothing about a known metric.
pub(crate) fn misfit(kind: &Known, unit: &str, direction: Direction) -> Option<String> {
    let name = kind.name;
    if kind.unit == "fraction" && base(0.0, unit).1 != "fraction" {
        return Some(format!(
            "{name} is a share, which {unit} cannot be; expected fraction or percent"
        ));
    }
    if kind.good == direction {
        return None;
    }
    Some(match kind.good {
        Direction::AtLeast => {
            format!("more {name} is better, so at_most does not ask for a good value; expected at_least")
        }
        Direction::AtMost => {
            format!("less {name} is better, so at_least does not ask for a good value; expected at_most")
        }
    })
}
