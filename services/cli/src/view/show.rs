//! A run in full, whether it has ended or not: plan, files, checks, findings, attempts, evidence.

use super::page::{Page, plain};
use super::{Run, gate, line, live, report, text};
use crate::console::Tone;
use interlock_domain::payload::{DependencyForm, Payload, WrittenFile};
use interlock_domain::shown::source_line;
use interlock_domain::{CheckAnswer, CheckResult, Finding, Owner, Plan, RunState};
use std::collections::BTreeMap;

/// The whole run.
pub fn show(run: &Run) -> Page {
    let mut page = report::report(run);
    if let Some(state) = &run.state {
        let doing = live::doing(&state.phase, run.view.live.as_ref()).unwrap_or_default();
        page.section("The program now", doing.into_iter().map(plain));
        if let Some((plan, _)) = &state.plan {
            page.section("Plan", plan_lines(plan));
        }
        page.section("Files", files(run, state));
        if let Some(verdict) = &state.verdict {
            let heading = format!(
                "Checks of the last candidate ({}, Python {}, tier {})",
                if verdict.complete {
                    "whole workspace".to_owned()
                } else {
                    format!("level {}", verdict.level)
                },
                text::line(&verdict.interpreter),
                text::line(&verdict.tier),
            );
            page.section(&heading, verdict.checks.iter().map(check));
        }
        let open = state.findings.iter().flat_map(|found| finding(run, found));
        page.section("Findings to be mended", open);
        if let Some(execution) = &state.execution {
            let artifacts = execution.artifacts.iter();
            page.section(
                "Artifacts",
                artifacts.map(|named| plain(format!("{}  {}", text::line(&named.name), text::size(named.blob.size)))),
            );
        }
    }
    page.section(
        "Records",
        run.records
            .iter()
            .map(|record| (line::tone(record), format!("{:>3}  {}", record.seq, line::line(record)))),
    );
    gate::section(run, &mut page);
    page
}

/// A finding with its source line, and the other side's.
fn finding(run: &Run, finding: &Finding) -> Vec<(Tone, String)> {
    let mut lines = vec![(Tone::Warn, text::line(&finding.to_string()))];
    for at in [Some(&finding.at), finding.other.as_ref()].into_iter().flatten() {
        let source = run.sources.get(&at.file);
        let source = source.and_then(|source| source.lines().nth((at.line as usize).checked_sub(1)?));
        if at != &finding.at && source.is_some() {
            lines.push(plain(format!("  {}:", text::line(&at.to_string()))));
        }
        lines.extend(
            source
                .into_iter()
                .flat_map(|source| source_line(at.line, at.column, source))
                .map(plain),
        );
    }
    lines
}

/// The planned files by level.
pub fn plan_lines(plan: &Plan) -> Vec<(Tone, String)> {
    let mut lines = Vec::new();
    for level in 1..=plan.level_count() {
        for path in plan.level(level) {
            let Some(file) = plan.file(path) else { continue };
            let exports: Vec<&str> = file.exports.iter().map(|export| export.name.as_str()).collect();
            let needs: Vec<String> = file.depends_on.iter().map(ToString::to_string).collect();
            let exports = if exports.is_empty() {
                String::new()
            } else {
                format!("; exports {}", exports.join(", "))
            };
            let needs = if needs.is_empty() {
                String::new()
            } else {
                format!("; needs {}", needs.join(", "))
            };
            lines.push(plain(format!(
                "level {level}  {path}: {}{}{needs}",
                text::line(&file.purpose),
                text::line(&exports)
            )));
        }
    }
    lines
}

fn files(run: &Run, state: &RunState) -> Vec<(Tone, String)> {
    let mut written: BTreeMap<&str, &WrittenFile> = BTreeMap::new();
    for record in &run.records {
        if let Payload::Candidate(candidate) = &record.payload {
            written.extend(candidate.written.iter().map(|file| (file.path.as_str(), file)));
        }
    }
    let Some(manifest) = state.manifest() else {
        return Vec::new();
    };
    manifest
        .iter()
        .map(|(path, entry)| {
            let by = match (entry.owner, written.get(path.as_str())) {
                (Owner::Model, Some(file)) => authorship(file),
                (Owner::Model | Owner::Harness | Owner::User, _) => entry.owner.name().to_owned(),
            };
            plain(format!(
                "{path}  {}  {}  {by}",
                entry.digest.short(),
                text::size(entry.size)
            ))
        })
        .collect()
}

pub(crate) fn authorship(file: &WrittenFile) -> String {
    let reduced = file
        .dependencies
        .iter()
        .filter(|(_, form)| *form == DependencyForm::Interface)
        .count();
    let reduced = if reduced == 0 {
        String::new()
    } else {
        format!(", {reduced} dependencies shown as interfaces")
    };
    let repair = if file.repair { ", a repair" } else { "" };
    format!(
        "{} (answer {}{repair}{reduced})",
        text::line(&file.call.model),
        file.attempt
    )
}

fn check(check: &CheckResult) -> (Tone, String) {
    let name = format!("{} v{}", check.check, check.version);
    let silent = match check.no_opinion() {
        None | Some(0) => String::new(),
        Some(n) => format!("; {n} times no opinion"),
    };
    match &check.answer {
        CheckAnswer::Passed(ran) => (
            Tone::Good,
            format!("passed     {name}: {}{silent}", text::line(ran.what())),
        ),
        CheckAnswer::Failed(findings) => {
            let all: Vec<_> = findings.as_slice().iter().collect();
            (
                Tone::Bad,
                format!("failed     {name}: {}{silent}", line::first_of(&all)),
            )
        }
        CheckAnswer::TimedOut { reason, .. } => (Tone::Bad, format!("timed out  {name}: {}", text::line(reason))),
        CheckAnswer::NotRun { reason } => (Tone::Bad, format!("not run    {name}: {}", text::line(reason))),
    }
}
