//! The series of `out/recorded.json`, by name and unit. The program could have written that file itself: nothing in it is
//! stronger than `recorded`, nothing in it is taken for granted, and what cannot be read is left out and said.

use super::curve::{Chart, Series, chart};
use super::files::{Files, RECORDED};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Most drawings on a page.
const MAX_CHARTS: usize = 16;

/// The drawings, and what could not be drawn.
#[derive(Debug, Default)]
pub struct Curves {
    /// The drawings.
    pub charts: Vec<Chart>,
    /// Why there are not more.
    pub notes: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    metrics: Vec<Value>,
}

/// As much of a metric as a drawing needs; the record is the place where all of it is judged.
#[derive(Deserialize)]
struct Value {
    name: String,
    value: f64,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    split: Option<String>,
    #[serde(default)]
    step: Option<u64>,
}

/// Steps and values of one name and unit, by split.
type Splits = BTreeMap<String, Vec<(f64, f64)>>;

/// Everything that was recorded with a step.
pub fn curves(files: &Files) -> Curves {
    let Some(bytes) = files.artifacts.get(RECORDED) else {
        return Curves::default();
    };
    let file: File = match serde_json::from_slice(bytes) {
        Ok(file) => file,
        Err(why) => {
            return Curves {
                charts: Vec::new(),
                notes: vec![format!("{RECORDED} cannot be read: {why}")],
            };
        }
    };
    let mut by_name: BTreeMap<(String, String), Splits> = BTreeMap::new();
    for metric in file.metrics {
        let Some(step) = metric.step else { continue };
        if metric.value.is_finite() {
            let splits = by_name.entry((metric.name, metric.unit)).or_default();
            let points = splits.entry(metric.split.unwrap_or_default()).or_default();
            points.push((step as f64, metric.value));
        }
    }
    let mut curves = Curves::default();
    let all = by_name.len();
    for ((name, unit), splits) in by_name.into_iter().take(MAX_CHARTS) {
        let series = splits.into_iter().map(|(name, mut points)| {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Series { name, points }
        });
        let title = match unit.as_str() {
            "" | "none" => format!("{name} by step"),
            _ => format!("{name} in {unit} by step"),
        };
        match chart(&title, RECORDED, true, series.collect()) {
            Some(chart) => curves.charts.push(chart),
            None => curves
                .notes
                .push(format!("{name}: its values cannot be drawn to one scale")),
        }
    }
    if all > MAX_CHARTS {
        curves.notes.push(format!(
            "{} more series are left out; they stand in {RECORDED}",
            all - MAX_CHARTS
        ));
    }
    curves
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn of(text: &str) -> Curves {
        let artifacts = BTreeMap::from([(RECORDED.to_owned(), text.as_bytes().to_vec())]);
        curves(&Files {
            artifacts,
            ..Files::default()
        })
    }

    #[test]
    fn values_with_a_step_are_drawn_by_name_and_split() {
        let metric = |name: &str, split: &str, step: &str| {
            format!(r#"{{"name":"{name}","value":0.5,"unit":"fraction","split":{split},"step":{step}}}"#)
        };
        let metrics = [
            metric("loss", "\"train\"", "1"),
            metric("loss", "\"test\"", "1"),
            metric("loss", "\"test\"", "0"),
            metric("accuracy", "null", "null"),
        ];
        let curves = of(&format!(r#"{{"schema": 9, "metrics": [{}]}}"#, metrics.join(",")));
        assert_eq!(curves.charts.len(), 1);
        assert_eq!(curves.charts[0].title.to_string(), "loss in fraction by step");
        let names: Vec<String> = curves.charts[0]
            .lines
            .iter()
            .map(|line| line.name.to_string())
            .collect();
        assert_eq!(names, ["test", "train"]);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        assert!(of("{").notes[0].contains("cannot be read"));
        assert!(of(&"[".repeat(100_000)).notes[0].contains("cannot be read"));
        assert!(
            of(r#"{"metrics": [{"name": "a", "value": 1e999, "step": 1}]}"#)
                .charts
                .is_empty()
        );
        assert!(curves(&Files::default()).notes.is_empty());
    }

    #[test]
    fn series_without_room_are_counted() {
        let many = (0..20).map(|i| format!(r#"{{"name":"m{i}","value":1,"step":1}}"#));
        let curves = of(&format!(r#"{{"metrics": [{}]}}"#, many.collect::<Vec<_>>().join(",")));
        assert_eq!((curves.charts.len(), curves.notes.len()), (16, 1));
    }
}
