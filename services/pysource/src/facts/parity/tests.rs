//! The facts of a file are the same whoever parsed it: the Rust parser, or the interpreter through `python/tree.py`.
//! Rules judge facts alone, so equal facts are equal findings.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

use crate::facts::Facts;
use crate::tree::interpreter::{TREE_SCRIPT, with_tree};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Reads a list of texts and answers with a list of trees; nothing for a text that is no Python.
const DRIVER: &str = r#"
import json, sys
script, sources = json.load(sys.stdin)
space = {"__name__": "tree"}
exec(compile(script, "tree.py", "exec"), space)
for source in sources:
    try:
        tree = space["dump"](source.encode())
    except SyntaxError:
        tree = None
    print(json.dumps(tree))
"#;

fn python_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false if path.extension().is_some_and(|extension| extension == "py") => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    files
}

fn trees(texts: &[String]) -> Vec<String> {
    let mut child = Command::new("/usr/bin/python3")
        .args(["-I", "-S", "-c", DRIVER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the interpreter's own tree needs /usr/bin/python3; install Python");
    let request = serde_json::to_vec(&(TREE_SCRIPT, texts)).unwrap();
    child.stdin.take().unwrap().write_all(&request).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// Compares every file below `folder`; the number of files that both could read.
fn compare(folder: &Path) -> usize {
    let files: Vec<(PathBuf, String)> = python_files(folder)
        .into_iter()
        .filter_map(|path| Some((path.clone(), std::fs::read_to_string(path).ok()?)))
        .collect();
    let texts: Vec<String> = files.iter().map(|(_, text)| text.clone()).collect();
    let trees = trees(&texts);
    assert_eq!(trees.len(), files.len());
    let mut compared = 0;
    let mut wrong = String::new();
    for ((path, text), tree) in files.iter().zip(&trees) {
        let (Ok(ours), true) = (Facts::read(text), tree != "null") else {
            continue;
        };
        compared += 1;
        let theirs = with_tree(text, tree, Facts::of).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let (ours, theirs) = (format!("{ours:#?}"), format!("{theirs:#?}"));
        if ours != theirs {
            let differ = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
            wrong.push_str(&format!("{}: {differ:?}\n", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    compared
}

#[test]
fn both_parsers_give_the_facts_of_every_case() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    assert!(compare(&tests.join("cases")) > 200);
    assert!(compare(&tests.join("repairs")) >= 16);
}

#[test]
fn both_parsers_give_the_facts_of_larger_code() {
    if let Some(folder) = std::env::var_os("INTERLOCK_CORPUS") {
        println!("{} files", compare(Path::new(&folder)));
        return;
    }
    let mut asked = Command::new("/usr/bin/python3");
    asked.args(["-I", "-S", "-c", "import asyncio; print(asyncio.__path__[0])"]);
    let asked = asked.output().unwrap();
    let folder = String::from_utf8(asked.stdout).unwrap();
    assert!(compare(Path::new(folder.trim())) > 20);
}
