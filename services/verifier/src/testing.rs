//! Tests: the workspace's own, run by the environment's pytest where the program will run.
//!
//! A test that was not run has not passed: no test collected, all of them skipped, or no pytest is an answer of its own.

use crate::static_rules::contradiction;
use crate::toolbox::{Asked, Bench, REPORT, ToolError, WORK};
use crate::verdict::class_of;
use interlock_domain::check::{CheckAnswer, CheckResult, Findings, Ran};
use interlock_domain::manifest::Owner;
use interlock_domain::owned::SOURCE_ROOT;
use interlock_domain::task::Limits as TaskLimits;
use interlock_domain::{FailureClass, Finding, Location, Manifest, Plan, WorkspacePath};
use interlock_sandbox::{Arg, End, Limits, Profile, ResultFolder, Sandbox};
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Identity of the check.
pub const CHECK: &str = "tests";
/// Version of the check.
pub const VERSION: u32 = 1;
/// File name of the program that runs them.
pub const TOOL: &str = "run_tests.py";
/// Room for the report in bytes.
const MAX_REPORT: u64 = 32 << 20;

/// What is to be run.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The test files.
    pub files: &'a [String],
    /// What says which files a test depends on, where there is one.
    pub plan: Option<&'a Plan>,
    /// What the program may use; its tests may use as much.
    pub limits: &'a TaskLimits,
}

#[derive(Deserialize)]
struct Report {
    pytest: Option<String>,
    #[serde(default)]
    why: String,
    status: Option<i32>,
    /// The files that have a test.
    #[serde(default)]
    files: Vec<String>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    name: String,
    outcome: Outcome,
    message: String,
    frames: Vec<Frame>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Passed,
    Failed,
    Error,
    Skipped,
}

#[derive(Deserialize)]
struct Frame {
    file: String,
    line: u32,
}

/// The test files of a workspace, by the names that pytest itself looks for. `src/test_data.py` may also be the module
/// that reads the test data: among the sources, what provides something or is needed by another file is no test.
pub fn test_files(plan: &Plan, manifest: &Manifest) -> Vec<String> {
    let theirs = manifest.iter().filter(|(_, entry)| entry.owner != Owner::Harness);
    let is_module = |path: &WorkspacePath| {
        let is_source = path.segments().next() == Some(SOURCE_ROOT);
        let provides = plan.file(path).is_some_and(|file| !file.exports.is_empty());
        is_source && (provides || plan.files().iter().any(|file| file.depends_on.contains(path)))
    };
    let tests = theirs.filter(|(path, _)| is_test(path) && plan.file(path).is_some() && !is_module(path));
    tests.map(|(path, _)| path.to_string()).collect()
}

/// Whether pytest would take a file for one of tests.
pub fn is_test(path: &WorkspacePath) -> bool {
    let name = path.file_name();
    path.is_python() && (name.starts_with("test_") || name.ends_with("_test.py"))
}

/// The answer, with its failure class where it failed.
pub async fn run(
    bench: &Bench,
    sandbox: &Sandbox,
    question: Question<'_>,
    cancel: &CancellationToken,
) -> Result<(CheckResult, Option<FailureClass>), ToolError> {
    let limits = Limits {
        wall: Duration::from_secs(question.limits.wall_seconds),
        memory_bytes: question.limits.memory_mb << 20,
        processes: question.limits.processes,
        ..Limits::default()
    };
    let mut args = vec![
        Arg::text("--root"),
        Arg::inside(WORK),
        Arg::text("--report"),
        Arg::inside(format!("{REPORT}/tests.json")),
        Arg::text("--files"),
    ];
    args.extend(question.files.iter().map(Arg::text));
    let asked = Asked {
        tool: TOOL,
        args,
        stdin: None,
        limits,
        profile: Profile::Work,
    };
    let seen = bench.run(sandbox, asked, cancel).await?;
    if let End::Limit(limit) = seen.end {
        let reason = format!("the tests reached the {} limit", limit.name());
        let findings = Vec::new();
        return Ok((
            result(CheckAnswer::TimedOut { reason, findings }),
            Some(class_of(limit)),
        ));
    }
    let read = ResultFolder::open(&bench.report()).and_then(|dir| dir.read(Path::new("tests.json"), MAX_REPORT));
    let report: Option<Report> = read.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    match (seen.end, report) {
        (End::Exited(0), Some(report)) => Ok(judge(&report, question)),
        // Whatever ended it, the tests' own code was running: a test that ends the process has failed.
        (_, None | Some(_)) => {
            let tail: String = seen
                .stderr
                .to_text()
                .lines()
                .rev()
                .take(3)
                .collect::<Vec<_>>()
                .join(" | ");
            let at = question.files.first().map(String::as_str).unwrap_or_default();
            let why = format!("the tests ended the process before they were through; {tail}");
            Ok(failed(vec![Finding::new(CHECK, Location::file(at), why)]))
        }
    }
}

fn judge(report: &Report, question: Question<'_>) -> (CheckResult, Option<FailureClass>) {
    let Some(version) = &report.pytest else {
        let reason = format!(
            "the environment has no pytest ({}); add it to the lock file",
            report.why
        );
        return (result(CheckAnswer::NotRun { reason }), Some(FailureClass::Environment));
    };
    let is = |wanted: Outcome| report.tests.iter().filter(move |test| test.outcome == wanted).count();
    let bad = report
        .tests
        .iter()
        .filter(|test| matches!(test.outcome, Outcome::Failed | Outcome::Error));
    let mut findings: Vec<Finding> = bad.map(|test| finding(test, question.plan)).collect();
    let (passed, skipped) = (is(Outcome::Passed), is(Outcome::Skipped));
    let at = question.files.first().map(String::as_str).unwrap_or_default();
    if findings.is_empty() {
        let silent = question.files.iter().filter(|file| !report.files.contains(*file));
        let why = "no test was collected from it; write functions whose names begin with test_";
        findings.extend(silent.map(|file| Finding::new(CHECK, Location::file(file), why)));
    }
    if findings.is_empty() && passed == 0 {
        let why = format!("all {skipped} tests were skipped, so nothing was tested");
        findings.push(Finding::new(CHECK, Location::file(at), why));
    } else if findings.is_empty() && report.status != Some(0) {
        let why = format!("pytest ended with status {:?} although no test failed", report.status);
        findings.push(Finding::new(CHECK, Location::file(at), why));
    }
    if !findings.is_empty() {
        findings.sort();
        findings.dedup();
        return failed(findings);
    }
    let what = format!("{passed} tests with pytest {version}");
    let ran = Ran::new(what, skipped as u64).map(CheckAnswer::Passed);
    (result(ran.unwrap_or_else(contradiction)), None)
}

/// Points at the place in the code where it went wrong; where only the test itself was reached, at the file that it
/// tests: a test is changed only when mending the code did not help.
fn finding(test: &Test, plan: Option<&Plan>) -> Finding {
    let file = test.name.split("::").next().unwrap_or_default();
    let place = |frame: &Frame| Location {
        file: frame.file.clone(),
        line: frame.line,
        column: 0,
    };
    let in_test = test.frames.iter().rev().find(|frame| frame.file == file).map(place);
    let in_test = in_test.unwrap_or_else(|| Location::file(file));
    let in_code = test.frames.iter().rev().find(|frame| frame.file != file).map(place);
    let message = format!("the test {} fails: {}", test.name, test.message);
    let tested = || {
        let path: WorkspacePath = file.parse().ok()?;
        let first = plan?.file(&path)?.depends_on.first()?;
        Some(Location::file(first.as_str()))
    };
    let mut finding = match (test.outcome, in_code.or_else(tested)) {
        (_, None) => return Finding::new(CHECK, in_test, message),
        // A file that cannot be collected is at fault itself.
        (Outcome::Error, Some(_)) if test.frames.is_empty() => return Finding::new(CHECK, in_test, message),
        (_, Some(at)) => Finding::new(CHECK, at, message),
    };
    finding.other = Some(in_test);
    finding
}

fn failed(findings: Vec<Finding>) -> (CheckResult, Option<FailureClass>) {
    let answer = Findings::new(findings)
        .map(CheckAnswer::Failed)
        .unwrap_or_else(contradiction);
    (result(answer), Some(FailureClass::Code))
}

fn result(answer: CheckAnswer) -> CheckResult {
    CheckResult {
        check: CHECK.to_owned(),
        version: VERSION,
        answer,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use interlock_domain::owned::entry_of;
    use interlock_domain::plan::{Export, ExportKind, PlannedFile};

    /// Files with what they depend on; those whose path begins with `+` provide something.
    fn plan(files: &[(&str, &[&str])]) -> Plan {
        let export = || Export {
            name: "run".to_owned(),
            kind: ExportKind::Function,
        };
        let planned = files.iter().map(|(path, depends_on)| PlannedFile {
            path: path.trim_start_matches('+').parse().unwrap(),
            purpose: "a case".to_owned(),
            exports: path.starts_with('+').then(export).into_iter().collect(),
            depends_on: depends_on.iter().map(|path| path.parse().unwrap()).collect(),
        });
        Plan::new(planned.collect()).unwrap()
    }

    fn judged(report: &str) -> (CheckResult, Option<FailureClass>) {
        let plan = plan(&[
            ("+src/experiment.py", &[]),
            ("+src/calc.py", &[]),
            ("tests/test_calc.py", &["src/calc.py"]),
        ]);
        let files = ["tests/test_calc.py".to_owned()];
        let question = Question {
            files: &files,
            plan: Some(&plan),
            limits: &TaskLimits::default(),
        };
        judge(&serde_json::from_str(report).unwrap(), question)
    }

    fn one(outcome: &str, frames: &str, status: i32) -> String {
        format!(
            r#"{{"pytest": "8", "status": {status}, "files": ["tests/test_calc.py"], "tests": [{{"name": "tests/test_calc.py::test_x",
                "outcome": "{outcome}", "message": "assert 3 == 4", "frames": {frames}}}]}}"#
        )
    }

    fn places(report: &str) -> Vec<String> {
        let (result, class) = judged(report);
        assert_eq!(class, Some(FailureClass::Code));
        let findings = result.findings().iter();
        let both = findings.map(|f| (f.at.to_string(), f.other.as_ref().map(Location::to_string)));
        both.map(|(at, other)| format!("{at} {}", other.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn only_tests_that_were_run_and_passed_are_a_pass() {
        let (passed, class) = judged(&one("passed", "[]", 0));
        assert!(passed.passed() && class.is_none());
        let none = r#"{"pytest": "8", "status": 5, "tests": []}"#;
        for report in [none, &one("skipped", "[]", 0), &one("passed", "[]", 2)] {
            let (result, class) = judged(report);
            assert!(!result.passed() && class == Some(FailureClass::Code), "{report}");
        }
    }

    #[test]
    fn a_test_file_without_a_test_has_tested_nothing() {
        let report = one("passed", "[]", 0).replace(r#""files": ["tests/test_calc.py"]"#, r#""files": []"#);
        let (result, class) = judged(&report);
        assert!(!result.passed() && class == Some(FailureClass::Code));
    }

    #[test]
    fn a_module_whose_name_looks_like_a_test_is_none() {
        let plan = plan(&[
            ("+src/experiment.py", &["src/test_data.py"]),
            ("src/test_data.py", &[]),
            ("+src/ab_test.py", &[]),
            ("src/test_experiment.py", &["src/experiment.py"]),
            ("+tests/test_calc.py", &[]),
            ("tests/helper.py", &["tests/test_calc.py"]),
        ]);
        let own = plan.files().iter();
        let entries = own.map(|file| (file.path.clone(), entry_of("", Owner::Model)));
        let manifest = Manifest::new(entries).unwrap();
        assert_eq!(
            test_files(&plan, &manifest),
            ["src/test_experiment.py", "tests/test_calc.py"]
        );
    }

    #[test]
    fn without_pytest_nothing_was_tested_and_the_environment_lacks_it() {
        let (result, class) =
            judged(r#"{"pytest": null, "why": "No module named pytest", "status": null, "tests": []}"#);
        assert!(matches!(&result.answer, CheckAnswer::NotRun { reason } if reason.contains("lock file")));
        assert_eq!(class, Some(FailureClass::Environment));
    }

    #[test]
    fn the_code_is_at_fault_before_its_test_is() {
        let in_test = r#"[{"file": "tests/test_calc.py", "line": 5}]"#;
        assert_eq!(places(&one("failed", in_test, 1)), ["src/calc.py tests/test_calc.py:5"]);
        let in_code = r#"[{"file": "tests/test_calc.py", "line": 5}, {"file": "src/calc.py", "line": 2}]"#;
        assert_eq!(
            places(&one("failed", in_code, 1)),
            ["src/calc.py:2 tests/test_calc.py:5"]
        );
        assert_eq!(places(&one("error", "[]", 2)), ["tests/test_calc.py "]);
    }
}
