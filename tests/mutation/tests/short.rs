//! The short form of the mutation test: every fault at every place of our own workspaces, asked of the static rules.
//! A kind that was caught and is missed now fails; so does a better figure that nobody wrote down.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods, clippy::panic)]

use interlock_mutation::{Base, Mutant, judge};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    planted: i64,
    caught: i64,
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn workspaces() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(here().join("workspaces")).unwrap();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

fn planted(workspace: &Path) -> (Base, Vec<Mutant>) {
    let asked = Command::new("/usr/bin/python3")
        .arg("-B")
        .arg(here().join("plant.py"))
        .arg(workspace)
        .output()
        .expect("faults are planted by /usr/bin/python3; install Python");
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    let text = String::from_utf8(asked.stdout).unwrap();
    let mut lines = text.lines();
    let base = serde_json::from_str(lines.next().unwrap()).unwrap();
    (base, lines.map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn counted() -> BTreeMap<String, Count> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let judged = |workspace: PathBuf| {
        let (base, mutants) = planted(&workspace);
        let found = mutants.into_iter().map(|mutant| {
            let caught = !judge(&base, &mutant).caught.is_empty();
            (mutant.kind, caught)
        });
        found.collect::<Vec<_>>()
    };
    let threads: Vec<_> = workspaces()
        .into_iter()
        .map(|workspace| std::thread::spawn(move || judged(workspace)))
        .collect();
    for (kind, caught) in threads.into_iter().flat_map(|thread| thread.join().unwrap()) {
        let count = counts.entry(kind).or_default();
        count.planted += 1;
        count.caught += i64::from(caught);
    }
    counts
}

fn expected() -> BTreeMap<String, Count> {
    let text = std::fs::read_to_string(here().join("expected.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    let count = |value: &toml::Value| Count {
        planted: value.get("planted").and_then(toml::Value::as_integer).unwrap(),
        caught: value.get("caught").and_then(toml::Value::as_integer).unwrap(),
    };
    table.iter().map(|(kind, value)| (kind.clone(), count(value))).collect()
}

#[test]
fn correct_workspaces_have_no_findings() {
    for workspace in workspaces() {
        let (base, _) = planted(&workspace);
        let nothing = Mutant {
            id: 0,
            kind: "none".to_owned(),
            place: String::new(),
            what: String::new(),
            compiles: true,
            edits: BTreeMap::new(),
        };
        let answer = judge(&base, &nothing);
        assert!(
            answer.caught.is_empty(),
            "{}: {:?}",
            workspace.display(),
            answer.message
        );
    }
}

#[test]
fn no_kind_of_fault_is_caught_less_often_than_before() {
    let (found, expected) = (counted(), expected());
    let lines = found.iter().map(|(kind, count)| {
        format!(
            "{kind} = {{ planted = {}, caught = {} }}\n",
            count.planted, count.caught
        )
    });
    let shown: String = lines.collect();
    for (kind, before) in &expected {
        let now = found.get(kind).copied().unwrap_or_default();
        let missed = now.planted == before.planted && now.caught < before.caught;
        assert!(!missed, "{kind}: {} caught before, {} now", before.caught, now.caught);
    }
    assert!(found == expected, "write the new figures to expected.toml:\n\n{shown}");
}
