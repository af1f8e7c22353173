//! Runs every rule over every case. A case says all that is to be found in it, by whatever rule.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use interlock_pysource::{Status, check, rule_ids};
use std::collections::BTreeSet;
use support::Case;

fn found(case: &Case) -> (BTreeSet<String>, String) {
    let workspace = case.workspace();
    let mut lines = BTreeSet::new();
    let mut text = String::new();
    for report in check(&workspace, &case.declared(), &case.targets()) {
        match report.status {
            Status::Passed { .. } => {}
            Status::Failed { findings, .. } => {
                for finding in findings {
                    assert_eq!(finding.rule, report.rule);
                    lines.insert(format!("{}:{} {}", finding.file, finding.line, finding.rule));
                    text.push_str(&format!("    {}\n      other: {:?}\n", finding.message, finding.other));
                }
            }
            // A planned file that is not there: only `contracts/exports` can say what is wrong.
            Status::NotRun { reason } if case.lacks_a_target() => {
                assert!(reason.ends_with("is not in the workspace"), "{reason}");
            }
            Status::NotRun { reason } => panic!("{}: {} not run: {reason}", case.name, report.rule),
        }
    }
    (lines, text)
}

#[test]
fn correct_code_passes_every_rule() {
    let mut wrong = String::new();
    for case in support::cases("accept") {
        let (lines, text) = found(&case);
        if !lines.is_empty() {
            wrong.push_str(&format!("{}: {lines:?}\n{text}", case.name));
        }
    }
    assert!(wrong.is_empty(), "refused:\n{wrong}");
}

#[test]
fn faults_are_found_where_they_are() {
    let mut wrong = String::new();
    for case in support::cases("reject") {
        let (lines, text) = found(&case);
        let expected = case.expected();
        assert!(!expected.is_empty(), "{} expects nothing", case.name);
        if lines != expected {
            wrong.push_str(&format!(
                "{}:\n  found    {lines:?}\n  expected {expected:?}\n{text}",
                case.name
            ));
        }
        if std::env::var_os("SHOW_FINDINGS").is_some() {
            println!("{}\n{text}", case.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_rule_has_cases_in_both_directions_and_a_page() {
    let folder = support::cases_folder();
    for rule in rule_ids() {
        for kind in ["accept", "reject"] {
            let at = folder.join(rule).join(kind);
            let count = std::fs::read_dir(&at).map(Iterator::count).unwrap_or_default();
            assert!(count > 0, "{} has no cases", at.display());
        }
        let page = folder.join("../../docs").join(format!("{rule}.md"));
        assert!(page.is_file(), "{} is missing", page.display());
    }
}
