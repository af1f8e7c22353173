//! Programs that mean harm, or behave as oddly as is allowed: each ends as its first line says, its run is exported,
//! and nothing of it is left behind.

#![allow(clippy::unwrap_used, clippy::panic)]

use interlock_e2e::{Home, files_below, json, stack, tasks};
use std::fs;
use std::path::{Path, PathBuf};

/// What the program's head says about it.
struct Attack {
    name: String,
    program: String,
    status: String,
    class: String,
    /// The evidence that the criterion asks for.
    evidence: String,
    /// What the output has to say, if anything.
    says: String,
}

fn attacks() -> Vec<Attack> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("attacks");
    let mut files = files_below(&folder).unwrap();
    files.sort();
    assert!(files.len() >= 10, "the attacks are missing");
    files.iter().map(|file| attack(file)).collect()
}

fn attack(file: &Path) -> Attack {
    let program = fs::read_to_string(file).unwrap();
    let said = |key: &str| {
        let lines = program.lines().take_while(|line| line.starts_with('#'));
        let found = lines.filter_map(|line| line.strip_prefix(&format!("# {key}: "))).next();
        found.map(str::to_owned)
    };
    let ends = said("ends").unwrap_or_else(|| panic!("{} does not say how it ends", file.display()));
    let (status, class) = ends.split_once(' ').unwrap_or((&ends, ""));
    Attack {
        name: file.file_stem().unwrap().to_string_lossy().replace('_', "-"),
        status: status.to_owned(),
        class: class.to_owned(),
        evidence: said("evidence").unwrap_or_else(|| "scored".to_owned()),
        says: said("says").unwrap_or_default(),
        program,
    }
}

/// The task `liar` with another program.
fn task(home: &Home, attack: &Attack) -> PathBuf {
    let folder = home.path().join("tasks").join(&attack.name);
    stack::copy(&tasks().join("liar"), &folder).unwrap();
    let text = fs::read_to_string(folder.join("task.toml")).unwrap();
    let mut text = text.replace("name = \"liar\"", &format!("name = \"{}\"", attack.name));
    if attack.evidence != "scored" {
        text = text.replace("split = \"test\"\n", "");
        text = text.replace("evidence = \"scored\"", &format!("evidence = \"{}\"", attack.evidence));
    }
    fs::write(folder.join("task.toml"), text).unwrap();
    let answer = format!("Here it is.\n\n```python\n{}```\n", attack.program);
    fs::write(folder.join("answers/src/experiment.py.1.md"), answer).unwrap();
    folder
}

#[test]
fn every_attack_ends_as_it_should_and_leaves_nothing_behind() {
    let home = Home::new().unwrap();
    for attack in attacks() {
        let name = &attack.name;
        let folder = task(&home, &attack);
        let words = ["run", &folder.to_string_lossy(), "--json", "--out", name];
        let ended = home.interlock(&words).unwrap();
        let expected = [("status", attack.status.as_str()), ("failure", attack.class.as_str())];
        assert!(
            json::has(&[ended.result()], &expected),
            "{name}: {}\n{}",
            ended.stdout,
            ended.stderr
        );
        assert_eq!(ended.code, Some(i32::from(attack.status != "accepted")), "{name}");
        assert!(home.path().join(name).join("result.json").is_file(), "{name}");
        assert!(ended.stdout.contains(&attack.says), "{name}: {}", ended.stdout);
        let kept = |file: &str| home.path().join(name).join("artifacts/out").join(file).is_file();
        assert!(!kept("result.json"), "{name}");
        if attack.status == "accepted" {
            assert!(kept("recorded.json"), "{name}");
            assert!(kept("predictions/test.csv") || attack.evidence != "scored", "{name}");
        }
        assert_eq!(home.leftovers(), [], "{name}");
        let executions = home.path().join("home/scratch/executor/executions");
        let left: Vec<_> = fs::read_dir(&executions).into_iter().flatten().flatten().collect();
        assert!(left.is_empty(), "{name}: {left:?}");
    }
}
