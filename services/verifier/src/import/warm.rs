//! A warm interpreter first; whatever it does not pass, fresh ones decide.

use super::fresh::{self, Fresh};
use super::{Answer, Question, Report};
use crate::fork_servers::Request;
use crate::toolbox::{Bench, ToolError};
use crate::workshop::Workshop;
use std::collections::BTreeMap;
use tokio_util::sync::CancellationToken;

/// What was found out about the files of a question.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Files that passed in a warm interpreter.
    pub(super) warm: Vec<String>,
    /// What fresh interpreters said about others.
    pub(super) fresh: Vec<Report>,
}

/// Asks about every file; the error side of the inner result is an answer that stands for all of them.
pub(super) async fn ask(
    bench: &Bench,
    workshop: &Workshop,
    question: Question<'_>,
    cancel: &CancellationToken,
) -> Result<Result<Asked, Answer>, ToolError> {
    let request = Request {
        folder: bench.folder().to_owned(),
        files: question.files.to_vec(),
        compile: Vec::new(),
        timeout: question.each.as_secs(),
        memory: question.memory_bytes,
    };
    let mut asked = Asked::default();
    let servers = &workshop.servers;
    let said = servers
        .ask(question.environment, question.preload, request, cancel)
        .await;
    let in_order = said.and_then(|warm| in_order(warm.reports, question.files));
    let (passed, mut open) = match in_order {
        Some(reports) => reports.into_iter().partition(Report::passed),
        None => (
            Vec::new(),
            question.files.iter().map(|path| Report::unknown(path)).collect(),
        ),
    };
    asked.warm = passed.into_iter().map(|report: Report| report.path).collect();
    while !open.is_empty() {
        // One file stands for all that fail in the same place; if it passes, the others are asked as well.
        let (files, like_them) = first_of_each_cause(open);
        let some = Question {
            files: &files,
            ..question
        };
        let reports = match fresh::ask(bench, &workshop.sandbox, some, cancel).await? {
            Fresh::Reports(reports) => reports,
            Fresh::Ended(answer) => return Ok(Err(answer)),
        };
        let failed = |path: &str| reports.iter().any(|report| report.path == path && !report.passed());
        let to_ask = like_them.into_iter().filter(|(_, first)| !failed(first));
        open = to_ask.map(|(report, _)| report).collect();
        asked.fresh.extend(reports);
    }
    Ok(Ok(asked))
}

/// The reports in the order of the files; `None` where they are not about exactly these.
fn in_order(reports: Vec<Report>, files: &[String]) -> Option<Vec<Report>> {
    let mut by_path: BTreeMap<String, Report> = BTreeMap::new();
    for report in reports {
        by_path.insert(report.path.clone(), report);
    }
    let ordered: Option<Vec<Report>> = files.iter().map(|path| by_path.remove(path)).collect();
    ordered.filter(|_| by_path.is_empty())
}

/// The first file of each cause, and the others with the path of theirs.
fn first_of_each_cause(reports: Vec<Report>) -> (Vec<String>, Vec<(Report, String)>) {
    let (mut firsts, mut others): (Vec<Report>, Vec<(Report, String)>) = Default::default();
    for report in reports {
        match firsts.iter().find(|first| first.same_cause(&report)) {
            Some(first) => others.push((report, first.path.clone())),
            None => firsts.push(report),
        }
    }
    (firsts.into_iter().map(|first| first.path).collect(), others)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn report(path: &str, outcome: &str, file: &str, line: u32) -> Report {
        let text = format!(
            r#"{{"path": "{path}", "outcome": "{outcome}", "exception":
                {{"type": "KeyError", "message": "{path}", "file": "{file}", "line": {line}}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_file_too_many_or_too_few_is_no_answer() {
        let files = ["a".to_owned(), "b".to_owned()];
        let some = |paths: &[&str]| paths.iter().map(|path| report(path, "passed", "a", 1)).collect();
        assert!(in_order(some(&["b", "a"]), &files).is_some());
        for paths in [&["a"][..], &["a", "b", "c"], &[]] {
            assert!(in_order(some(paths), &files).is_none(), "{paths:?}");
        }
    }

    #[test]
    fn only_what_was_raised_in_the_same_place_is_alike() {
        let reports = vec![
            report("a", "failed", "m", 3),
            report("b", "failed", "m", 3),
            report("c", "failed", "m", 4),
            report("d", "timed_out", "m", 3),
            Report::unknown("e"),
            Report::unknown("f"),
        ];
        let (firsts, others) = first_of_each_cause(reports);
        assert_eq!(firsts, ["a", "c", "d", "e", "f"]);
        let others: Vec<_> = others.iter().map(|(report, first)| (&*report.path, &**first)).collect();
        assert_eq!(others, [("b", "a")]);
    }
}
