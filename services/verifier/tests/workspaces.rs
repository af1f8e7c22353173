//! Whole workspaces, checked for real: right ones pass, wrong ones cannot (faults A to E).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::disallowed_methods)]

#[allow(dead_code)]
mod lab;

use interlock_domain::check::{CheckAnswer, CheckResult};
use interlock_domain::signing::MAX_SIGNED_BYTES;
use interlock_verifier::canary;
use interlock_verifier::checks::Checked;
use lab::{Lab, files_of, planned_exports};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn cases(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(kind);
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    assert!(found.len() >= 5, "{kind}: the cases are missing");
    found
}

fn name(case: &Path) -> String {
    case.file_name().unwrap().to_string_lossy().into_owned()
}

fn said(checked: &Checked) -> String {
    let bad = checked.checks.iter().filter(|check| !check.passed());
    bad.map(|check| format!("{}: {:?}\n", check.check, check.answer))
        .collect()
}

#[tokio::test]
async fn right_workspaces_pass_every_check() {
    let lab = Lab::new().await;
    for case in cases("accept") {
        let checked = lab.check(&files_of(&case), &planned_exports(&case)).await;
        assert_eq!(checked.failure, None, "{}: {}", name(&case), said(&checked));
        assert!(
            checked.checks.iter().all(CheckResult::passed),
            "{}: {}",
            name(&case),
            said(&checked)
        );
        assert!(checked.interpreter.starts_with("3."), "{:?}", checked.interpreter);
    }
}

#[tokio::test]
async fn wrong_workspaces_are_refused_for_what_is_wrong() {
    let lab = Lab::new().await;
    for case in cases("reject") {
        let expected = std::fs::read_to_string(case.join("expect.txt")).unwrap();
        let checked = lab.check(&files_of(&case), &planned_exports(&case)).await;
        let class = checked.failure.unwrap_or_else(|| panic!("{} passes", name(&case)));
        for line in expected.lines() {
            let (what, at) = line.split_once(' ').unwrap();
            if what == "class" {
                assert_eq!(class.to_string(), at, "{}: {}", name(&case), said(&checked));
            } else {
                assert!(
                    finds(&checked, what, at),
                    "{}: {line} is not found in {}",
                    name(&case),
                    said(&checked)
                );
            }
        }
        let not_run = |check: &CheckResult| matches!(check.answer, CheckAnswer::NotRun { .. });
        assert!(!checked.checks.iter().any(|check| not_run(check) && check.passed()));
    }
}

/// Whether the check has a finding in this file, and on this line where one is given.
fn finds(checked: &Checked, check: &str, at: &str) -> bool {
    let answers = checked.checks.iter().filter(|result| result.check == check);
    answers.flat_map(CheckResult::findings).any(|finding| {
        let place = &finding.at;
        place.file == at || format!("{}:{}", place.file, place.line) == at
    })
}

#[tokio::test]
async fn every_check_proves_itself_at_boot() {
    let lab = Lab::new().await;
    canary::prove(&lab.workshop, &lab.environment).await.unwrap();
}

#[tokio::test]
async fn a_check_leaves_nothing_behind() {
    let lab = Lab::new().await;
    let case = cases("accept")
        .into_iter()
        .find(|case| name(case) == "noisy_on_import")
        .unwrap();
    lab.check(&files_of(&case), &planned_exports(&case)).await;
    lab.workshop.close().await;
    assert_eq!(lab.left(), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn what_is_found_fits_into_a_record_however_much_it_is() {
    let lab = Lab::new().await;
    let head = "\"\"\"Too much.\"\"\"\n\nfrom __future__ import annotations\n\n";
    let run =
        "\n\ndef run(config, recorder):\n    \"\"\"Runs.\"\"\"\n    recorder.metric(\"a\", config[\"x\"], \"none\")\n";
    let many: String = (0..20_000).map(|i| format!("import q{i}\n")).collect();
    let long = format!("import {}\n", "q".repeat(300_000));
    for (imports, said) in [(many, "more findings, left out"), (long, "<cut>")] {
        let files = BTreeMap::from([(
            "src/experiment.py".to_owned(),
            format!("{head}{imports}{run}").into_bytes(),
        )]);
        let checked = lab.check(&files, &BTreeMap::new()).await;
        assert!(checked.failure.is_some());
        let findings = checked.checks.iter().flat_map(CheckResult::findings);
        let texts: Vec<String> = findings.map(ToString::to_string).collect();
        let bytes: usize = texts.iter().map(String::len).sum();
        assert!((1..MAX_SIGNED_BYTES * 3 / 4).contains(&bytes), "{bytes}");
        assert!(texts.iter().any(|text| text.contains(said)));
    }
}
