//! Reads the directories of cases: `cases/<rule>/<accept|reject>/<case>/`, one small workspace each.
//!
//! `expected.txt` lists the findings of all rules as `file:line rule`; `declared.txt` the exports as
//! `file: name name`; `targets.txt` the files that are asked about (all Python files without it);
//! `env.txt` the modules of the environment.

use interlock_pysource::{Declared, Workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const SPECIAL: &[&str] = &[
    "expected.txt",
    "declared.txt",
    "targets.txt",
    "env.txt",
    "unplanned.txt",
];

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) files: BTreeMap<String, String>,
}

pub(crate) fn cases_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// Every case of every rule whose kind is `accept` or `reject`.
pub(crate) fn cases(kind: &str) -> Vec<Case> {
    let mut found = Vec::new();
    for group in folders(&cases_folder()) {
        for rule in folders(&group) {
            for folder in folders(&rule.join(kind)) {
                let name = folder.strip_prefix(cases_folder()).unwrap();
                found.push(Case {
                    name: name.display().to_string(),
                    files: files(&folder),
                    folder: folder.clone(),
                });
            }
        }
    }
    assert!(!found.is_empty());
    found
}

fn folders(at: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(at) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect();
    found.sort();
    found
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            if !SPECIAL.contains(&name.as_str()) {
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

impl Case {
    fn special(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(name)).ok()
    }

    pub(crate) fn workspace(&self) -> Workspace {
        let env = self.special("env.txt");
        let env = env.as_deref().unwrap_or("numpy sklearn pandas typing_extensions");
        Workspace::new(
            self.files.clone(),
            "src",
            env.split_whitespace().map(str::to_owned).collect(),
            stdlib(),
        )
    }

    pub(crate) fn declared(&self) -> Declared {
        let text = self.special("declared.txt").unwrap_or_default();
        let exports = text
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(file, names)| {
                let names = names.split_whitespace().map(str::to_owned).collect();
                (file.trim().to_owned(), names)
            });
        Declared {
            exports: exports.collect(),
            unplanned: self.special("unplanned.txt").is_some(),
        }
    }

    pub(crate) fn targets(&self) -> Vec<String> {
        match self.special("targets.txt") {
            Some(text) => text.lines().map(str::to_owned).collect(),
            None => self.files.keys().cloned().collect(),
        }
    }

    pub(crate) fn lacks_a_target(&self) -> bool {
        self.targets().iter().any(|target| !self.files.contains_key(target))
    }

    /// `file:line rule` of each finding that there should be.
    pub(crate) fn expected(&self) -> BTreeSet<String> {
        let text = self.special("expected.txt").unwrap_or_default();
        text.lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    }
}

pub(crate) fn stdlib() -> BTreeSet<String> {
    include_str!("../stdlib-3.11.txt").lines().map(str::to_owned).collect()
}
