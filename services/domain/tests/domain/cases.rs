//! Reads the case files; their form is described in `tests/cases/README.md`.

use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name)
}

pub(crate) fn text(name: &str) -> String {
    let path = folder(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The cases of a text file, escapes resolved.
pub(crate) fn accepted(name: &str) -> Vec<String> {
    let cases: Vec<String> = case_lines(&text(name)).iter().map(|line| resolve(line)).collect();
    assert!(!cases.is_empty(), "{name} has no case");
    cases
}

/// The cases of a text file as (part of the reason, text with escapes resolved).
pub(crate) fn refused(name: &str) -> Vec<(String, String)> {
    let split = |line: &String| {
        let (why, text) = line
            .split_once(" | ")
            .unwrap_or_else(|| panic!("{name}: {line} gives no reason"));
        (why.to_owned(), resolve(text))
    };
    let cases: Vec<_> = case_lines(&text(name)).iter().map(split).collect();
    assert!(!cases.is_empty(), "{name} has no case");
    cases
}

/// The files of a folder of cases, by name.
pub(crate) fn files(name: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = std::fs::read_dir(folder(name))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(&path).unwrap(),
            )
        })
        .collect();
    assert!(!found.is_empty(), "{name} has no case");
    found.sort();
    found
}

fn case_lines(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
        .map(str::to_owned)
        .collect()
}

fn resolve(case: &str) -> String {
    let mut out = String::new();
    let mut chars = case.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next().expect("an escape") {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                '0' => out.push('\0'),
                's' => out.push(' '),
                'e' => {}
                '\\' => out.push('\\'),
                'u' => {
                    let code: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                    out.push(char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap());
                }
                other => panic!("{case}: unknown escape {other}"),
            },
            '{' => {
                let inner: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let (what, times) = inner.rsplit_once('*').expect("{text*times}");
                out.push_str(&what.repeat(times.parse().unwrap()));
            }
            other => out.push(other),
        }
    }
    out
}

#[test]
fn escapes_are_what_the_readme_says() {
    assert_eq!(resolve(r"a\n\0\s\e\\\u{e9}{xy*3}"), "a\n\0 \\éxyxyxy");
}
