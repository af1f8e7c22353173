//! Every file of `cases/` is an answer; its head says what is expected.

use interlock_model::{Answer, Finish, Usage};
use interlock_planner::checked;
use std::path::Path;
use std::time::Duration;

struct Case {
    name: String,
    answer: Answer,
    head: Vec<(String, String)>,
}

impl Case {
    fn all(&self, key: &str) -> Vec<&str> {
        let fits = self.head.iter().filter(|(k, _)| k == key);
        fits.map(|(_, value)| value.as_str()).collect()
    }
}

fn cases(kind: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(kind);
    let mut cases: Vec<Case> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            case(
                path.file_stem().unwrap().to_str().unwrap(),
                &std::fs::read_to_string(&path).unwrap(),
            )
        })
        .collect();
    assert!(cases.len() >= 10, "{kind} has lost its cases");
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

fn case(name: &str, text: &str) -> Case {
    let (head, body) = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .unwrap_or(("", text));
    let head: Vec<(String, String)> = head
        .lines()
        .map(|line| line.split_once(": ").unwrap())
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let finish = match head.iter().find(|(key, _)| key == "finish") {
        None => Finish::Complete,
        Some((_, word)) if word == "length" => Finish::Truncated,
        Some((_, word)) if word == "refusal" => Finish::Refused(word.clone()),
        Some((_, other)) => panic!("{name}: finish {other}"),
    };
    Case {
        name: name.to_owned(),
        answer: Answer {
            text: body.to_owned(),
            finish,
            usage: Usage::default(),
            model: "case".to_owned(),
            latency: Duration::ZERO,
            attempts: 1,
        },
        head,
    }
}

#[test]
fn plans_that_can_be_carried_out_are_taken() {
    for case in cases("accept") {
        let plan = checked(&case.answer, &case.all("lock").join("\n"))
            .unwrap_or_else(|findings| panic!("{}: {findings:#?}", case.name));
        let levels: Vec<String> = (1..=plan.level_count())
            .map(|level| {
                let paths: Vec<&str> = plan.level(level).iter().map(|path| path.as_str()).collect();
                paths.join(" ")
            })
            .collect();
        assert_eq!(levels, case.all("levels"), "{}", case.name);
    }
}

#[test]
fn everything_else_is_refused_with_what_is_wrong() {
    for case in cases("reject") {
        let findings = checked(&case.answer, &case.all("lock").join("\n"))
            .err()
            .unwrap_or_else(|| panic!("{} is taken for a plan", case.name));
        let mut found: Vec<String> = findings
            .iter()
            .map(|finding| format!("{} {}", finding.rule, finding.at.file.replace('\0', "<NUL>")))
            .collect();
        found.sort();
        let mut expected = case.all("expect");
        expected.sort_unstable();
        assert_eq!(found, expected, "{}: {findings:#?}", case.name);
        for finding in &findings {
            assert!(finding.message.len() > 10 && finding.message.len() < 700, "{finding}");
        }
    }
}

#[test]
fn findings_are_bounded_and_say_so() {
    let files: Vec<String> = (0..150)
        .map(|n| format!(r#"{{"path": "src/f{n}.py", "purpose": "x", "level": {n}}}"#))
        .collect();
    let text = format!(r#"{{"files": [{}]}}"#, files.join(","));
    let findings = checked(&case("many", &text).answer, "").unwrap_err();
    assert_eq!(findings.len(), 41);
    assert!(
        findings
            .iter()
            .any(|f| f.rule == "plan/more" && f.message.contains("110"))
    );
}

#[test]
fn a_plan_of_thousands_of_files_is_refused_at_once() {
    let files: Vec<String> = (0..5_000)
        .map(|n| format!(r#"{{"path": "src/f{n}.py", "purpose": "x"}}"#))
        .collect();
    let text = format!(r#"{{"files": [{}]}}"#, files.join(","));
    let findings = checked(&case("large", &text).answer, "").unwrap_err();
    assert_eq!(findings[0].rule, "plan/too-large");
}

#[test]
fn hostile_json_ends_in_a_finding() {
    for text in [
        "{".repeat(100_000),
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        "{\"".repeat(50_000),
    ] {
        assert!(checked(&case("hostile", &text).answer, "").is_err());
        let in_prose = format!("Plan: {text}");
        assert!(checked(&case("hostile", &in_prose).answer, "").is_err());
    }
}
