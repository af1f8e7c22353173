//! What the recorder noted beside numbers: data, epochs, values that the program worked with. Strength `recorded`; an
//! older recorder noted none of it, and what is not as expected is left out: judging it is the executor's part.

use super::files::{Files, RECORDED};
use super::shown::{Listed, Shown};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Most rows of each table.
const MAX_ROWS: usize = 100;

/// Everything that was noted.
#[derive(Debug)]
pub struct Noted {
    /// The data that the program said it used.
    pub splits: Listed<SplitRow>,
    /// Rows that two splits share.
    pub overlaps: Listed<Shown>,
    /// Epochs that were really counted, by model.
    pub epochs: Listed<(Shown, u64)>,
    /// Values that the program worked with, beside those that it was given.
    pub used: Listed<UsedRow>,
}

/// One split of the data.
#[derive(Debug)]
pub struct SplitRow {
    /// Name, with its fold.
    pub name: Shown,
    /// What it is for.
    pub role: Shown,
    /// How many rows were looked at, and whether that is all.
    pub rows: Shown,
    /// Digest of its content.
    pub digest: Shown,
}

/// A value of the configuration.
#[derive(Debug)]
pub struct UsedRow {
    /// Its name.
    pub name: Shown,
    /// What the task gives.
    pub given: Shown,
    /// What the program says it used.
    pub used: Shown,
    /// Whether that is the same.
    pub tone: &'static str,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    splits: Vec<Split>,
    overlaps: Vec<Overlap>,
    epochs: BTreeMap<String, u64>,
    config: Config,
}

#[derive(Deserialize)]
struct Split {
    name: String,
    #[serde(default)]
    role: String,
    fold: Option<u64>,
    rows: u64,
    #[serde(default)]
    complete: bool,
    #[serde(default)]
    digest: String,
}

#[derive(Deserialize)]
struct Overlap {
    first: usize,
    second: usize,
    rows: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Config {
    received: Value,
    used: Vec<Used>,
}

#[derive(Deserialize)]
struct Used {
    name: String,
    value: Value,
}

/// What was noted; `None` where nothing was.
pub fn noted(files: &Files) -> Option<Noted> {
    let file: File = serde_json::from_slice(files.artifacts.get(RECORDED)?).ok()?;
    let name = |at: usize| {
        file.splits
            .get(at)
            .map_or_else(|| format!("split {at}"), Split::full_name)
    };
    let overlaps = file.overlaps.iter().map(|overlap| {
        let (first, second) = (name(overlap.first), name(overlap.second));
        Shown::line(&format!("{first} and {second} share {} rows", overlap.rows))
    });
    let noted = Noted {
        overlaps: Listed::first(overlaps.collect(), MAX_ROWS),
        splits: Listed::first(file.splits.iter().map(Split::row).collect(), MAX_ROWS),
        epochs: Listed::first(
            file.epochs
                .iter()
                .map(|(model, count)| (Shown::line(model), *count))
                .collect(),
            MAX_ROWS,
        ),
        used: Listed::first(
            file.config
                .used
                .iter()
                .map(|used| used.row(&file.config.received))
                .collect(),
            MAX_ROWS,
        ),
    };
    let is_empty = noted.splits.is_empty() && noted.epochs.is_empty() && noted.used.is_empty();
    (!is_empty).then_some(noted)
}

impl Split {
    fn full_name(&self) -> String {
        match self.fold {
            Some(fold) => format!("{} (fold {fold})", self.name),
            None => self.name.clone(),
        }
    }

    fn row(&self) -> SplitRow {
        let part = if self.complete { "" } else { ", not all of them" };
        SplitRow {
            name: Shown::line(&self.full_name()),
            role: Shown::line(&self.role),
            rows: Shown::line(&format!("{}{part}", self.rows)),
            digest: Shown::line(&self.digest),
        }
    }
}

impl Used {
    /// Beside what the configuration says under that name, where it says something; `model.depth` is an inner value.
    fn row(&self, received: &Value) -> UsedRow {
        let inner = || self.name.split('.').try_fold(received, |value, part| value.get(part));
        let given = received.get(&self.name).or_else(inner);
        UsedRow {
            name: Shown::line(&self.name),
            given: given.map(Shown::of).unwrap_or_default(),
            used: Shown::of(&self.value),
            tone: match given {
                Some(given) if *given != self.value => "warn",
                Some(_) | None => "plain",
            },
        }
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::unwrap_used)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Noted> {
        let artifacts = BTreeMap::from([(RECORDED.to_owned(), text.as_bytes().to_vec())]);
        noted(&Files {
            artifacts,
            ..Files::default()
        })
    }

    #[test]
    fn data_epochs_and_values_are_told() {
        let noted = of(r#"{"schema": 1, "metrics": [],
            "splits": [{"name": "train", "role": "train", "fold": 1, "rows": 90, "complete": true, "digest": "ab"},
                       {"name": "test", "role": "test", "fold": null, "rows": 10, "complete": false, "digest": "cd"}],
            "overlaps": [{"first": 0, "second": 1, "rows": 3}, {"first": 7, "second": 1, "rows": 1}],
            "epochs": {"model": 5},
            "config": {"received": {"optimizer": "sgd", "model": {"depth": 3}}, "read": [],
                       "used": [{"name": "optimizer", "value": "adamw"}, {"name": "model.depth", "value": 3}]}}"#)
        .unwrap();
        assert_eq!(noted.splits.shown[1].rows.to_string(), "10, not all of them");
        assert_eq!(
            noted.overlaps.shown[0].to_string(),
            "train (fold 1) and test share 3 rows"
        );
        assert_eq!(noted.overlaps.shown[1].to_string(), "split 7 and test share 1 rows");
        assert_eq!(noted.epochs.shown[0].1, 5);
        let tones: Vec<&str> = noted.used.shown.iter().map(|row| row.tone).collect();
        assert_eq!(tones, ["warn", "plain"]);
        assert_eq!(noted.used.shown[0].given.to_string(), "\"sgd\"");
    }

    #[test]
    fn what_an_older_recorder_wrote_has_none_of_it() {
        assert!(of(r#"{"schema": 1, "metrics": []}"#).is_none());
        assert!(of(r#"{"splits": "forged"}"#).is_none());
        assert!(of("\0").is_none());
    }
}
