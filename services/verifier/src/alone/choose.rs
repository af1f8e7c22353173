//! Which files of a folder are imported, and which are tests. Everything else is checked without being run, and the report
//! says which that is.

use super::layout::Layout;
use crate::testing::is_test;
use interlock_domain::WorkspacePath;
use std::collections::BTreeMap;

/// Files that are started by a tool of their own, and do their work when they are imported.
const STARTED_BY_TOOLS: [&str; 3] = ["conftest.py", "setup.py", "__main__.py"];

/// The files by what is done with them, in paths of the workspace.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Chosen {
    /// Imported, in this order: the entry last.
    pub(super) imported: Vec<String>,
    /// Run by pytest.
    pub(super) tests: Vec<String>,
    /// Only looked at, with the reason.
    pub(super) not_imported: BTreeMap<String, &'static str>,
}

/// Sorts the Python files.
pub(super) fn choose(texts: &BTreeMap<String, String>, layout: &Layout) -> Chosen {
    let mut chosen = Chosen::default();
    let entry = layout.entry.as_ref().map(|entry| layout.inside(entry));
    for (path, text) in texts {
        let name = path.rsplit('/').next().unwrap_or(path);
        if entry.as_ref() == Some(path) {
            continue;
        }
        let named_as_test = path.parse::<WorkspacePath>().is_ok_and(|path| is_test(&path));
        if named_as_test && has_test(text) {
            chosen.tests.push(path.clone());
            continue;
        }
        let why = if !path.starts_with("src/") {
            "it is outside of the source root"
        } else if STARTED_BY_TOOLS.contains(&name) {
            "a tool starts it"
        } else {
            chosen.imported.push(path.clone());
            continue;
        };
        chosen.not_imported.insert(path.clone(), why);
    }
    chosen.imported.extend(entry.filter(|path| texts.contains_key(path)));
    chosen
}

/// Whether pytest would find a test by its own defaults: a function `test*`, a class `Test*`, or a case of unittest. Looks
/// at the text: one too many is collected in vain, which the tests' own answer says.
fn has_test(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        let function = line.strip_prefix("async ").unwrap_or(line).trim_start();
        function.starts_with("def test")
            || line.starts_with("class ") && (line.starts_with("class Test") || line.contains("TestCase"))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Folder;
    use super::*;
    use std::path::Path;

    fn chosen(files: &[(&str, &str)], entry: Option<&str>) -> Chosen {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let read = Folder::read(folder.path(), entry.map(Path::new), None).unwrap();
        let texts = files
            .iter()
            .map(|(path, text)| (read.layout.inside(path), (*text).to_owned()));
        choose(&texts.collect(), &read.layout)
    }

    #[test]
    fn a_test_file_has_a_tests_name_and_a_test() {
        let test = "def test_it():\n    pass\n";
        let files = [
            ("src/test_data.py", "ROWS = 3\n"),
            ("src/test_model.py", test),
            (
                "src/ab_test.py",
                "import unittest\nclass T(unittest.TestCase):\n    def check(self): pass\n",
            ),
            ("src/model.py", test),
            (
                "tests/test_model.py",
                "class TestModel:\n    async def test_x(self): pass\n",
            ),
            ("tests/helper.py", ""),
        ];
        let chosen = chosen(&files, None);
        assert_eq!(chosen.imported, ["src/model.py", "src/test_data.py"]);
        assert_eq!(
            chosen.tests,
            ["src/ab_test.py", "src/test_model.py", "tests/test_model.py"]
        );
        assert_eq!(chosen.not_imported.into_keys().collect::<Vec<_>>(), ["tests/helper.py"]);
    }

    #[test]
    fn the_entry_comes_last_and_tools_scripts_not_at_all() {
        let files = [
            ("a.py", ""),
            ("setup.py", ""),
            ("z.py", ""),
            ("pkg/__init__.py", ""),
            ("pkg/__main__.py", ""),
        ];
        assert_eq!(
            chosen(&files, Some("a.py")).imported,
            ["src/pkg/__init__.py", "src/z.py", "src/a.py"]
        );
    }

    #[test]
    fn loose_scripts_are_imported_only_where_somebody_imports_them() {
        let files = [
            ("m.py", "from bench.x import f\n"),
            ("bench/x.py", ""),
            ("docs/conf.py", "import m\n"),
        ];
        let chosen = chosen(&files, None);
        assert_eq!(chosen.imported, ["src/bench/x.py", "src/m.py"]);
        assert_eq!(chosen.not_imported.into_keys().collect::<Vec<_>>(), ["docs/conf.py"]);
    }
}
