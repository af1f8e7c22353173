//! A comparison that cannot be made is never a pass (faults I1, I2).

use crate::samples::{doubt, metric};
use interlock_domain::criteria::{Criterion, CriterionStatus, Direction, Evidence, Metric, UNITS};
use interlock_domain::doubt::DoubtKind;
use interlock_domain::owned::{FILES, tools};
use interlock_domain::scored::SCORED;

use CriterionStatus::{Met, Missed, NotJudged};
use Evidence::{Claimed, Observed, Recorded, Scored};

fn accuracy(threshold: f64, unit: &str) -> Criterion {
    Criterion {
        metric: "accuracy".to_owned(),
        split: "test".to_owned(),
        unit: unit.to_owned(),
        direction: Direction::AtLeast,
        threshold,
        evidence: Scored,
    }
}

fn scored(value: f64, unit: &str) -> Metric {
    metric(value, unit, Scored)
}

#[test]
fn values_are_compared_in_their_unit() {
    for (threshold, unit, value, of, status) in [
        (0.70, "fraction", 0.70, "fraction", Met),
        (0.70, "fraction", 0.71, "fraction", Met),
        (0.70, "fraction", 0.699_999, "fraction", Missed),
        (0.70, "fraction", 68.86, "percent", Missed),
        (0.70, "fraction", 70.0, "percent", Met),
        (0.70, "fraction", 0.70, "percent", Missed),
        (70.0, "percent", 0.6886, "fraction", Missed),
        (70.0, "percent", 0.7, "fraction", Met),
        // Each of these is exactly the threshold, though a product of doubles is not.
        (29.0, "percent", 0.29, "fraction", Met),
        (57.0, "percent", 0.57, "fraction", Met),
        (0.29, "fraction", 29.0, "percent", Met),
        // A number without its unit, or of another one, cannot be compared.
        (0.70, "fraction", 68.86, "", NotJudged),
        (0.70, "fraction", 0.9, "Fraction", NotJudged),
        (0.70, "fraction", 0.9, "ratio", NotJudged),
        (0.70, "percent", 0.9, "%", NotJudged),
        (0.70, "none", 68.86, "none", NotJudged),
        (3.0, "count", 3.0, "count", NotJudged),
    ] {
        let result = accuracy(threshold, unit).judge(&[scored(value, of)]);
        assert_eq!(
            result.status, status,
            "{value} {of} for {threshold} {unit}: {}",
            result.reason
        );
        assert!(!result.reason.is_empty() && result.metric.is_some());
    }
}

#[test]
fn at_most_is_the_other_way_round() {
    let error = |threshold| Criterion {
        metric: "error_rate".to_owned(),
        direction: Direction::AtMost,
        ..accuracy(threshold, "percent")
    };
    let scored = |value, unit| Metric {
        name: "error_rate".to_owned(),
        ..scored(value, unit)
    };
    for (threshold, value, of, status) in [
        (5.0, 5.0, "percent", Met),
        (5.0, 0.05, "fraction", Met),
        (5.0, 5.1, "percent", Missed),
        (5.0, 0.051, "fraction", Missed),
        (5.0, -1.0, "percent", Met),
        (5.0, f64::NEG_INFINITY, "percent", NotJudged),
        (5.0, 4.0, "rmse", NotJudged),
    ] {
        assert_eq!(
            error(threshold).judge(&[scored(value, of)]).status,
            status,
            "{value} {of}"
        );
    }
}

#[test]
fn what_is_no_number_is_not_judged() {
    for value in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for unit in ["fraction", "percent"] {
            let result = accuracy(0.5, "fraction").judge(&[scored(value, unit)]);
            assert_eq!(result.status, NotJudged, "{value} {unit}");
            // One of several is enough, wherever it stands.
            let good = || scored(0.9, "fraction");
            for metrics in [[scored(value, unit), good()], [good(), scored(value, unit)]] {
                assert_eq!(accuracy(0.5, "fraction").judge(&metrics).status, NotJudged, "{value}");
            }
        }
    }
    // Finite as it is, and not once it is converted: no way round by overflow.
    let huge = Criterion {
        unit: "percent".to_owned(),
        ..accuracy(0.5, "percent")
    };
    assert_ne!(huge.judge(&[scored(f64::NAN, "fraction")]).status, Met);
}

#[test]
fn another_metric_or_split_is_no_answer() {
    let goal = accuracy(0.5, "fraction");
    assert_eq!(goal.judge(&[]).status, NotJudged);
    for (name, split) in [
        ("rmse", "test"),
        ("smoke_metric", "test"),
        ("Accuracy", "test"),
        ("accuracy ", "test"),
        ("test_accuracy", "test"),
        ("accuracy", "train"),
        ("accuracy", "Test"),
        ("accuracy", ""),
    ] {
        let other = Metric {
            name: name.to_owned(),
            split: split.to_owned(),
            ..scored(1.0, "fraction")
        };
        let result = goal.judge(std::slice::from_ref(&other));
        assert_eq!((result.status, result.metric), (NotJudged, None), "{name} {split}");
        // Nor does it get in the way of the right one.
        assert_eq!(goal.judge(&[other.clone(), scored(0.6, "fraction")]).status, Met);
        assert_eq!(goal.judge(&[scored(0.4, "fraction"), other]).status, Missed);
    }
}

#[test]
fn evidence_that_is_too_weak_is_not_judged() {
    let strengths = [Claimed, Recorded, Scored, Observed];
    assert!(strengths.is_sorted());
    for wanted in strengths {
        for given in strengths {
            let goal = Criterion {
                evidence: wanted,
                ..accuracy(0.5, "fraction")
            };
            let status = goal.judge(&[metric(0.9, "fraction", given)]).status;
            assert_eq!(
                status,
                if given >= wanted { Met } else { NotJudged },
                "{given:?} for {wanted:?}"
            );
        }
    }
}

#[test]
fn the_strongest_value_is_judged_and_a_claim_cannot_outshine_it() {
    let goal = Criterion {
        evidence: Claimed,
        ..accuracy(0.5, "fraction")
    };
    for metrics in [
        [metric(0.99, "fraction", Claimed), metric(0.4, "fraction", Scored)],
        [metric(0.4, "fraction", Scored), metric(0.99, "fraction", Recorded)],
    ] {
        let result = goal.judge(&metrics);
        assert_eq!(result.status, Missed);
        assert_eq!(result.metric.map(|m| m.evidence), Some(Scored));
    }
    // A weaker value that is worse, or no number at all, does not undo a stronger one.
    for weaker in [0.1, f64::NAN] {
        let metrics = [metric(weaker, "fraction", Recorded), metric(0.9, "fraction", Scored)];
        assert_eq!(goal.judge(&metrics).status, Met);
    }
}

#[test]
fn of_equally_strong_values_the_worst_one_counts() {
    let goal = accuracy(0.7, "fraction");
    for values in [[0.9, 0.6, 0.8], [0.6, 0.9, 0.8], [0.9, 0.8, 0.6]] {
        let result = goal.judge(&values.map(|value| scored(value, "fraction")));
        assert_eq!((result.status, result.metric.map(|m| m.value)), (Missed, Some(0.6)));
    }
    // Worst by what is meant, not by the digits.
    let result = goal.judge(&[scored(0.71, "fraction"), scored(65.0, "percent")]);
    assert_eq!((result.status, result.metric.map(|m| m.value)), (Missed, Some(65.0)));
    let most = Criterion {
        metric: "error_rate".to_owned(),
        direction: Direction::AtMost,
        ..goal.clone()
    };
    let error = |value| Metric {
        name: "error_rate".to_owned(),
        ..scored(value, "fraction")
    };
    assert_eq!(most.judge(&[error(0.6), error(0.8)]).status, Missed);
    // One that cannot be compared leaves the question open.
    assert_eq!(
        goal.judge(&[scored(0.9, "fraction"), scored(0.9, "points")]).status,
        NotJudged
    );
}

#[test]
fn without_a_split_every_split_counts() {
    let goal = Criterion {
        split: String::new(),
        ..accuracy(0.7, "fraction")
    };
    let on = |split: &str, value| Metric {
        split: split.to_owned(),
        ..scored(value, "fraction")
    };
    for metrics in [
        [on("train", 0.99), on("test", 0.5)],
        [on("test", 0.5), on("train", 0.99)],
    ] {
        assert_eq!(goal.judge(&metrics).status, Missed, "nobody gets to choose the split");
    }
    assert_eq!(goal.judge(&[on("train", 0.9), on("test", 0.8)]).status, Met);
}

#[test]
fn a_direction_against_the_metrics_own_is_not_judged() {
    for (name, unit, direction, status) in [
        ("accuracy", "fraction", Direction::AtLeast, Met),
        ("accuracy", "fraction", Direction::AtMost, NotJudged),
        ("rmse", "none", Direction::AtMost, Met),
        ("rmse", "none", Direction::AtLeast, NotJudged),
        ("mae", "seconds", Direction::AtMost, Met),
        // Of a metric that nobody knows, the task says which side is good.
        ("perplexity", "none", Direction::AtMost, Met),
        ("perplexity", "none", Direction::AtLeast, Met),
    ] {
        let goal = Criterion {
            metric: name.to_owned(),
            unit: unit.to_owned(),
            direction,
            ..accuracy(0.5, "")
        };
        let value = Metric {
            name: name.to_owned(),
            ..scored(0.5, unit)
        };
        let result = goal.judge(&[value]);
        assert_eq!(result.status, status, "{name} {direction:?}: {}", result.reason);
    }
}

#[test]
fn what_a_doubt_bars_is_not_judged_and_the_rest_is() {
    let overlap = doubt(DoubtKind::SplitsOverlap, &["test"], false);
    let epochs = doubt(DoubtKind::Epochs, &[], true);
    let only_said = doubt(DoubtKind::ConfigDiffers, &[], false);
    let on = |split: &str, value, evidence| Metric {
        split: split.to_owned(),
        ..metric(value, "fraction", evidence)
    };
    let any = Criterion {
        split: String::new(),
        evidence: Recorded,
        ..accuracy(0.5, "fraction")
    };
    for (doubt, measured, status) in [
        (&only_said, on("test", 0.9, Scored), Met),
        (&only_said, on("test", 0.1, Scored), Missed),
        (&overlap, on("test", 0.9, Scored), NotJudged),
        (&overlap, on("test", 0.9, Recorded), NotJudged),
        // A value that would be too bad anyhow is worth as little.
        (&overlap, on("test", 0.1, Scored), NotJudged),
        (&overlap, on("", 0.9, Recorded), NotJudged),
        (&overlap, on("Test", 0.9, Recorded), NotJudged),
        (&overlap, on("validation", 0.9, Recorded), Met),
        (&overlap, on("test", 0.9, Observed), Met),
        (&epochs, on("validation", 0.9, Recorded), NotJudged),
        (&epochs, on("test", 0.9, Scored), NotJudged),
        (&epochs, on("", 0.9, Observed), Met),
    ] {
        let result = any.judge_despite(std::slice::from_ref(&measured), std::slice::from_ref(doubt));
        assert_eq!(result.status, status, "{doubt:?} {measured:?}: {}", result.reason);
        if status == NotJudged {
            assert_eq!(result.reason, doubt.message);
        }
    }
    // Where no split is named, one that is barred leaves it open, whichever is the worst.
    let both = [on("test", 0.99, Scored), on("other", 0.6, Scored)];
    assert_eq!(any.judge_despite(&both, &[overlap]).status, NotJudged);
    assert_eq!(any.judge(&both).status, Met);
}

#[test]
fn a_criterion_says_itself_in_words() {
    assert_eq!(
        accuracy(0.7, "fraction").describe(),
        "test accuracy ≥ 0.7 fraction (scored evidence or stronger)"
    );
    let open = Criterion {
        split: String::new(),
        direction: Direction::AtMost,
        ..accuracy(5.0, "percent")
    };
    assert_eq!(open.describe(), "accuracy ≤ 5 percent (scored evidence or stronger)");
}

/// Every name between quotes in the lines of `text` that `is_in` wants.
fn quoted(text: &str, is_in: impl Fn(&str) -> bool) -> Vec<String> {
    let lines = text.lines().filter(|line| is_in(line));
    let words = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
    words.map(str::to_owned).collect()
}

#[test]
fn what_can_be_asked_for_is_what_the_harness_can_measure() {
    let recorder = FILES.iter().find(|file| file.path == "src/recorder.py").unwrap();
    assert_eq!(quoted(recorder.content, |line| line.starts_with("UNITS = ")), UNITS);
    let scored = quoted(tools::SCORING[0].1, |line| {
        line.starts_with("    \"") && line.ends_with("),")
    });
    let ours: Vec<&str> = SCORED.iter().flat_map(|known| [known.name, known.unit]).collect();
    assert_eq!(scored, ours);
}
