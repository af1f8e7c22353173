//! The path type refuses everything that is no plain place inside a workspace (faults D2).

use crate::cases;
use crate::samples::{entry, path, planned};
use interlock_domain::manifest::ManifestError;
use interlock_domain::path::{MAX_DEPTH, MAX_PATH_BYTES, MAX_SEGMENT_BYTES};
use interlock_domain::{Manifest, Plan, WorkspacePath};
use proptest::prelude::*;
use std::path::{Component, Path};

#[test]
fn plain_paths_are_accepted_as_they_are() {
    for case in cases::accepted("paths/accept.txt") {
        let path: WorkspacePath = case.parse().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(path.as_str(), case);
        assert_eq!(path.to_string(), case);
        assert_eq!(path.segments().last(), Some(path.file_name()));
    }
}

#[test]
fn everything_else_is_refused_and_says_why() {
    for (why, case) in cases::refused("paths/reject.txt") {
        let error = case.parse::<WorkspacePath>().expect_err(&case).to_string();
        assert!(error.contains(&why), "{case:?} was refused for another reason: {error}");
        assert!(error.len() < 900, "the message repeats all of {} bytes", case.len());
    }
}

#[test]
fn the_limits_are_exact() {
    let segment = |length: usize| "a".repeat(length);
    let long = |length: usize| format!("{}/{}/{}", segment(100), segment(100), segment(length - 202));
    for (fits, too_much) in [
        (segment(MAX_SEGMENT_BYTES), segment(MAX_SEGMENT_BYTES + 1)),
        (long(MAX_PATH_BYTES), long(MAX_PATH_BYTES + 1)),
        (["a"; MAX_DEPTH].join("/"), ["a"; MAX_DEPTH + 1].join("/")),
    ] {
        assert!(fits.parse::<WorkspacePath>().is_ok(), "{fits}");
        assert!(too_much.parse::<WorkspacePath>().is_err(), "{too_much}");
    }
}

#[test]
fn a_manifest_never_holds_one_file_twice() {
    for (one, other) in [
        ("src/data.py", "src/data.py"),
        ("src/data.py", "src/Data.py"),
        ("src/main.py", "SRC/Main.py"),
        ("src/main.py", "src/MAIN.PY"),
    ] {
        for (first, second) in [(one, other), (other, one)] {
            let refused = Manifest::new([(path(first), entry("a")), (path(second), entry("b"))]);
            assert_eq!(refused, Err(ManifestError::Clash(path(second))));
        }
    }
    let base = Manifest::new([(path("src/data.py"), entry("a"))]).unwrap();
    assert!(base.with([(path("src/Data.py"), entry("b"))]).is_err());
    let replaced = base.with([(path("src/data.py"), entry("b"))]).unwrap();
    assert_eq!(replaced.get(&path("src/data.py")), Some(&entry("b")));
    assert_eq!(replaced.len(), 1);
}

#[test]
fn a_manifest_never_needs_a_file_to_be_a_folder() {
    for (file, inside) in [
        ("src/a", "src/a/b.py"),
        ("src/A", "src/a/b.py"),
        ("src", "src/data.py"),
        ("a", "a/b/c"),
    ] {
        let refused = Manifest::new([(path(inside), entry("a")), (path(file), entry("b"))]);
        assert_eq!(refused, Err(ManifestError::FileIsFolder(path(file))), "{file}");
    }
    // Neighbours in the order of names are not folders of each other.
    let neighbours = ["src/a", "src/a.py", "src/a-b/x", "src/a0/x", "src/ab"];
    assert!(Manifest::new(neighbours.map(|p| (path(p), entry("a")))).is_ok());
}

#[test]
fn a_plan_never_holds_one_file_twice() {
    for (one, other) in [
        ("src/data.py", "src/data.py"),
        ("src/data.py", "src/Data.py"),
        ("src/bench/x.py", "SRC/bench/X.py"),
    ] {
        let findings = Plan::new(vec![
            planned("src/experiment.py", &[]),
            planned(one, &[]),
            planned(other, &[]),
        ])
        .expect_err("one file twice");
        assert!(findings.iter().any(|f| f.rule == "plan/duplicate"), "{findings:?}");
    }
}

/// Text that is close to a path, so that much of it gets past the first rule.
fn nearly_a_path() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z]{1,6}",
        1 => Just("..".to_owned()),
        1 => Just(".".to_owned()),
        1 => Just(String::new()),
        1 => "[A-Za-z0-9._@+-]{1,8}",
        1 => Just(".GIT".to_owned()),
        1 => Just("con.x".to_owned()),
        1 => "\\PC{1,4}",
        1 => any::<char>().prop_map(String::from),
    ];
    (
        proptest::collection::vec(piece, 1..6),
        prop_oneof![4 => Just("/"), 1 => Just("\\")],
    )
        .prop_map(|(pieces, by)| pieces.join(by))
}

proptest! {
    #[test]
    fn whatever_is_accepted_stays_below_its_root(text in prop_oneof![nearly_a_path(), any::<String>()]) {
        let Ok(path) = text.parse::<WorkspacePath>() else { return Ok(()) };
        prop_assert_eq!(path.as_str(), &text);
        prop_assert!(text.is_ascii() && text.len() <= MAX_PATH_BYTES);
        let parts: Vec<_> = Path::new(&text).components().collect();
        prop_assert!(parts.iter().all(|part| matches!(part, Component::Normal(_))));
        prop_assert_eq!(parts.len(), path.segments().count());
        prop_assert!(Path::new("/root").join(&text).starts_with("/root/"));
        // One spelling only: taking it apart and putting it together changes nothing.
        let again: std::path::PathBuf = parts.iter().collect();
        prop_assert_eq!(again.to_str(), Some(text.as_str()));
        prop_assert!(text.split('/').all(|s| !s.eq_ignore_ascii_case(".git") && !s.ends_with('.') && !s.starts_with('-')));
    }
}
