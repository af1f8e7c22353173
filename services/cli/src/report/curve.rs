//! Series of numbers as line drawings: a scale, ticks, and one line per series. Pure geometry, in the page's own units.
//!
//! It draws whatever series it is given, by step or by second; what a number means and how strong it is stands elsewhere.

use super::shown::Shown;
use crate::view::text::number;
use std::fmt;

/// Size of a drawing and the room beside its area, in the units of its view box.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 28.0;
/// Most points of a line: twice as many as can be told apart.
const MAX_POINTS: usize = 1_200;
/// Most lines of one drawing: as many as the page has colours for.
const MAX_LINES: usize = 6;

/// Some values of one thing, each at its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What tells it from the other lines of the drawing.
    pub name: String,
    /// Place and value, both finite, in the order of the places.
    pub points: Vec<(f64, f64)>,
}

/// A drawing.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What is drawn.
    pub title: Shown,
    /// Where its numbers come from.
    pub source: Shown,
    /// Marks of the upright axis.
    pub rows: Vec<Tick>,
    /// Marks of the level axis.
    pub columns: Vec<Tick>,
    /// The lines.
    pub lines: Vec<Line>,
    /// Lines for which there is no room.
    pub left_out: usize,
}

/// A mark of an axis.
#[derive(Clone, Debug)]
pub struct Tick {
    /// Where.
    pub at: Shown,
    /// What it says.
    pub label: Shown,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name.
    pub name: Shown,
    /// Its points as SVG writes them.
    pub points: Points,
    /// A single value, which no line can show.
    pub dot: Option<(Shown, Shown)>,
    /// Its values in words, for whoever cannot see it.
    pub said: Shown,
}

/// Pairs of numbers as SVG writes them. Only made here.
#[derive(Clone, Debug)]
pub struct Points(String);

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// From values to places on the drawing.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Over all values; a single one stands in the middle.
    fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Option<Self> {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        // A difference that is no number has no middle either: such values cannot be drawn to one scale.
        if !(low <= high && (high - low).is_finite()) {
            return None;
        }
        let around = if high > low { 0.0 } else { low.abs().max(1.0) / 2.0 };
        let (low, high) = (low - around, high + around);
        Some(Self { low, high, from, to })
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round numbers within the scale, some four of them.
    fn ticks(&self, whole: bool) -> Vec<(f64, Shown)> {
        let rough = (self.high - self.low) / 4.0;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
        let step = steps.into_iter().find(|step| *step >= rough).unwrap_or(rough);
        let step = if whole { step.max(1.0) } else { step };
        let first = (self.low / step).ceil();
        (0..8)
            .map(|index| (first + f64::from(index)) * step)
            .take_while(|value| *value <= self.high)
            .map(|value| (self.at(value), Shown::line(&number(value))))
            .collect()
    }
}

/// Draws some series to one scale; nothing where there is nothing to draw.
pub fn chart(title: &str, source: &str, whole_places: bool, mut series: Vec<Series>) -> Option<Chart> {
    series.retain(|one| !one.points.is_empty());
    let left_out = series.len().saturating_sub(MAX_LINES);
    series.truncate(MAX_LINES);
    let all = || series.iter().flat_map(|one| &one.points);
    let across = Scale::over(all().map(|(place, _)| *place), LEFT, WIDTH - RIGHT)?;
    let up = Scale::over(all().map(|(_, value)| *value), HEIGHT - BOTTOM, TOP)?;
    let ticks = |scale: &Scale, whole| {
        let marks = scale.ticks(whole).into_iter();
        marks.map(|(at, label)| Tick { at: place(at), label }).collect()
    };
    Some(Chart {
        title: Shown::line(title),
        source: Shown::line(source),
        rows: ticks(&up, false),
        columns: ticks(&across, whole_places),
        lines: series.iter().map(|one| line(one, &across, &up)).collect(),
        left_out,
    })
}

fn line(series: &Series, across: &Scale, up: &Scale) -> Line {
    let drawn: Vec<(f64, f64)> = series.points.iter().map(|(x, y)| (across.at(*x), up.at(*y))).collect();
    let points: Vec<String> = thinned(&drawn).iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dot = match drawn.as_slice() {
        [(x, y)] => Some((place(*x), place(*y))),
        _ => None,
    };
    Line {
        name: Shown::line(if series.name.is_empty() { "all" } else { &series.name }),
        points: Points(points.join(" ")),
        dot,
        said: Shown::line(&said(&series.points)),
    }
}

fn said(points: &[(f64, f64)]) -> String {
    let values = || points.iter().map(|(_, value)| *value);
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    match (points.first(), points.last()) {
        (Some((from, first)), Some((to, last))) if points.len() > 1 => format!(
            "{} at {}, {} at {}; lowest {}, highest {}, {} values",
            number(*first),
            number(*from),
            number(*last),
            number(*to),
            number(low),
            number(high),
            points.len()
        ),
        (Some((at, value)), _) => format!("{} at {}", number(*value), number(*at)),
        (None, _) => String::new(),
    }
}

/// Of many points the lowest and the highest of each stretch, so that no peak is lost.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= MAX_POINTS {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil(MAX_POINTS / 2);
    let mut kept = Vec::new();
    for some in points.chunks(stretch) {
        let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let ends = some.iter().min_by(by_value).zip(some.iter().max_by(by_value));
        if let Some((low, high)) = ends {
            let (first, second) = if low.0 <= high.0 { (low, high) } else { (high, low) };
            kept.push(*first);
            if first != second {
                kept.push(*second);
            }
        }
    }
    kept
}

fn place(at: f64) -> Shown {
    Shown::line(&format!("{at:.1}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn one(points: Vec<(f64, f64)>) -> Option<Chart> {
        let name = "validation".to_owned();
        chart("loss", "recorded", true, vec![Series { name, points }])
    }

    #[test]
    fn values_stand_where_their_scale_says() {
        let chart = one(vec![(0.0, 0.0), (5.0, 1.0), (10.0, 0.5)]).unwrap();
        let line = &chart.lines[0];
        assert_eq!(line.points.to_string(), "64.0,212.0 346.0,12.0 628.0,112.0");
        assert_eq!(
            line.said.to_string(),
            "0 at 0, 0.5 at 10; lowest 0, highest 1, 3 values"
        );
        let labels: Vec<String> = chart.rows.iter().map(|tick| tick.label.to_string()).collect();
        assert_eq!(labels, ["0", "0.5", "1"]);
        assert!(chart.columns.len() >= 2);
    }

    #[test]
    fn whatever_the_numbers_are_the_drawing_stays_within_its_bounds() {
        let edges = [
            vec![(0.0, 7.0)],
            vec![(0.0, 0.0), (1.0, 0.0)],
            vec![(0.0, 1e-300), (1.0, 2e-300)],
            vec![(0.0, -1e300), (1e15, 1e300)],
            (0..100_000).map(|i| (f64::from(i), f64::from(i).sin())).collect(),
        ];
        for points in edges {
            let chart = one(points.clone()).unwrap();
            let line = chart.lines[0].points.to_string();
            assert!(line.split(' ').count() <= MAX_POINTS);
            for pair in line.split(' ') {
                let (x, y) = pair.split_once(',').unwrap();
                let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
                assert!((0.0..=WIDTH).contains(&x) && (0.0..=HEIGHT).contains(&y), "{pair}");
            }
            assert_eq!(chart.lines[0].dot.is_some(), points.len() == 1);
        }
        assert!(one(Vec::new()).is_none());
        assert!(one(vec![(0.0, f64::MIN), (1.0, f64::MAX)]).is_none());
    }

    #[test]
    fn lines_without_room_are_counted() {
        let series = (0..9).map(|i| Series {
            name: i.to_string(),
            points: vec![(0.0, 1.0)],
        });
        let chart = chart("loss", "recorded", true, series.collect()).unwrap();
        assert_eq!((chart.lines.len(), chart.left_out), (6, 3));
    }
}
