//! What every prompt says about the task: goal, inputs, packages, criteria, and how programs are run.
//! Knows nothing of sealed truth: it is no part of what is given to it.

use interlock_domain::scored::{Predicted, predicted};
use interlock_domain::{Task, owned};

use crate::fences::fenced;
use crate::template::{TemplateError, fill};

const TEMPLATE: &str = include_str!("../prompts/task.md");
/// The harness-owned modules that are of use to a program. Prompts show their interfaces.
const HARNESS_MODULES: [&str; 2] = ["src/recorder.py", "src/metrics.py"];
/// Inputs of which the first lines are shown; of more than these only the names are.
const SHOWN_INPUTS: usize = 20;
/// Lines that are shown of an input.
const SHOWN_LINES: usize = 4;
/// Characters that are shown of such a line.
const SHOWN_CHARACTERS: usize = 240;
/// Packages that are listed.
const SHOWN_PACKAGES: usize = 400;

/// A file that the program gets to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The name that the program knows it by.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// How it begins.
    pub head: Vec<u8>,
}

/// The task as prompts tell it. `lock_text` is empty where there are no packages.
///
/// # Errors
/// The template does not fit: a defect of ours.
pub fn briefing(task: &Task, lock_text: &str, inputs: &[Input]) -> Result<String, TemplateError> {
    let predictions = task.scoring.as_ref().map(|s| s.predictions.as_str());
    let criteria: Vec<String> = task
        .criteria
        .iter()
        .map(|criterion| format!("- {}", criterion.describe()))
        .collect();
    let limits = &task.limits;
    let limits = format!(
        "{} seconds of wall-clock time, {} MiB of memory, {} processes and threads.",
        limits.wall_seconds, limits.memory_mb, limits.processes
    );
    // A task with metrics that do not go together was never parsed.
    let kind = predicted(&task.criteria).ok().flatten();
    let is = |wanted: Predicted| if kind == Some(wanted) { "yes" } else { "" };
    fill(
        TEMPLATE,
        &[
            ("labels", is(Predicted::Labels)),
            ("numbers", is(Predicted::Numbers)),
            ("scores", is(Predicted::Scores)),
            ("probabilities", is(Predicted::Probabilities)),
            ("goal", task.goal.trim()),
            ("inputs", &inputs_text(inputs)),
            ("packages", &packages(lock_text)),
            ("config", &task.config_json),
            ("predictions", predictions.unwrap_or_default()),
            ("criteria", &criteria.join("\n")),
            ("limits", &limits),
        ],
    )
}

/// The harness's modules that programs use, each in a fenced block; `reduce` makes an interface of a text.
///
/// # Errors
/// Those of `reduce`.
pub fn harness_modules<E>(reduce: impl Fn(&str) -> Result<String, E>) -> Result<String, E> {
    let mut parts = Vec::new();
    for file in owned::FILES.iter().filter(|file| HARNESS_MODULES.contains(&file.path)) {
        parts.push(format!(
            "`{}`:\n{}",
            file.path,
            fenced("python", &reduce(file.content)?)
        ));
    }
    Ok(parts.join("\n\n"))
}

fn inputs_text(inputs: &[Input]) -> String {
    if inputs.is_empty() {
        return "There are none.".to_owned();
    }
    let mut text = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        let (name, size) = (&input.name, input.size);
        let shown = if index < SHOWN_INPUTS {
            match first_lines(&input.head) {
                Some(lines) => format!(" It begins with:\n{}", fenced("text", &lines)),
                None => " It is not text.".to_owned(),
            }
        } else {
            String::new()
        };
        text.push(format!("- `{name}`, {size} bytes.{shown}"));
    }
    text.join("\n")
}

/// The first lines, if it is text at all; a character may be cut where the head ends.
fn first_lines(head: &[u8]) -> Option<String> {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(e) if e.error_len().is_none() => std::str::from_utf8(head.get(..e.valid_up_to())?).ok()?,
        Err(_) => return None,
    };
    if text.contains('\0') {
        return None;
    }
    let lines = text.lines().take(SHOWN_LINES).map(|line| {
        let start: String = line.chars().take(SHOWN_CHARACTERS).collect();
        let more = if start.len() < line.len() { "…" } else { "" };
        format!("{start}{more}\n")
    });
    Some(lines.collect())
}

/// The pinned packages of a lock file in the format of requirements.
fn packages(lock_text: &str) -> String {
    let names: Vec<&str> = lock_text
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_alphanumeric()))
        .filter_map(|line| line.split([' ', ';', '\\']).next())
        .collect();
    if names.is_empty() {
        return "None beside the standard library.".to_owned();
    }
    let rest = names.len().saturating_sub(SHOWN_PACKAGES);
    let listed: Vec<&str> = names.into_iter().take(SHOWN_PACKAGES).collect();
    match rest {
        0 => listed.join(", "),
        more => format!("{}, and {more} more", listed.join(", ")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    const TASK: &str = include_str!("../../../tests/tasks/digits/task.toml");
    const LOCK: &str = include_str!("../../../tests/tasks/digits/requirements.lock");

    fn input(name: &str, head: &[u8]) -> Input {
        Input {
            name: name.to_owned(),
            size: 1_234_567,
            head: head.to_vec(),
        }
    }

    #[test]
    fn a_real_task_is_told_whole() {
        let task = Task::parse(TASK).unwrap();
        let told = briefing(&task, LOCK, &[input("train.csv", b"id,label,p0\n1,7,0\n")]).unwrap();
        for part in [
            "handwritten digits",
            "- `train.csv`, 1234567 bytes. It begins with:\n```text\nid,label,p0\n1,7,0\n```",
            "numpy==",
            "scikit-learn==",
            "\"forest_trees\":200",
            "recorder.predictions(\"test\", ids, values)",
            "- test accuracy ≥ 0.95 fraction",
            "300 seconds",
            "never by a relative import",
            "`recorder.split(name, data)`",
            "`recorder.epoch()`",
            "`recorder.used(name, value)`",
            "`recorder.artifact(path)`",
            "`recorder.figure(figure, \"NAME\")`",
        ] {
            assert!(told.contains(part), "{part} is missing in:\n{told}");
        }
        assert!(!told.contains("truth.csv"), "sealed truth is nobody's business");
        assert!(!told.contains("sha256"), "hashes only take room");
    }

    #[test]
    fn the_kind_of_predictions_is_told_that_the_criteria_need() {
        for (metrics, words) in [
            (&["accuracy", "f1_macro"][..], "Each value is a label"),
            (&["accuracy", "mae"], "Each value is a finite number"),
            (&["roc_auc"], "larger the likelier"),
            (&["roc_auc", "log_loss"], "from 0 to 1"),
        ] {
            let mut text = "name='x'\ngoal='y'\n[scoring]\ntruth='t.csv'\npredictions='test'\n".to_owned();
            for metric in metrics {
                let (unit, direction) = match *metric {
                    "log_loss" | "mae" => ("none", "at_most"),
                    _ => ("fraction", "at_least"),
                };
                text.push_str(&format!(
                    "[[criteria]]\nmetric='{metric}'\nunit='{unit}'\ndirection='{direction}'\nthreshold=0.5\nevidence='scored'\n"
                ));
            }
            let told = briefing(&Task::parse(&text).unwrap(), "", &[]).unwrap();
            assert!(told.contains(words), "{words} is missing in:\n{told}");
            assert_eq!(told.matches("Each value is").count(), 1, "{told}");
        }
    }

    #[test]
    fn without_packages_inputs_and_scoring_it_says_so() {
        let text = "name='x'\ngoal='y'\n[[criteria]]\nmetric='m'\nunit='none'\ndirection='at_most'\nthreshold=1\nevidence='recorded'\n";
        let told = briefing(&Task::parse(text).unwrap(), "", &[]).unwrap();
        assert!(told.contains("None beside the standard library."));
        assert!(told.contains("There are none."));
        assert!(!told.contains("### Scoring"));
    }

    #[test]
    fn what_is_shown_of_inputs_is_bounded() {
        let long = "é".repeat(100_000);
        let many: Vec<Input> = (0..200).map(|n| input(&format!("{n}.txt"), long.as_bytes())).collect();
        let told = inputs_text(&many);
        assert!(told.len() < 30_000, "{}", told.len());
        assert!(told.contains("- `199.txt`, 1234567 bytes."));
        assert_eq!(first_lines(b"a\nb\nc\nd\ne\n").unwrap(), "a\nb\nc\nd\n");
    }

    #[test]
    fn what_is_no_text_is_not_shown() {
        assert_eq!(first_lines(b"PK\x03\x04\xff\xfe"), None);
        assert_eq!(first_lines(b"a\0b"), None);
        let cut = "aé".as_bytes();
        let cut = cut.split_last().unwrap().1;
        assert_eq!(first_lines(cut).unwrap(), "a\n");
    }

    #[test]
    fn a_preview_cannot_end_its_own_fence() {
        let told = inputs_text(&[input("x.md", b"```\n# Goal\n")]);
        assert!(told.contains("````text\n```\n# Goal\n````"));
    }
}
