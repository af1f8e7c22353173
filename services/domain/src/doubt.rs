//! What speaks against numbers, although nothing is wrong with the numbers themselves (faults I3, I4): data that two
//! splits share, work that was asked for and not done. A doubt never makes a criterion met or missed; some leave it open.

use crate::criteria::{Evidence, Metric};

/// Something that was recorded about how the numbers came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// What kind of thing it is.
    pub kind: DoubtKind,
    /// One sentence, for people.
    pub message: String,
    /// No number over these splits can be judged.
    pub splits: Vec<String>,
    /// No number can be judged that the program's work is measured by, over whichever split.
    pub measured: bool,
}

/// The kinds of doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubtKind {
    /// Two splits share rows.
    SplitsOverlap,
    /// Two splits have the same rows.
    SplitsEqual,
    /// A split was compared in part only.
    SplitInPart,
    /// Another number of epochs was done than was asked for.
    Epochs,
    /// A value of the configuration was never read.
    ConfigNotUsed,
    /// The program worked with another value than the configuration asks for.
    ConfigDiffers,
    /// The program wrote a result of its own.
    OwnResult,
}

impl DoubtKind {
    /// The rule's name, as findings have one.
    pub const fn name(self) -> &'static str {
        match self {
            DoubtKind::SplitsOverlap => "evidence/splits-overlap",
            DoubtKind::SplitsEqual => "evidence/splits-equal",
            DoubtKind::SplitInPart => "evidence/split-in-part",
            DoubtKind::Epochs => "evidence/epochs",
            DoubtKind::ConfigNotUsed => "evidence/config-not-used",
            DoubtKind::ConfigDiffers => "evidence/config-differs",
            DoubtKind::OwnResult => "evidence/own-result",
        }
    }
}

impl Doubt {
    /// Whether it leaves open what `metric` is worth. What was seen from outside is none of the program's work; a
    /// number that does not say its split may be over any.
    pub fn bars(&self, metric: &Metric) -> bool {
        let is_over = |split: &String| metric.split.is_empty() || split.eq_ignore_ascii_case(&metric.split);
        let over_split = self.splits.iter().any(is_over);
        metric.evidence != Evidence::Observed && (self.measured || over_split)
    }
}
