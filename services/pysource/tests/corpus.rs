//! Runs every rule over code that is known to work: a finding there is a false alarm until somebody has looked at it.
//!
//! Without `INTERLOCK_CORPUS` the standard library's larger packages are the corpus. With it, every folder in that
//! folder is one workspace, and a `root.txt` in a workspace names its source root. `README.md` under `cases/` says
//! how a corpus is made. It must not ship any of that code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods, clippy::panic)]

#[allow(dead_code)]
mod support;

use interlock_pysource::{Declared, Finding, Status, Workspace, check_rule, rule_ids};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Packages of the standard library that import each other a lot.
const PACKAGES: &[&str] = &[
    "asyncio",
    "collections",
    "concurrent",
    "ctypes",
    "email",
    "encodings",
    "html",
    "http",
    "importlib",
    "json",
    "logging",
    "multiprocessing",
    "re",
    "unittest",
    "urllib",
    "xml",
    "xmlrpc",
    "zoneinfo",
];

struct Corpus {
    name: String,
    files: BTreeMap<String, String>,
    root: String,
    stdlib: BTreeSet<String>,
}

fn read(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                if !name.ends_with("__pycache__") {
                    open.push(path);
                }
                continue;
            }
            let text = match name.ends_with(".py") {
                true => std::fs::read(&path).unwrap(),
                // Only the names of other files matter: extension modules, stubs, data.
                false => Vec::new(),
            };
            if name == "__future__.py" {
                // Part of the language more than of the library.
                continue;
            }
            // Sources in other encodings are refused before the rules see them.
            if let Ok(text) = String::from_utf8(text) {
                files.insert(name, text);
            }
        }
    }
    files
}

/// Top-level names that some line seems to import.
fn imported(files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in files.values().flat_map(|text| text.lines()) {
        let line = line.trim_start_matches(['>', '.', ' ', '\t']);
        let Some(rest) = line.strip_prefix("import ").or_else(|| line.strip_prefix("from ")) else {
            continue;
        };
        for part in rest.split(',') {
            let name: String = part
                .trim()
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if !name.is_empty() {
                names.insert(name);
            }
        }
    }
    names
}

/// Everything below the source root is no part of the environment.
fn tops(files: &BTreeMap<String, String>, root: &str) -> BTreeSet<String> {
    let below = |path: &String| {
        let path = match root {
            "" => path.as_str(),
            root => path.strip_prefix(root)?.strip_prefix('/')?,
        };
        Some(path.split(['/', '.']).next()?.to_owned())
    };
    files.keys().filter_map(below).collect()
}

fn standard_library() -> PathBuf {
    let asked = std::process::Command::new("/usr/bin/python3")
        .args(["-I", "-S", "-c", "import os; print(os.path.dirname(os.__file__))"])
        .output()
        .expect("the corpus is the standard library of /usr/bin/python3; install Python");
    PathBuf::from(String::from_utf8(asked.stdout).unwrap().trim())
}

fn corpora() -> Vec<Corpus> {
    let stdlib = support::stdlib();
    let Some(folder) = std::env::var_os("INTERLOCK_CORPUS") else {
        let mut files = BTreeMap::new();
        for package in PACKAGES {
            let folder = standard_library().join(package);
            files.extend(
                read(&folder)
                    .into_iter()
                    .map(|(name, text)| (format!("{package}/{name}"), text)),
            );
        }
        let packages: BTreeSet<String> = PACKAGES.iter().map(|name| (*name).to_owned()).collect();
        return vec![Corpus {
            name: "standard library".to_owned(),
            stdlib: stdlib.difference(&packages).cloned().collect(),
            files,
            root: String::new(),
        }];
    };
    let mut folders: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    let corpus = |folder: PathBuf| {
        let root = std::fs::read_to_string(folder.join("root.txt")).unwrap_or_default();
        let root = root.trim().to_owned();
        let files = read(&folder);
        // A copy of the standard library is judged like any other workspace.
        let is_stdlib = files.contains_key("os.py");
        Corpus {
            name: folder.file_name().unwrap().to_str().unwrap().to_owned(),
            stdlib: match is_stdlib {
                true => stdlib.difference(&tops(&files, &root)).cloned().collect(),
                false => stdlib.clone(),
            },
            files,
            root,
        }
    };
    folders.into_iter().map(corpus).collect()
}

fn findings(corpus: Corpus) -> Vec<Finding> {
    let Corpus {
        name,
        files,
        root,
        stdlib,
    } = corpus;
    let own = tops(&files, &root);
    let env = imported(&files).difference(&own).cloned().collect();
    let targets: Vec<String> = files.keys().filter(|path| path.ends_with(".py")).cloned().collect();
    let lines: usize = files.values().map(|text| text.lines().count()).sum();
    let start = Instant::now();
    let workspace = Workspace::new(files, &root, env, stdlib);
    let read = start.elapsed();
    for (path, why) in workspace.unreadable() {
        println!("{name}: unread {path}: {why}");
    }
    let unread: BTreeSet<String> = workspace.unreadable().map(|(path, _)| path.to_owned()).collect();
    let targets: Vec<String> = targets.into_iter().filter(|path| !unread.contains(path)).collect();
    let mut found = Vec::new();
    let mut times = Vec::new();
    for rule in rule_ids() {
        let start = Instant::now();
        let report = check_rule(rule, &workspace, &Declared::default(), &targets).unwrap();
        times.push(format!("{} {} ms", rule, start.elapsed().as_millis()));
        match report.status {
            Status::Passed { .. } => {}
            Status::Failed { findings, .. } => found.extend(findings),
            Status::NotRun { reason } => panic!("{name}: {rule}: {reason}"),
        }
    }
    let all = start.elapsed();
    println!(
        "{name}: {} files, {lines} lines, {} findings, read {} ms, {:.2} ms per file in all ({})",
        targets.len(),
        found.len(),
        read.as_millis(),
        all.as_secs_f64() * 1000.0 / targets.len().max(1) as f64,
        times.join(", ")
    );
    for finding in &found {
        println!(
            "  {}:{}:{} {}: {}",
            finding.file, finding.line, finding.column, finding.rule, finding.message
        );
    }
    found
}

/// Code that does nothing is a matter of taste in a library, and rare; all else would not run.
#[test]
fn working_code_has_no_findings() {
    let is_chosen = std::env::var_os("INTERLOCK_CORPUS").is_some();
    for corpus in corpora() {
        let files = corpus.files.len();
        let found = findings(corpus);
        let hollow = found
            .iter()
            .filter(|finding| finding.rule.starts_with("substance/"))
            .count();
        // A chosen corpus is for reading: it may have true faults.
        assert!(
            is_chosen || (hollow == found.len() && hollow * 15 <= files),
            "{found:#?}"
        );
    }
}
