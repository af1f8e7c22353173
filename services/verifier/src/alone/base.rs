//! The same checks on an earlier version: what it has as well does not count, and is named. Decides by rule, file and words;
//! lines move with every edit.

use super::Report;
use interlock_domain::Finding;
use interlock_domain::check::{CheckAnswer, Findings, Ran};
use std::collections::BTreeMap;

/// Takes out of the report what the base's report has too.
pub(super) fn subtract(report: &mut Report, base: &Report) {
    let mut theirs: BTreeMap<Key, usize> = BTreeMap::new();
    for finding in base.findings() {
        *theirs.entry(key(finding)).or_default() += 1;
    }
    let mut already = Vec::new();
    for check in &mut report.checks {
        let CheckAnswer::Failed(found) = &check.answer else {
            continue;
        };
        let no_opinion = found.no_opinion;
        let (old, new): (Vec<Finding>, Vec<Finding>) = found.as_slice().iter().cloned().partition(|finding| {
            let left = theirs.get_mut(&key(finding));
            // Each one of the base stands for one of these.
            left.is_some_and(|left| {
                let is_there = *left > 0;
                *left = left.saturating_sub(1);
                is_there
            })
        });
        let count = old.len();
        already.extend(old);
        let what = format!("all of {count} findings are in the base version as well");
        let answer = match Findings::new(new) {
            Ok(new) => Some(CheckAnswer::Failed(new.with_no_opinion(no_opinion))),
            Err(_) => Ran::new(what, no_opinion).ok().map(CheckAnswer::Passed),
        };
        if let Some(answer) = answer {
            check.answer = answer;
        }
    }
    already.sort();
    already.dedup();
    report.already = already;
}

type Key = (String, String, String);

fn key(finding: &Finding) -> Key {
    let words = finding.message.chars().filter(|c| !c.is_ascii_digit()).collect();
    (finding.rule.clone(), finding.at.file.clone(), words)
}
