//! Which files a repair writes anew (faults F1, F3).

use crate::scripted::plan;
use interlock_domain::{Finding, Location};
use interlock_generator::{at_fault, findings_about};

fn finding(file: &str, other: Option<&str>) -> Finding {
    Finding {
        at: Location {
            file: file.to_owned(),
            line: 3,
            column: 1,
        },
        rule: "rule".to_owned(),
        message: format!("about {file}"),
        other: other.map(Location::file),
    }
}

fn chosen(findings: &[Finding], repetition: u32) -> Vec<String> {
    chosen_at(3, findings, repetition)
}

fn chosen_at(level: u32, findings: &[Finding], repetition: u32) -> Vec<String> {
    at_fault(&plan(), level, findings, repetition)
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn the_file_that_a_finding_is_about_is_mended() {
    assert_eq!(chosen(&[finding("src/data.py", None)], 1), ["src/data.py"]);
    let two = [finding("src/data.py", None), finding("src/config.py", None)];
    assert_eq!(chosen(&two, 1), ["src/config.py", "src/data.py"]);
}

#[test]
fn of_two_that_disagree_first_the_caller_and_then_both() {
    let disagreement = [finding("src/experiment.py", Some("src/data.py"))];
    assert_eq!(chosen(&disagreement, 1), ["src/experiment.py"]);
    assert_eq!(chosen(&disagreement, 2), ["src/data.py", "src/experiment.py"]);
}

#[test]
fn harness_files_and_strangers_are_nobodys_to_mend() {
    assert_eq!(
        chosen(&[finding("src/recorder.py", Some("src/data.py"))], 1),
        ["src/data.py"]
    );
    assert_eq!(chosen(&[finding("src/recorder.py", None)], 1), ["src/experiment.py"]);
    assert_eq!(chosen(&[finding("../escape.py", None)], 1), ["src/experiment.py"]);
    assert_eq!(chosen(&[finding("src/unplanned.py", None)], 1), ["src/experiment.py"]);
}

#[test]
fn what_is_not_written_yet_is_not_mended() {
    assert_eq!(chosen_at(1, &[finding("src/recorder.py", None)], 1), ["src/config.py"]);
    let both = [finding("src/data.py", Some("src/config.py"))];
    assert_eq!(chosen_at(1, &both, 1), ["src/config.py"]);
}

#[test]
fn each_file_is_told_what_is_about_it() {
    let all = [
        finding("src/data.py", None),
        finding("src/experiment.py", Some("src/config.py")),
    ];
    let about = |path: &str| findings_about(&path.parse().unwrap(), &all).len();
    assert_eq!((about("src/data.py"), about("src/config.py")), (1, 1));
    assert_eq!(
        about("src/other.py"),
        2,
        "where nothing is about it, it is told everything"
    );
}
