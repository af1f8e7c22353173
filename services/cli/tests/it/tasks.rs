//! Reading a task with everything that it names.

use interlock_cli::task::{LoadedTask, TaskFileError};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const TASK: &str = r#"
name = "small"
goal = "Be right."
[inputs]
"train.csv" = "data/train.csv"
[environment]
lock = "requirements.lock"
[scoring]
truth = "sealed/truth.csv"
predictions = "test"
[[criteria]]
metric = "accuracy"
split = "test"
unit = "fraction"
direction = "at_least"
threshold = 0.9
evidence = "scored"
[model]
answers = "answers"
"#;

fn folder(text: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("task.toml", text),
        ("data/train.csv", "x,y\n1,2\n"),
        ("requirements.lock", ""),
        ("sealed/truth.csv", "id,label\n"),
    ] {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    dir
}

fn refused(path: &Path) -> (TaskFileError, String) {
    let error = LoadedTask::load(path).unwrap_err();
    let text = error.to_string();
    (error, text)
}

#[test]
fn a_folder_and_its_file_are_the_same_task() {
    let dir = folder(TASK);
    for path in [dir.path().to_owned(), dir.path().join("task.toml")] {
        let task = LoadedTask::load(&path).unwrap();
        let mut names: Vec<_> = task.files.iter().map(|file| file.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["data/train.csv", "requirements.lock", "sealed/truth.csv"]);
        let truth = task.files.iter().find(|file| file.name.contains("truth")).unwrap();
        assert_eq!(
            truth.content, b"id,label\n",
            "sealed for the program, not for the gateway"
        );
        assert_eq!(task.text, TASK);
        assert_eq!(task.answers, Some(dir.path().join("answers")));
        assert_eq!(task.task.name, "small");
    }
}

#[test]
fn every_example_can_be_submitted() {
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/tasks");
    let mut count = 0;
    for entry in fs::read_dir(examples).unwrap() {
        let path = entry.unwrap().path();
        let task = LoadedTask::load(&path).unwrap_or_else(|e| panic!("{e}"));
        assert!(
            task.answers.is_some_and(|answers| answers.is_dir()),
            "{}",
            path.display()
        );
        count += 1;
    }
    assert!(count > 5, "{count}");
}

#[test]
fn a_file_that_is_missing_is_named_with_its_place() {
    let dir = folder(TASK);
    fs::remove_file(dir.path().join("sealed/truth.csv")).unwrap();
    let (error, text) = refused(dir.path());
    assert!(matches!(error, TaskFileError::File { .. }), "{error:?}");
    assert!(text.contains("\"sealed/truth.csv\""), "{text}");
    assert!(text.contains("task.toml"), "{text}");
    fs::create_dir(dir.path().join("sealed/truth.csv")).unwrap();
    assert!(refused(dir.path()).1.contains("it is no file"));
}

#[test]
fn a_task_that_is_no_task_is_refused_before_anything_is_sent() {
    let dir = folder(&TASK.replace("goal", "gaol"));
    let (error, text) = refused(dir.path());
    assert!(matches!(error, TaskFileError::Invalid { .. }), "{error:?}");
    assert!(text.contains("gaol"), "{text}");

    let (error, text) = refused(&dir.path().join("data"));
    assert!(matches!(error, TaskFileError::Read { .. }), "{error:?}");
    assert!(text.contains("data/task.toml"), "{text}");

    let (error, _) = refused(&dir.path().join("nowhere"));
    assert!(matches!(error, TaskFileError::Read { .. }), "{error:?}");

    fs::write(dir.path().join("task.toml"), [0xff, 0xfe]).unwrap();
    let (error, text) = refused(dir.path());
    assert!(matches!(error, TaskFileError::Read { .. }), "{error:?}");
    assert!(text.contains("UTF-8"), "{text}");
}

#[test]
fn what_is_too_large_is_refused_unread() {
    let dir = folder(TASK);
    let huge = fs::File::create(dir.path().join("data/train.csv")).unwrap();
    huge.set_len(interlock_domain::blob::MAX_BLOB_BYTES + 1).unwrap();
    let (error, text) = refused(dir.path());
    assert!(matches!(error, TaskFileError::TooLarge { .. }), "{error:?}");
    assert!(text.contains("train.csv") && text.contains("at most"), "{text}");

    let padded = format!("{TASK}#{}", "x".repeat(interlock_domain::task::MAX_TASK_BYTES));
    fs::write(dir.path().join("task.toml"), padded).unwrap();
    assert!(matches!(refused(dir.path()).0, TaskFileError::TooLarge { .. }));
}
