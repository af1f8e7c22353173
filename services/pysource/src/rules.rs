//! The rules, and the one way to run them. A rule judges facts; it never reads text and never runs anything.

mod attribute;
mod bind;
mod call;
mod construct;
mod cycle;
mod cycle_order;
mod empty;
mod exports;
mod instance;
mod missing_module;
mod reached;
mod relative;
mod result_file;
mod secret;
mod shadow;
mod src_prefix;
mod stub;
mod truncated;
mod unbound_name;
mod undefined_name;

use crate::facts::Facts;
use crate::finding::{Finding, Location, RuleReport, Status};
use crate::source::Pos;
use crate::workspace::Workspace;
use std::collections::{BTreeMap, BTreeSet};

/// What the plan says about files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Names that a file has to provide, by path. `Class.method` is understood; so is `name(…)`, by its name.
    pub exports: BTreeMap<String, Vec<String>>,
    /// There is no plan: what a file has to provide can only be seen from what the others use.
    pub unplanned: bool,
}

/// One rule.
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    pub(crate) version: u32,
    pub(crate) run: fn(&Context<'_>, &mut Outcome),
}

/// Every rule, in the order of reports.
pub(crate) const RULES: &[Rule] = &[
    relative::RULE,
    src_prefix::RULE,
    missing_module::RULE,
    undefined_name::RULE,
    unbound_name::RULE,
    shadow::RULE,
    cycle::RULE,
    exports::RULE,
    call::RULE,
    attribute::RULE,
    stub::RULE,
    empty::RULE,
    truncated::RULE,
    result_file::RULE,
    secret::RULE,
];

/// What a rule looks at.
pub(crate) struct Context<'w> {
    pub(crate) ws: &'w Workspace,
    pub(crate) declared: &'w Declared,
    targets: BTreeSet<&'w str>,
}

impl<'w> Context<'w> {
    pub(crate) fn is_target(&self, path: &str) -> bool {
        self.targets.contains(path)
    }

    /// Facts of the target files that can be read, with their paths.
    pub(crate) fn target_facts(&self) -> impl Iterator<Item = (&'w str, &'w Facts)> {
        self.ws.readable().filter(|(path, _)| self.is_target(path))
    }

    /// Whether a disagreement between two files concerns a target.
    pub(crate) fn concerns(&self, file: &str, other: &str) -> bool {
        self.is_target(file) || self.is_target(other)
    }
}

/// What a rule found so far.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) findings: Vec<Finding>,
    pub(crate) sites: u64,
    pub(crate) no_opinion: u64,
}

impl Outcome {
    /// Notes that something is wrong at `pos` of `file`.
    pub(crate) fn fail(&mut self, rule: &'static str, file: &str, pos: Pos, message: String) {
        self.disagree(rule, file, pos, message, None);
    }

    /// Notes that `file` and another place disagree.
    pub(crate) fn disagree(
        &mut self,
        rule: &'static str,
        file: &str,
        pos: Pos,
        message: String,
        other: Option<Location>,
    ) {
        self.findings.push(Finding {
            file: file.to_owned(),
            line: pos.line,
            column: pos.column,
            rule,
            message,
            other,
        });
    }
}

/// A place in a file.
pub(crate) fn location(file: &str, pos: Pos) -> Location {
    Location {
        file: file.to_owned(),
        line: pos.line,
        column: pos.column,
    }
}

/// Identities of all rules, in the order of reports.
pub fn rule_ids() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.id)
}

/// Identity and version of all rules, in the order of reports: part of every cache key.
pub fn rule_versions() -> impl Iterator<Item = (&'static str, u32)> {
    RULES.iter().map(|rule| (rule.id, rule.version))
}

/// Runs every rule over the files in `targets`, and over pairs of files that touch one of them.
///
/// Targets that are no Python files are left alone. A target that is not in the workspace, or cannot be read, turns
/// every report without a finding into [`Status::NotRun`].
pub fn check(ws: &Workspace, declared: &Declared, targets: &[String]) -> Vec<RuleReport> {
    RULES.iter().map(|rule| report(rule, ws, declared, targets)).collect()
}

/// Runs the one rule with this identity; `None` where there is no such rule.
pub fn check_rule(id: &str, ws: &Workspace, declared: &Declared, targets: &[String]) -> Option<RuleReport> {
    let rule = RULES.iter().find(|rule| rule.id == id)?;
    Some(report(rule, ws, declared, targets))
}

fn report(rule: &Rule, ws: &Workspace, declared: &Declared, targets: &[String]) -> RuleReport {
    let python = targets.iter().map(String::as_str).filter(|path| path.ends_with(".py"));
    let context = Context {
        ws,
        declared,
        targets: python.collect(),
    };
    let mut outcome = Outcome::default();
    (rule.run)(&context, &mut outcome);
    let mut findings = outcome.findings;
    findings.retain(|finding| {
        let other = finding.other.as_ref().map_or("", |other| &other.file);
        context.concerns(&finding.file, other)
    });
    findings.sort();
    findings.dedup();
    let unread = context.targets.iter().find_map(|path| why_unread(ws, path));
    let status = match (findings.is_empty(), unread) {
        (false, _) => Status::Failed {
            findings,
            no_opinion: outcome.no_opinion,
        },
        (true, Some(reason)) => Status::NotRun { reason },
        (true, None) => Status::Passed {
            files: u64::try_from(context.targets.len()).unwrap_or(u64::MAX),
            sites: outcome.sites,
            no_opinion: outcome.no_opinion,
        },
    };
    RuleReport {
        rule: rule.id,
        version: rule.version,
        status,
    }
}

fn why_unread(ws: &Workspace, path: &str) -> Option<String> {
    if !ws.has_file(path) {
        return Some(format!("{path} is not in the workspace"));
    }
    ws.why_unreadable(path).map(|why| match why.line {
        0 => format!("{path}: {why}"),
        line => format!("{path}:{line}: {why}"),
    })
}
