//! What all checks said of a folder, and how it is printed. Decides nothing but the exit code.

use super::choose::Chosen;
use super::environment::Surroundings;
use super::{AloneError, Arguments, Folder, Origin, json, sarif, text};
use interlock_domain::check::{CheckAnswer, CheckResult, Findings};
use interlock_domain::{Finding, Location};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The rule that says that a module is in neither the folder nor the environment.
const MISSING_MODULE: &str = "imports/missing-module";

/// What all checks said, in the folder's own paths.
#[derive(Debug)]
pub struct Report {
    /// The folder as it was named.
    pub folder: PathBuf,
    /// The folder that was first on the module path, in the folder's own paths; empty for the folder itself.
    pub root: String,
    /// Why this one.
    pub because: &'static str,
    /// The script.
    pub entry: Option<String>,
    /// Every check's answer.
    pub checks: Vec<CheckResult>,
    /// Version of the interpreter; empty where none was asked.
    pub interpreter: String,
    /// How the sandbox held.
    pub tier: &'static str,
    /// Who made the environment.
    pub origin: Origin,
    /// What `--env` named.
    pub environment: Option<PathBuf>,
    /// Identity of the environment.
    pub digest: String,
    /// Name and version of its packages.
    pub packages: Vec<(String, String)>,
    /// Python files that were looked at.
    pub files: usize,
    /// Python files that could not be read, with the reason.
    pub unread: BTreeMap<String, String>,
    /// Python files that were looked at and not imported, with the reason.
    pub not_imported: BTreeMap<String, &'static str>,
    /// What was left alone on purpose.
    pub left_out: BTreeSet<String>,
    /// What the base version has as well, and so does not count.
    pub already: Vec<Finding>,
    /// What to do next, where something is likely.
    pub hint: Option<String>,
}

impl Report {
    pub(super) fn new(
        arguments: &Arguments,
        folder: &Folder,
        checks: Vec<CheckResult>,
        chosen: &Chosen,
        around: &Surroundings,
        (interpreter, tier): (String, &'static str),
    ) -> Self {
        let renamed = |check| renamed(check, &|finding| folder.layout.renamed(finding));
        let own = |path: &String| folder.layout.outside(path);
        let not_imported = chosen.not_imported.iter().map(|(path, why)| (own(path), *why));
        let mut report = Self {
            folder: arguments.folder.clone(),
            root: folder.layout.root.clone(),
            because: folder.layout.because,
            entry: folder.layout.entry.clone(),
            checks: checks.into_iter().map(renamed).collect(),
            interpreter,
            tier,
            origin: around.origin,
            environment: arguments.environment.clone(),
            digest: around.environment.digest.clone(),
            packages: around.environment.packages.clone(),
            files: folder.texts.len().saturating_sub(folder.unread.len()),
            unread: folder.unread.clone(),
            not_imported: if arguments.only_static {
                BTreeMap::new()
            } else {
                not_imported.collect()
            },
            left_out: folder.left_out.clone(),
            already: Vec::new(),
            hint: None,
        };
        report.hint = report.advice(arguments);
        report
    }

    /// 0 if everything passed, 1 if something was found, 2 if something could not be checked.
    pub fn exit(&self) -> u8 {
        if self.findings().next().is_some() {
            1
        } else if self.checks.iter().all(CheckResult::passed) && !self.checks.is_empty() {
            0
        } else {
            2
        }
    }

    /// Everything that was found, sorted by place, each thing once.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        let all: BTreeSet<&Finding> = self.checks.iter().flat_map(CheckResult::findings).collect();
        all.into_iter()
    }

    /// Checks that say neither passed nor failed.
    pub fn unfinished(&self) -> impl Iterator<Item = (&CheckResult, &'static str, &str)> {
        self.checks.iter().filter_map(|check| match &check.answer {
            CheckAnswer::NotRun { reason } => Some((check, "not run", reason.as_str())),
            CheckAnswer::TimedOut { reason, .. } => Some((check, "timed out", reason.as_str())),
            CheckAnswer::Passed(_) | CheckAnswer::Failed(_) => None,
        })
    }

    fn advice(&self, arguments: &Arguments) -> Option<String> {
        if self.origin != Origin::StandardLibrary || !self.findings().any(|finding| finding.rule == MISSING_MODULE) {
            return None;
        }
        let there = [".venv", "venv"]
            .into_iter()
            .find(|name| arguments.folder.join(name).join("pyvenv.cfg").is_file());
        let example = there.map_or_else(
            || {
                "--env REQUIREMENTS (a lock with hashes) or --env PYTHON (an interpreter or virtual environment)"
                    .to_owned()
            },
            |name| format!("--env {}", arguments.folder.join(name).display()),
        );
        Some(format!(
            "no environment was named, so the standard library alone can be imported; try {example}"
        ))
    }
}

fn renamed(mut check: CheckResult, own: &dyn Fn(Finding) -> Finding) -> CheckResult {
    check.answer = match check.answer {
        CheckAnswer::Failed(findings) => {
            let renamed: Vec<Finding> = findings.as_slice().iter().cloned().map(own).collect();
            Findings::new(renamed).map_or(CheckAnswer::Failed(findings), CheckAnswer::Failed)
        }
        CheckAnswer::TimedOut { reason, findings } => CheckAnswer::TimedOut {
            reason,
            findings: findings.into_iter().map(own).collect(),
        },
        answer @ (CheckAnswer::Passed(_) | CheckAnswer::NotRun { .. }) => answer,
    };
    check
}

/// How a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people: each finding with its source line; coloured or not.
    Text {
        /// Whether a terminal shows it.
        colour: bool,
    },
    /// One JSON object, as `docs/check.schema.json` describes it.
    Json,
    /// SARIF 2.1.0, which code hosts and editors show.
    Sarif,
}

impl Format {
    /// The whole report.
    pub fn print(self, report: &Report, folder: &Folder) -> String {
        match self {
            Format::Text { colour } => text::page(report, &|at: &Location| folder.line(&at.file, at.line), colour),
            Format::Json => format!("{}\n", json::object(report)),
            Format::Sarif => format!("{:#}\n", sarif::log(report)),
        }
    }

    /// What programs get where nothing could be checked; nothing for people, who are told elsewhere.
    pub fn print_error(self, error: &AloneError) -> String {
        match self {
            Format::Text { .. } => String::new(),
            Format::Json => format!("{}\n", json::error(error)),
            Format::Sarif => format!("{:#}\n", sarif::error(error)),
        }
    }
}

/// `1 file`, `3 files`.
pub(super) fn count(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    }
}
