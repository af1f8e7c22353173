//! What was checked and what was mended.

use super::files::Files;
use super::shown::{Listed, Shown};
use crate::view::text::{count, span};
use crate::view::{Run, line};
use interlock_domain::payload::{Payload, Verdict};
use interlock_domain::shown::source_line;
use interlock_domain::{CheckAnswer, CheckResult, Finding};

/// Most findings of one check that are shown in full.
const MAX_FINDINGS: usize = 50;
/// Most repairs that are listed.
const MAX_REPAIRS: usize = 200;

/// The last verdict.
#[derive(Debug)]
pub struct Checked {
    /// Number of its record.
    pub seq: u64,
    /// What was checked, and in what.
    pub what: Shown,
    /// How many checks gave which answer.
    pub counts: Shown,
    /// Every check.
    pub checks: Vec<CheckRow>,
    /// The verdicts before it, the newest first.
    pub earlier: Listed<VerdictRow>,
}

/// One check's answer.
#[derive(Debug)]
pub struct CheckRow {
    /// The answer in a word or two.
    pub answer: &'static str,
    /// Whether that is good.
    pub tone: &'static str,
    /// Name and version.
    pub name: Shown,
    /// What was run, or why it was not.
    pub what: Shown,
    /// How often it had no opinion.
    pub no_opinion: Shown,
    /// What it found.
    pub findings: Listed<Found>,
}

/// A finding with its source lines.
#[derive(Debug)]
pub struct Found {
    /// Rule.
    pub rule: Shown,
    /// Where.
    pub at: Shown,
    /// What is wrong.
    pub message: Shown,
    /// The lines that it is about.
    pub source: Shown,
}

/// A verdict in a line.
#[derive(Debug)]
pub struct VerdictRow {
    /// Number of its record.
    pub seq: u64,
    /// Whether that is good.
    pub tone: &'static str,
    /// The line.
    pub said: Shown,
}

/// A file that was written again.
#[derive(Debug)]
pub struct Repair {
    /// Number of the record.
    pub seq: u64,
    /// Which file.
    pub path: Shown,
    /// Which answer of the model's.
    pub answer: u32,
    /// What had been found.
    pub because: Shown,
}

/// The last verdict and those before it; `None` before the first.
pub fn checked(run: &Run, files: &Files) -> Option<Checked> {
    let mut verdicts: Vec<(u64, &Verdict, VerdictRow)> = Vec::new();
    for record in &run.records {
        if let Payload::Verdict(verdict) = &record.payload {
            let row = VerdictRow {
                seq: record.seq,
                tone: if verdict.passed() { "good" } else { "bad" },
                said: Shown::line(&line::line(record)),
            };
            verdicts.push((record.seq, verdict, row));
        }
    }
    let (seq, verdict, _) = verdicts.pop()?;
    Some(Checked {
        seq,
        what: Shown::line(&format!(
            "{}, with Python {}, sandbox tier {}, in {}",
            if verdict.complete {
                "The whole workspace".to_owned()
            } else {
                format!("Level {}", verdict.level)
            },
            verdict.interpreter,
            verdict.tier,
            span(verdict.duration_ms),
        )),
        counts: counts(&verdict.checks),
        checks: verdict.checks.iter().map(|check| row(check, files)).collect(),
        earlier: Listed::first(verdicts.into_iter().rev().map(|(_, _, row)| row).collect(), MAX_REPAIRS),
    })
}

fn counts(checks: &[CheckResult]) -> Shown {
    let of = |wanted: &str| checks.iter().filter(|check| answer(check).0 == wanted).count();
    let silent: u64 = checks.iter().filter_map(CheckResult::no_opinion).sum();
    Shown::line(&format!(
        "{} passed, {} failed, {} timed out, {} not run; {silent} times a check could not know and had no opinion",
        of("passed"),
        of("failed"),
        of("timed out"),
        of("not run")
    ))
}

fn answer(check: &CheckResult) -> (&'static str, &'static str) {
    match check.answer {
        CheckAnswer::Passed(_) => ("passed", "good"),
        CheckAnswer::Failed(_) => ("failed", "bad"),
        CheckAnswer::TimedOut { .. } => ("timed out", "bad"),
        CheckAnswer::NotRun { .. } => ("not run", "warn"),
    }
}

fn row(check: &CheckResult, files: &Files) -> CheckRow {
    let (word, tone) = answer(check);
    let what = match &check.answer {
        CheckAnswer::Passed(ran) => Shown::line(ran.what()),
        CheckAnswer::Failed(found) => Shown::line(&count(found.as_slice().len(), "finding")),
        CheckAnswer::TimedOut { reason, .. } | CheckAnswer::NotRun { reason } => Shown::line(reason),
    };
    CheckRow {
        answer: word,
        tone,
        name: Shown::line(&format!("{} v{}", check.check, check.version)),
        what,
        no_opinion: check.no_opinion().map(Shown::of).unwrap_or_default(),
        findings: all_found(check.findings(), files),
    }
}

/// Findings with their lines, as many as there is room for.
pub fn all_found(findings: &[Finding], files: &Files) -> Listed<Found> {
    Listed {
        shown: findings
            .iter()
            .take(MAX_FINDINGS)
            .map(|one| found(one, files))
            .collect(),
        left_out: findings.len().saturating_sub(MAX_FINDINGS),
    }
}

/// A finding with the lines that it is about, as far as somebody fetched them.
fn found(finding: &Finding, files: &Files) -> Found {
    let mut lines = Vec::new();
    for at in [Some(&finding.at), finding.other.as_ref()].into_iter().flatten() {
        let text = files.sources.get(&at.file);
        let text = text.and_then(|text| text.lines().nth((at.line as usize).checked_sub(1)?));
        if let Some(text) = text {
            if at != &finding.at {
                lines.push(at.to_string());
            }
            lines.extend(source_line(at.line, at.column, text));
        }
    }
    let other = finding
        .other
        .as_ref()
        .map(|other| format!(" (see {other})"))
        .unwrap_or_default();
    Found {
        rule: Shown::line(&finding.rule),
        at: Shown::line(&format!("{}{other}", finding.at)),
        message: Shown::block(&finding.message),
        source: Shown::block(&lines.join("\n")),
    }
}

/// Every file that was written again because something was wrong with it.
pub fn repairs(run: &Run) -> Listed<Repair> {
    let mut last: Vec<Finding> = Vec::new();
    let mut repairs = Vec::new();
    for record in &run.records {
        match &record.payload {
            Payload::Verdict(verdict) => last = verdict.findings().cloned().collect(),
            Payload::Execution(execution) => last.clone_from(&execution.findings),
            Payload::Candidate(candidate) => {
                for file in candidate.written.iter().filter(|file| file.repair) {
                    let about = last.iter().find(|finding| finding.at.file == file.path.as_str());
                    let because = about.or(last.first()).map(|finding| {
                        let said = finding.message.lines().next().unwrap_or_default();
                        format!("{}: {}: {said}", finding.at, finding.rule)
                    });
                    repairs.push(Repair {
                        seq: record.seq,
                        path: Shown::of(&file.path),
                        answer: file.attempt,
                        because: Shown::line(&because.unwrap_or_default()),
                    });
                }
            }
            Payload::Request(_)
            | Payload::PlanProposal(_)
            | Payload::Answer(_)
            | Payload::ExecutionStarted(_)
            | Payload::StageFailure(_)
            | Payload::Outcome(_) => {}
        }
    }
    Listed::first(repairs, MAX_REPAIRS)
}
