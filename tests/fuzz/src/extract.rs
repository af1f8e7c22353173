//! Files in answers: what is taken out stands in the answer, line by line, and an answer that was cut off holds none.

use interlock_generator::extract::file_in;
use interlock_model::{Answer, Finish, Usage};
use std::time::Duration;

const PATHS: [&str; 4] = ["src/model.py", "src/pack/__init__.py", "config.json", "README.md"];

pub(crate) fn extract(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(rest).into_owned();
    let finish = match first % 8 {
        6 => Finish::Truncated,
        7 => Finish::Refused(text.clone()),
        _ => Finish::Complete,
    };
    let complete = matches!(finish, Finish::Complete);
    let name = PATHS
        .get(usize::from(first / 8) % PATHS.len())
        .copied()
        .unwrap_or("src/model.py");
    let Ok(path) = name.parse() else {
        panic!("{name} is a path");
    };
    let answer = Answer {
        text,
        finish,
        usage: Usage::default(),
        model: String::new(),
        latency: Duration::ZERO,
        attempts: 1,
    };
    let Ok(file) = file_in(&answer, &path) else {
        return;
    };
    assert!(complete, "a file is taken from an answer that has no end");
    assert!(!file.contains('\0'));
    assert!(file.is_empty() || file.ends_with('\n'));
    // A carriage return before a line feed belongs to the end of the line.
    let bare = |line: &str| line.trim_end_matches('\r').to_owned();
    let mut lines = answer.text.lines().map(bare);
    for line in file.lines().map(bare) {
        assert!(
            lines.any(|said| said.ends_with(&line)),
            "{line:?} does not stand in the answer"
        );
    }
}
