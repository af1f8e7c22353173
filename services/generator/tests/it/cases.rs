//! Every file of `cases/` is an answer; its head says what is expected (faults E1).

use interlock_domain::WorkspacePath;
use interlock_generator::file_in;
use interlock_model::{Answer, Finish, Usage};
use std::path::Path;
use std::time::Duration;

struct Case {
    name: String,
    path: WorkspacePath,
    answer: Answer,
    expect: Option<String>,
}

fn cases(kind: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(kind);
    let mut cases: Vec<Case> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| case(&entry.unwrap().path()))
        .collect();
    assert!(cases.len() >= 8, "{kind} has lost its cases");
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

fn case(path: &Path) -> Case {
    let text = std::fs::read_to_string(path).unwrap();
    let (head, body) = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .unwrap_or(("", &text));
    let field = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
    };
    let finish = match field("finish").as_deref() {
        None => Finish::Complete,
        Some("length") => Finish::Truncated,
        Some("refusal") => Finish::Refused("declined".to_owned()),
        Some(other) => panic!("{}: finish {other}", path.display()),
    };
    Case {
        name: path.file_stem().unwrap().to_string_lossy().into_owned(),
        path: field("path").as_deref().unwrap_or("src/data.py").parse().unwrap(),
        answer: answer(body, finish),
        expect: field("expect"),
    }
}

fn answer(text: &str, finish: Finish) -> Answer {
    Answer {
        text: text.to_owned(),
        finish,
        usage: Usage::default(),
        model: "case".to_owned(),
        latency: Duration::ZERO,
        attempts: 1,
    }
}

#[test]
fn a_file_is_taken_where_it_is_whole_and_clear() {
    for case in cases("accept") {
        let taken = file_in(&case.answer, &case.path);
        let expected = case
            .expect
            .map_or_else(|| "x = 1\n".to_owned(), |text| text.replace("\\n", "\n"));
        assert_eq!(
            taken.unwrap_or_else(|finding| panic!("{}: {finding}", case.name)),
            expected,
            "{}",
            case.name
        );
    }
}

#[test]
fn anything_else_is_refused_by_name() {
    for case in cases("reject") {
        let refused = file_in(&case.answer, &case.path).expect_err(&case.name);
        assert_eq!(Some(refused.rule), case.expect, "{}", case.name);
        assert_eq!(refused.at.file, case.path.as_str());
    }
}

#[test]
fn a_file_without_end_is_refused() {
    let long = format!("```python\n{}```\n", "x = 1\n".repeat(200_000));
    let refused = file_in(&answer(&long, Finish::Complete), &"src/data.py".parse().unwrap()).unwrap_err();
    assert_eq!(refused.rule, "answer/too-long");
}
