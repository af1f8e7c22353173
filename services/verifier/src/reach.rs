//! What the import of a file can depend on inside its workspace, as one digest for each file.
//!
//! Errs on the side of too much: a file reaches every module whose name it mentions at all, be it in a comment, and
//! everything where it may find modules without naming them. It never decides anything but whether to check again.

use interlock_domain::{Digest, owned};
use interlock_stage::workspace::Sources;
use std::collections::{BTreeMap, BTreeSet};

const DYNAMIC_WORDS: &str = include_str!("../policy/dynamic-words.txt");

/// The digests of one workspace.
#[derive(Debug, Default)]
pub struct Reach(BTreeMap<String, Digest>);

struct File<'a> {
    digest: Digest,
    words: BTreeSet<&'a [u8]>,
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
        let dynamic: BTreeSet<&[u8]> = DYNAMIC_WORDS
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty())
            .map(str::as_bytes)
            .collect();
        let files: BTreeMap<&str, File<'_>> = sources
            .iter()
            .filter(|(path, _)| python(path.as_str()))
            .map(|(path, content)| {
                let digest = Digest::of_parts([path.as_str().as_bytes(), content]);
                let mut words = words(content);
                if is_ours(path.as_str(), content) {
                    // Read on import are these files' own names alone.
                    words.retain(|word| !dynamic.contains(word));
                }
                (path.as_str(), File { digest, words })
            })
            .collect();
        let mut by_name: BTreeMap<&[u8], Vec<&str>> = BTreeMap::new();
        for path in files.keys() {
            by_name.entry(module_name(path)).or_default().push(path);
        }
        let digests = files.keys().map(|path| {
            let reached = reached(path, &files, &by_name);
            let is_dynamic = reached.iter().any(|path| {
                let words = files.get(path).map(|file| &file.words);
                words.is_some_and(|words| !words.is_disjoint(&dynamic))
            });
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
    files: &BTreeMap<&'a str, File<'a>>,
    by_name: &BTreeMap<&[u8], Vec<&'a str>>,
) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::from([path]);
    let mut open = vec![path];
    while let Some(next) = open.pop() {
        let words = files.get(next).map(|file| &file.words);
        for word in words.into_iter().flatten() {
            for target in by_name.get(word).into_iter().flatten() {
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
fn words(content: &[u8]) -> BTreeSet<&[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    content
        .split(|byte| !is_word(byte))
        .filter(|word| !word.is_empty())
        .collect()
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
