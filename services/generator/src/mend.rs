//! Which files a repair writes anew, and what is said about each (faults F1, F3).
//!
//! Decides by what was found, never by where it was noticed. Harness-owned files are nobody's to mend.

use interlock_domain::{Finding, Plan, WorkspacePath, owned};
use std::collections::{BTreeMap, BTreeSet};

/// From here on a fault that came back is met with a rewrite instead of an edit.
pub(crate) const REWRITE_FROM: u32 = 2;

/// The files to write anew, of those that are written when `level` is reached. A file that a finding is about; where
/// that is not the model's, the other file that the finding names. Where no finding names any, the contract file, or
/// the whole level as long as that is not written. When a fault came back, both sides of a disagreement are at fault
/// until proven otherwise.
pub fn at_fault(plan: &Plan, level: u32, findings: &[Finding], repetition: u32) -> BTreeSet<WorkspacePath> {
    let written: BTreeSet<&WorkspacePath> = (1..=level).flat_map(|reached| plan.level(reached)).collect();
    let planned = |file: &str| -> Option<WorkspacePath> {
        let path: WorkspacePath = file.parse().ok()?;
        (written.contains(&path) && owned::model_may_write(&path).is_ok()).then_some(path)
    };
    let mut found = BTreeSet::new();
    for finding in findings {
        let other = finding.other.as_ref().and_then(|other| planned(&other.file));
        match planned(&finding.at.file) {
            Some(path) => {
                found.insert(path);
                if repetition >= REWRITE_FROM {
                    found.extend(other);
                }
            }
            None => found.extend(other),
        }
    }
    if found.is_empty() {
        found.extend(planned(owned::CONTRACT_FILE));
    }
    if found.is_empty() {
        found.extend(plan.level(level).iter().cloned());
    }
    found
}

/// What is said about one of these files: findings at it or that name it; all of them, where none does.
pub fn findings_about<'a>(path: &WorkspacePath, findings: &'a [Finding]) -> Vec<&'a Finding> {
    let names = |finding: &&Finding| {
        finding.at.file == path.as_str() || finding.other.as_ref().is_some_and(|other| other.file == path.as_str())
    };
    let about: Vec<&Finding> = findings.iter().filter(names).collect();
    if about.is_empty() {
        findings.iter().collect()
    } else {
        about
    }
}

/// The files in the order of the plan's levels, so that each is mended after what it imports.
pub(crate) fn in_levels(plan: &Plan, files: &BTreeSet<WorkspacePath>) -> Vec<Vec<WorkspacePath>> {
    let mut by_level: BTreeMap<u32, Vec<WorkspacePath>> = BTreeMap::new();
    for level in 1..=plan.level_count() {
        for path in plan.level(level).iter().filter(|path| files.contains(*path)) {
            by_level.entry(level).or_default().push(path.clone());
        }
    }
    by_level.into_values().collect()
}
