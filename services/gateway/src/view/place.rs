//! Where in a run something is stored, as its subject says.
//!
//! A subject is only ever accepted in its one canonical spelling.

use interlock_domain::authority::record_stream;
use interlock_domain::record::{control_subject, run_of_subject, subject};
use interlock_domain::{RunId, Stage};

/// A place in a run's chain or in the lane of controls beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Record number `seq`, if `stage` writes it.
    Record {
        /// Number in the chain, from 1.
        seq: u64,
        /// Whose subject it is.
        stage: Stage,
    },
    /// Control number `k`, from 1.
    Control {
        /// Number in the lane.
        k: u64,
    },
}

impl Place {
    /// The run and the place that a stored subject names.
    pub(crate) fn of_subject(text: &str) -> Option<(RunId, Place)> {
        let run = run_of_subject(text)?;
        let parts: Vec<&str> = text.split('.').collect();
        let place = match parts.as_slice() {
            ["evt", stage, _, seq] => Place::Record {
                seq: seq.parse().ok()?,
                stage: stage.parse().ok()?,
            },
            ["ctl", _, k] => Place::Control { k: k.parse().ok()? },
            _ => return None,
        };
        (place.subject(run) == text).then_some((run, place))
    }

    /// The subject of this place in `run`.
    pub(crate) fn subject(self, run: RunId) -> String {
        match self {
            Place::Record { seq, stage } => subject(stage, run, seq),
            Place::Control { k } => control_subject(run, k),
        }
    }

    /// The stream that holds it.
    pub(crate) fn stream(self) -> String {
        match self {
            Place::Record { stage, .. } => record_stream(stage),
            Place::Control { .. } => record_stream(Stage::Gateway),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Place;
    use interlock_domain::Stage;

    const RUN: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

    #[test]
    fn a_subject_and_its_place_name_each_other() {
        let cases = [
            (
                format!("evt.verifier.{RUN}.7"),
                Place::Record {
                    seq: 7,
                    stage: Stage::Verifier,
                },
            ),
            (format!("ctl.{RUN}.1"), Place::Control { k: 1 }),
        ];
        for (text, expected) in cases {
            let (run, place) = Place::of_subject(&text).unwrap();
            assert_eq!(place, expected);
            assert_eq!(place.subject(run), text);
        }
    }

    #[test]
    fn anything_else_names_no_place() {
        for text in [
            String::new(),
            "evt".into(),
            "evt.verifier.x.7".into(),
            format!("evt.nobody.{RUN}.7"),
            format!("evt.verifier.{RUN}.07"),
            format!("evt.verifier.{RUN}.+7"),
            format!("evt.verifier.{RUN}.-7"),
            format!("evt.verifier.{RUN}.7.8"),
            format!("evt.verifier.{}.7", RUN.to_lowercase()),
            format!("evt.verifier.{RUN}.99999999999999999999"),
            format!("ctl.{RUN}"),
            format!("ctl.{RUN}.x"),
            format!("blob.{RUN}.1"),
        ] {
            assert_eq!(Place::of_subject(&text), None, "{text}");
        }
    }
}
