//! What can be seen of the rules by reading files: who starts processes, how long files are, what lies where.
//!
//! The reading is loose (no parser): it catches what is written by mistake, review catches the rest.

use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Sources {
    /// Lines of any Rust file, tests included.
    longest: usize,
    /// Lines of a service's `main.rs`.
    longest_main: usize,
    top_level: Vec<String>,
    /// Folders whose code may start processes.
    spawners: Vec<String>,
    /// What starting a process looks like.
    spawning: Vec<String>,
}

impl Sources {
    pub(crate) fn violations(&self, root: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(root).expect("the root") {
            found.extend(self.stranger(&entry.expect("an entry").file_name().to_string_lossy()));
        }
        let mut files = Vec::new();
        for folder in ["services", "proto", "tests"] {
            rust_files(&root.join(folder), &mut files);
        }
        assert!(files.len() > 10, "no sources were found below {}", root.display());
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a readable source file");
            let path = file.strip_prefix(root).expect("below the root").to_string_lossy();
            found.extend(self.file(&path, &text));
        }
        found.sort();
        found
    }

    fn stranger(&self, name: &str) -> Option<String> {
        let known = name.starts_with('.') || self.top_level.iter().any(|allowed| allowed == name);
        (!known).then(|| format!("{name}: does not belong at the top level"))
    }

    fn file(&self, path: &str, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let lines = text.lines().count();
        if lines > self.longest {
            found.push(format!("{path}: {lines} lines, more than {}", self.longest));
        }
        let Some((_, inside)) = path.strip_prefix("services/").and_then(|rest| rest.split_once('/')) else {
            return found;
        };
        if inside == "src/main.rs" && lines > self.longest_main {
            found.push(format!(
                "{path}: {lines} lines, more than the {} of a checklist",
                self.longest_main
            ));
        }
        if inside.starts_with("src/") && !text.starts_with("//!") {
            found.push(format!("{path}: does not open with //! and what it is for"));
        }
        let spawner = self
            .spawners
            .iter()
            .any(|folder| path.starts_with(&format!("{folder}/")));
        let test = path.split('/').any(|part| part == "tests" || part == "tests.rs");
        if !spawner && !test {
            for (number, line) in production_lines(text) {
                if let Some(word) = self.spawning.iter().find(|word| line.contains(*word)) {
                    found.push(format!(
                        "{path}:{number}: {word} outside {}",
                        self.spawners.join(" and ")
                    ));
                }
            }
        }
        found
    }
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let entry = entry.expect("an entry");
        let path = entry.path();
        if entry.file_type().expect("its kind").is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Numbered lines without comments and without items under `#[cfg(test)]`, in text as rustfmt leaves it.
fn production_lines(text: &str) -> Vec<(usize, &str)> {
    let mut kept = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        if code.starts_with("#[cfg(test)]") {
            // The item ends where a line at its own indent closes it.
            let closes = |inner: &str| {
                let own = inner.strip_prefix(indent).filter(|rest| !rest.starts_with(' '));
                own.is_some_and(|rest| rest.ends_with(['}', ';']))
            };
            lines.by_ref().find(|(_, inner)| closes(inner));
        } else if !code.starts_with("//") {
            kept.push((index + 1, line));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use crate::root;
    use crate::table::Table;

    fn complaints(path: &str, text: &str) -> Vec<String> {
        Table::read(&root()).sources.file(path, text)
    }

    #[test]
    fn a_process_started_in_the_wrong_place_is_found() {
        let text = "//! Plans.\nfn f() {\n    Command::new(\"sh\");\n}\n";
        let found = complaints("services/planner/src/plan.rs", text);
        assert_eq!(
            found,
            ["services/planner/src/plan.rs:3: Command::new outside services/sandbox and services/cli"]
        );
        for way in [
            "use std::process::Command as C;",
            "unsafe { libc::fork() };",
            "libc::posix_spawn(p);",
        ] {
            assert_eq!(
                complaints("services/stage/src/x.rs", &format!("//! X.\n{way}\n")).len(),
                1,
                "{way}"
            );
        }
        for folder in ["sandbox", "cli"] {
            assert!(complaints(&format!("services/{folder}/src/x.rs"), text).is_empty());
        }
    }

    #[test]
    fn tests_and_comments_may_say_it() {
        let module = "//! X.\n#[cfg(test)]\n#[allow(\n    clippy::panic,\n)]\nmod tests {\n    fn f() {\n        Command::new(\"sh\");\n    }\n}\n";
        assert!(complaints("services/stage/src/x.rs", module).is_empty());
        assert!(complaints("services/stage/src/x.rs", "//! X.\n// Command::new is banned here.\n").is_empty());
        assert!(complaints("services/stage/tests/x.rs", "//! X.\nuse std::process::Command;\n").is_empty());
    }

    #[test]
    fn what_follows_a_test_item_is_production_again() {
        for item in [
            "mod tests;",
            "mod tests {\n    fn f() {}\n}",
            "fn helper() {\n    a();\n}",
        ] {
            let text = format!("//! X.\n#[cfg(test)]\n{item}\nfn g() {{ Command::new(\"sh\") }}\n");
            assert_eq!(complaints("services/stage/src/x.rs", &text).len(), 1, "{item}");
        }
    }

    #[test]
    fn long_files_are_found() {
        let long = format!("//! X.\n{}", "\n".repeat(500));
        assert_eq!(
            complaints("proto/src/lib.rs", &long),
            ["proto/src/lib.rs: 501 lines, more than 500"]
        );
        let main = format!("//! X.\n{}", "\n".repeat(40));
        let found = complaints("services/planner/src/main.rs", &main);
        assert_eq!(
            found,
            ["services/planner/src/main.rs: 41 lines, more than the 40 of a checklist"]
        );
        assert!(complaints("services/planner/src/plan.rs", &main).is_empty());
    }

    #[test]
    fn a_file_without_its_purpose_is_found() {
        let found = complaints("services/planner/src/plan.rs", "use std::io;\n");
        assert_eq!(
            found,
            ["services/planner/src/plan.rs: does not open with //! and what it is for"]
        );
        assert!(complaints("services/planner/tests/plan.rs", "use std::io;\n").is_empty());
    }

    #[test]
    fn strangers_at_the_top_are_found() {
        let sources = Table::read(&root()).sources;
        assert_eq!(
            sources.stranger("notes.md").as_deref(),
            Some("notes.md: does not belong at the top level")
        );
        assert_eq!(sources.stranger(".gitignore"), None);
        assert_eq!(sources.stranger("services"), None);
    }
}
