//! The kept inputs: seeds of every target, and everything that ever broke one.

#![allow(clippy::unwrap_used)]

use interlock_fuzz::{TARGETS, run};
use std::path::Path;

#[test]
fn every_kept_input_holds() {
    for (target, _) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(target);
        let mut inputs = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            println!("{}", path.display());
            run(target, &std::fs::read(&path).unwrap());
            inputs += 1;
        }
        assert!(inputs > 0, "{target} has no input");
    }
}

#[test]
fn the_examples_of_other_tests_hold_as_well() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut open = vec![root.join("tests/tasks"), root.join("services/pysource/tests/cases")];
    let mut inputs = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let data = std::fs::read(&path).unwrap();
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            match ending.as_str() {
                "py" => run("rules", &data),
                "md" => run("extract", &[&[0], &data[..]].concat()),
                _ => continue,
            }
            inputs += 1;
        }
    }
    assert!(inputs > 100);
}
