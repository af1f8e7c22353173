//! What the import of a file can depend on inside its workspace, as one digest for each file.
//!
//! Errs on the side of too much: a file reaches every module that a line with `import` or `from` mentions, be it a
//! comment; every module that it mentions at all, where it speaks of `.py` files; and everything, where it may find
//! modules without naming them. It never decides anything but whether to check again.

use interlock_domain::{Digest, owned};
use interlock_stage::workspace::Sources;
use std::collections::{BTreeMap, BTreeSet};

const DYNAMIC_WORDS: &str = include_str!("../policy/dynamic-words.txt");

/// The digests of one workspace.
#[derive(Debug, Default)]
pub struct Reach(BTreeMap<String, Digest>);

struct File {
    digest: Digest,
    /// Words that may name a module.
    words: BTreeSet<Vec<u8>>,
    is_dynamic: bool,
}

impl Reach {
    /// Reads every file of a workspace.
    pub fn of(sources: &Sources) -> Self {
        let python = |path: &str| path.ends_with(".py");
        let everything = Digest::of_parts(
            sources
                .iter()
                .flat_map(|(path, content)| [path.as_str().as_bytes(), content]),
        );
        // Data may be read on import under names that are put together: they count for every file.
        let data = sources.iter().filter(|(path, _)| !python(path.as_str()));
        let data = Digest::of_parts(data.flat_map(|(path, content)| [path.as_str().as_bytes(), content]));
        let dynamic: BTreeSet<Vec<u8>> = DYNAMIC_WORDS
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty())
            .map(|line| line.as_bytes().to_vec())
            .collect();
        let files: BTreeMap<&str, File> = sources
            .iter()
            .filter(|(path, _)| python(path.as_str()))
            .map(|(path, content)| {
                let digest = Digest::of_parts([path.as_str().as_bytes(), content]);
                let all = words(content);
                // What the harness's own files import, they name.
                let is_dynamic = !is_ours(path.as_str(), content) && !all.is_disjoint(&dynamic);
                let words = if all.contains(&b"py"[..]) {
                    all
                } else {
                    words(&import_lines(content))
                };
                (
                    path.as_str(),
                    File {
                        digest,
                        words,
                        is_dynamic,
                    },
                )
            })
            .collect();
        let mut by_name: BTreeMap<&[u8], Vec<&str>> = BTreeMap::new();
        for path in files.keys() {
            by_name.entry(module_name(path)).or_default().push(path);
        }
        let digests = files.keys().map(|path| {
            let reached = reached(path, &files, &by_name);
            let is_dynamic = reached
                .iter()
                .any(|path| files.get(path).is_some_and(|file| file.is_dynamic));
            let parts = reached
                .iter()
                .filter_map(|path| files.get(path))
                .map(|file| &file.digest);
            let last = if is_dynamic { &everything } else { &data };
            let parts: Vec<String> = parts.chain([last]).map(ToString::to_string).collect();
            ((*path).to_owned(), Digest::of_parts(parts.iter().map(String::as_bytes)))
        });
        Self(digests.collect())
    }

    /// What the import of this file depends on; `None` for a file that was not there.
    pub fn digest(&self, path: &str) -> Option<&Digest> {
        self.0.get(path)
    }
}

/// Whether this is a file of the harness's, which imports nothing that it does not name.
fn is_ours(path: &str, content: &[u8]) -> bool {
    owned::FILES
        .iter()
        .any(|file| file.path == path && file.content.as_bytes() == content)
}

/// The file and all that it reaches.
fn reached<'a>(
    path: &'a str,
    files: &BTreeMap<&'a str, File>,
    by_name: &BTreeMap<&[u8], Vec<&'a str>>,
) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::from([path]);
    let mut open = vec![path];
    while let Some(next) = open.pop() {
        let words = files.get(next).map(|file| &file.words);
        for word in words.into_iter().flatten() {
            for target in by_name.get(word.as_slice()).into_iter().flatten() {
                if seen.insert(target) {
                    open.push(target);
                }
            }
        }
    }
    seen
}

/// The last word of a module's name: what every import of it has to mention.
fn module_name(path: &str) -> &[u8] {
    let mut parts = path.trim_end_matches(".py").rsplit('/');
    let last = parts.next().unwrap_or_default();
    let name = if last == "__init__" {
        parts.next().unwrap_or_default()
    } else {
        last
    };
    name.as_bytes()
}

/// Everything that could be a name, wherever it stands; bytes above ASCII belong to names.
fn words(content: &[u8]) -> BTreeSet<Vec<u8>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let words = content.split(|byte| !is_word(byte)).filter(|word| !word.is_empty());
    words.map(<[u8]>::to_vec).collect()
}

/// The lines on which an import may stand, with those that an open bracket or a backslash adds.
fn import_lines(content: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    let (mut is_open, mut goes_on) = (false, false);
    for line in content.split(|byte| *byte == b'\n' || *byte == b'\r') {
        let words = words(line);
        let is_import = words.contains(&b"import"[..]) || words.contains(&b"from"[..]);
        if is_import || is_open || goes_on {
            kept.extend_from_slice(line);
            kept.push(b'\n');
            // A mark may begin a comment or stand in a string: open is what either reading leaves open.
            let code = line.split(|byte| *byte == b'#').next().unwrap_or_default();
            is_open = [line, code].iter().any(|text| {
                let last = text.iter().rev().find(|byte| matches!(byte, b'(' | b')'));
                last.map_or(is_open, |bracket| *bracket == b'(')
            });
            goes_on = line.trim_ascii_end().ends_with(b"\\");
        }
    }
    kept
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn workspace(files: &[(&str, &str)]) -> Reach {
        let sources = files.iter().map(|(path, text)| {
            let path = path.parse().unwrap();
            (path, Bytes::copy_from_slice(text.as_bytes()))
        });
        Reach::of(&sources.collect())
    }

    /// Whether what is known about `src/a.py` still holds after the change.
    fn holds(before: &[(&str, &str)], after: &[(&str, &str)]) -> bool {
        workspace(before).digest("src/a.py") == workspace(after).digest("src/a.py")
    }

    #[test]
    fn a_file_depends_on_itself_and_on_what_it_reaches() {
        let before = [
            ("src/a.py", "import b"),
            ("src/b.py", "from p.c import f"),
            ("src/p/c.py", ""),
            ("src/d.py", ""),
        ];
        assert!(holds(&before, &before));
        for (path, text) in [
            ("src/a.py", "import b "),
            ("src/b.py", "import p.c"),
            ("src/p/c.py", "x = 1"),
        ] {
            let after = before.map(|(p, t)| if p == path { (p, text) } else { (p, t) });
            assert!(!holds(&before, &after), "{path}");
        }
        let after = before.map(|(p, t)| if p == "src/d.py" { (p, "x = 1") } else { (p, t) });
        assert!(holds(&before, &after));
        let more: Vec<_> = before.into_iter().chain([("src/e.py", "import a")]).collect();
        assert!(holds(&before, &more), "a new file that nothing mentions");
    }

    #[test]
    fn a_new_module_counts_where_it_is_mentioned() {
        let before = [("src/a.py", "try:\n    import extra\nexcept ImportError:\n    pass")];
        assert!(!holds(&before, &[before[0], ("src/extra.py", "")]));
        assert!(!holds(&before, &[before[0], ("src/extra/__init__.py", "")]));
    }

    #[test]
    fn a_mention_elsewhere_does_not_count() {
        let before = [
            ("src/a.py", "# What the report needs.\nimport json"),
            ("src/report.py", "1"),
        ];
        assert!(holds(&before, &[before[0], ("src/report.py", "2")]));
    }

    #[test]
    fn imports_are_seen_however_they_are_written() {
        for text in [
            "x = 1; import report",
            "try: import report\nexcept ImportError: pass",
            "from pack import (\n    one,\n    report,\n)",
            "from pack import one, \\\n    report",
            "import \\\n    report",
            "from pack import (  # (\n    one,  # )\n    report)",
            "x = '#'; from pack import (\n    one,\n    report)",
            "if True:\n\tfrom report import x",
            "import one\rimport report",
        ] {
            let before = [("src/a.py", text), ("src/report.py", "1")];
            assert!(!holds(&before, &[before[0], ("src/report.py", "2")]), "{text}");
        }
    }

    #[test]
    fn data_and_dynamic_imports_depend_on_more() {
        let plain = ("src/a.py", "import b");
        assert!(!holds(&[plain, ("c.json", "1")], &[plain, ("c.json", "2")]));
        let dynamic = ("src/a.py", "import importlib as i\ni.import_module('b' + 'c')");
        assert!(!holds(&[dynamic, ("src/bc.py", "1")], &[dynamic, ("src/bc.py", "2")]));
        let through = [plain, ("src/b.py", "eval(x)"), ("src/z.py", "1")];
        assert!(!holds(&through, &[plain, ("src/b.py", "eval(x)"), ("src/z.py", "2")]));
    }

    #[test]
    fn a_name_in_a_string_is_a_mention() {
        let before = [("src/a.py", "open('src/notes.py')"), ("src/notes.py", "1")];
        assert!(!holds(&before, &[before[0], ("src/notes.py", "2")]));
    }
}
