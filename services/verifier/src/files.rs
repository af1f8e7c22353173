//! What of a workspace is looked at, in which order, and the checks that need no tool.

use crate::static_rules::contradiction;
use interlock_domain::check::{CheckAnswer, CheckResult, Findings, Ran};
use interlock_domain::{Finding, Location, Manifest, Plan, WorkspacePath, owned};
use interlock_sandbox::Environment;
use interlock_stage::workspace::{Sources, check_ownership};
use std::collections::{BTreeMap, BTreeSet};

/// Every harness-owned file is the harness's own, and nobody else's file claims to be one.
pub fn ownership(manifest: &Manifest) -> CheckResult {
    let answer = match check_ownership(manifest) {
        Ok(()) => {
            Ran::new(format!("{} harness-owned files, byte for byte", owned::FILES.len()), 0).map(CheckAnswer::Passed)
        }
        Err(why) => Findings::new(vec![Finding::new(
            "ownership",
            Location::file("workspace"),
            why.to_string(),
        )])
        .map(CheckAnswer::Failed),
    };
    CheckResult {
        check: "ownership".to_owned(),
        version: 1,
        answer: answer.unwrap_or_else(contradiction),
    }
}

/// Files that are not Python are checked as what they are, where that can be said.
pub fn formats(sources: &Sources) -> CheckResult {
    let mut findings = Vec::new();
    let mut looked_at = 0_u32;
    for (path, content) in sources.iter().filter(|(path, _)| path.as_str().ends_with(".json")) {
        looked_at += 1;
        if let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(content) {
            let at = Location {
                file: path.to_string(),
                line: u32::try_from(error.line()).unwrap_or(0),
                column: u32::try_from(error.column()).unwrap_or(0),
            };
            findings.push(Finding::new("formats", at, format!("it is not valid JSON: {error}")));
        }
    }
    let answer = if findings.is_empty() {
        Ran::new(format!("{looked_at} JSON files"), 0).map(CheckAnswer::Passed)
    } else {
        Findings::new(findings).map(CheckAnswer::Failed)
    };
    CheckResult {
        check: "formats".to_owned(),
        version: 1,
        answer: answer.unwrap_or_else(contradiction),
    }
}

/// The Python files as text; the generator stores nothing that is not UTF-8, so that is a fault of ours. Until the
/// contract file is there the entry point, which imports it, cannot be judged.
pub fn python_files(sources: &Sources) -> Result<BTreeMap<String, String>, WorkspacePath> {
    let has_contract = sources.keys().any(|path| path.as_str() == owned::CONTRACT_FILE);
    let is_judged = |path: &WorkspacePath| path.is_python() && (has_contract || path.as_str() != owned::ENTRY_POINT);
    let python = sources.iter().filter(|(path, _)| is_judged(path));
    let texts = python.map(|(path, content)| {
        let text = String::from_utf8(content.to_vec()).map_err(|_| path.clone())?;
        Ok((path.to_string(), text))
    });
    texts.collect()
}

/// Harness files first, then the plan's levels, then the entry point: no file before what it depends on.
pub fn import_order(plan: &Plan, manifest: &Manifest) -> Vec<String> {
    let below_root = format!("{}/", owned::SOURCE_ROOT);
    let planned = (1..=plan.level_count()).flat_map(|level| plan.level(level).iter().map(WorkspacePath::as_str));
    let harness = owned::FILES.iter().map(|file| file.path);
    let mut order: Vec<&str> = harness.filter(|path| *path != owned::ENTRY_POINT).collect();
    order.extend(planned);
    if manifest.iter().any(|(path, _)| path.as_str() == owned::CONTRACT_FILE) {
        order.push(owned::ENTRY_POINT);
    }
    let present = |path: &&str| {
        let is_source = path.starts_with(&below_root) && path.ends_with(".py");
        is_source && manifest.iter().any(|(known, _)| known.as_str() == *path)
    };
    order.into_iter().filter(present).map(str::to_owned).collect()
}

/// Most modules that are named for loading, and the longest name of one.
const MOST_MODULES: usize = 400;
const LONGEST_MODULE: usize = 100;

/// Every word that could be the name of a module: what an environment that nobody named may bring.
pub fn words(files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let is_other = |c: char| !c.is_alphanumeric() && c != '_';
    let words = files.values().flat_map(|text| text.split(is_other));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Modules of the environment and of the standard library that some file seems to import. Only a hint for speed: a
/// name too many or too few changes no answer, so looking at lines is good enough.
pub fn preload(files: &BTreeMap<String, String>, environment: &Environment) -> Vec<String> {
    let is_there = |name: &&str| {
        let top = name.split('.').next().unwrap_or_default();
        environment.modules.contains(top) || environment.standard_modules.contains(top)
    };
    let lines = files.values().flat_map(|text| text.lines());
    let names: BTreeSet<&str> = lines.flat_map(imported).filter(is_there).collect();
    names.into_iter().take(MOST_MODULES).map(str::to_owned).collect()
}

/// The modules that a line names where an import statement begins on it.
fn imported(line: &str) -> Vec<&str> {
    let is_name = |name: &&str| {
        let is_word = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
        name.len() <= LONGEST_MODULE && name.split('.').all(is_word)
    };
    let first_word = |text: &'static str| move |line: &'_ str| line.split_whitespace().next() == Some(text);
    // Doctests import too.
    let line = line.trim_start_matches([' ', '\t', '\x0c', '>', '.']);
    if first_word("from")(line) {
        return line.split_whitespace().nth(1).filter(is_name).into_iter().collect();
    }
    if !first_word("import")(line) {
        return Vec::new();
    }
    let list = line.trim_start_matches("import").split('#').next().unwrap_or_default();
    let names = list.split(',').filter_map(|part| part.split_whitespace().next());
    names.filter(is_name).collect()
}

#[cfg(test)]
mod tests {
    use super::imported;

    #[test]
    fn names_are_read_from_import_lines() {
        for (line, names) in [
            ("import numpy as np, os.path  # and more", &["numpy", "os.path"][..]),
            ("    from sklearn.linear_model import Ridge", &["sklearn.linear_model"]),
            ("from . import x", &[]),
            ("from .a import x", &[]),
            ("important = 1", &[]),
            ("import", &[]),
            ("import (", &[]),
            ("x = 'import numpy'", &[]),
        ] {
            assert_eq!(imported(line), names, "{line}");
        }
    }
}
