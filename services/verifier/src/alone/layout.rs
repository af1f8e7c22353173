//! Where the files of a folder stand once they are laid out as a workspace, and back: checks see `src/` as the source root,
//! people see their own folder.

use super::folder::FolderError;
use bytes::Bytes;
use interlock_domain::owned::SOURCE_ROOT;
use interlock_domain::{Finding, Location};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

/// The script that a run starts, where there is one.
const USUAL_ENTRY: &str = "src/main.py";
/// Where files below `src/` stand that are outside of the source root.
const ASIDE: &str = "src-aside";

/// Which folder is first on the module path, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The source root in the folder's own paths; empty for the folder itself.
    pub(super) root: String,
    /// The script, in the folder's own paths.
    pub(super) entry: Option<String>,
    /// Why this root.
    pub(super) because: &'static str,
    /// The package that the folder itself is.
    package: Option<String>,
    /// Folders that lie in the source root and are none of the program's, such as `docs` and `tests`.
    loose: BTreeSet<String>,
}

impl Layout {
    /// For a folder with a script, a source root, or neither named.
    ///
    /// # Errors
    /// What is named is not there.
    pub(super) fn of(folder: &Path, entry: Option<&Path>, root: Option<&Path>) -> Result<Self, FolderError> {
        let layout = |root: &str, entry: Option<String>, because| Self {
            root: root.to_owned(),
            entry,
            because,
            package: None,
            loose: BTreeSet::new(),
        };
        if let Some(entry) = entry {
            let script = inside(folder, entry).filter(|path| path.ends_with(".py") && folder.join(path).is_file());
            let script = script.ok_or_else(|| FolderError::NoEntry(entry.to_owned()))?;
            let root = script.rsplit_once('/').map_or("", |(root, _)| root).to_owned();
            return Ok(layout(&root, Some(script), "the script's folder"));
        }
        if let Some(root) = root {
            let path = inside(folder, root).filter(|path| folder.join(path).is_dir());
            return Ok(layout(
                &path.ok_or_else(|| FolderError::NoRoot(root.to_owned()))?,
                None,
                "named by --root",
            ));
        }
        let (script, source) = (folder.join(USUAL_ENTRY), folder.join(SOURCE_ROOT));
        if script.is_file() {
            return Ok(layout(
                SOURCE_ROOT,
                Some(USUAL_ENTRY.to_owned()),
                "there is src/main.py",
            ));
        }
        if source.is_dir() && !source.join("__init__.py").exists() {
            return Ok(layout(SOURCE_ROOT, None, "there is a folder src that is no package"));
        }
        let mut plain = layout("", None, "the folder itself");
        if folder.join("__init__.py").is_file() {
            let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
            plain.package = real.file_name().map(|name| name.to_string_lossy().into_owned());
            plain.because = "the folder above, because this one is a package";
        }
        Ok(plain)
    }

    /// Sets the folders aside that a project has beside its packages: without `__init__.py`, and with a name that no file
    /// outside of them imports. Programs of their own, run where the program is not: as if they lay outside the root.
    pub(super) fn set_aside(&mut self, files: &BTreeMap<String, Bytes>) {
        if !self.root.is_empty() || self.package.is_some() {
            return;
        }
        let python = || files.iter().filter(|(path, _)| path.ends_with(".py"));
        let tops: BTreeSet<&str> = python().filter_map(|(path, _)| Some(path.split_once('/')?.0)).collect();
        let is_loose = |top: &&str| {
            let folder = format!("{top}/");
            let imports = [format!("import {top}"), format!("from {top}")];
            let imported = || {
                let others = python().filter(|(path, _)| !path.starts_with(&folder));
                let mut texts = others.map(|(_, text)| String::from_utf8_lossy(text));
                texts.any(|text| imports.iter().any(|import| text.contains(import.as_str())))
            };
            *top != SOURCE_ROOT && !files.contains_key(&format!("{folder}__init__.py")) && !imported()
        };
        self.loose = tops.into_iter().filter(is_loose).map(str::to_owned).collect();
    }

    /// The path in the workspace.
    pub(super) fn inside(&self, path: &str) -> String {
        if let Some(package) = &self.package {
            return format!("{SOURCE_ROOT}/{package}/{path}");
        }
        let is_aside = |path: &str| match path.split_once('/') {
            Some((top, _)) => self.loose.contains(top),
            // Run where the project is built, which is another environment.
            None => path == "setup.py",
        };
        let below = match self.root.as_str() {
            "" if is_aside(path) => None,
            "" => Some(path),
            root => path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')),
        };
        match (
            below,
            path.strip_prefix(SOURCE_ROOT).and_then(|rest| rest.strip_prefix('/')),
        ) {
            (Some(rest), _) => format!("{SOURCE_ROOT}/{rest}"),
            (None, Some(rest)) => format!("{ASIDE}/{rest}"),
            (None, None) => path.to_owned(),
        }
    }

    /// The folder's own path.
    pub(super) fn outside(&self, path: &str) -> String {
        let below = |top: &str| path.strip_prefix(top).and_then(|rest| rest.strip_prefix('/'));
        let source = match &self.package {
            Some(package) => below(&format!("{SOURCE_ROOT}/{package}")).or_else(|| below(SOURCE_ROOT)),
            None => below(SOURCE_ROOT),
        };
        match (source, below(ASIDE)) {
            (Some(rest), _) if self.root.is_empty() => rest.to_owned(),
            (Some(rest), _) => format!("{}/{rest}", self.root),
            (None, Some(rest)) if self.root != SOURCE_ROOT => format!("{SOURCE_ROOT}/{rest}"),
            (None, _) => path.to_owned(),
        }
    }

    /// A finding in the folder's own paths.
    pub(super) fn renamed(&self, finding: Finding) -> Finding {
        let place = |at: Location| Location {
            file: self.outside(&at.file),
            ..at
        };
        Finding {
            at: place(finding.at),
            other: finding.other.map(place),
            message: self.said(&finding.message),
            rule: finding.rule,
        }
    }

    /// A text in which paths of the workspace may be named.
    fn said(&self, text: &str) -> String {
        let own = text.replace("/work/", "");
        if self.root == SOURCE_ROOT {
            return own;
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || "._/+@-".contains(c);
        let mut words = Vec::new();
        for piece in own.split_inclusive(|c: char| !is_part(c)) {
            let word = piece.trim_end_matches(|c: char| !is_part(c));
            let rest = piece.get(word.len()..).unwrap_or_default();
            let names_a_file = word.starts_with("src/") && word.contains(".py");
            words.push(if names_a_file {
                self.outside(word)
            } else {
                word.to_owned()
            });
            words.push(rest.to_owned());
        }
        words.concat()
    }
}

/// The path in the folder of something that is named from the folder, or from where the command was started.
fn inside(folder: &Path, named: &Path) -> Option<String> {
    let from_here = || {
        Some(
            std::fs::canonicalize(named)
                .ok()?
                .strip_prefix(std::fs::canonicalize(folder).ok()?)
                .ok()?
                .to_owned(),
        )
    };
    let path = if named.is_relative() && folder.join(named).exists() {
        named.to_owned()
    } else {
        from_here()?
    };
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn layout(root: &str, package: Option<&str>) -> Layout {
        Layout {
            root: root.to_owned(),
            entry: None,
            because: "a case",
            package: package.map(str::to_owned),
            loose: BTreeSet::new(),
        }
    }

    #[test]
    fn every_path_leads_back_to_itself() {
        for layout in [
            layout("src", None),
            layout("", None),
            layout("app", None),
            layout("", Some("pkg")),
            layout("a/b", None),
        ] {
            for path in [
                "m.py",
                "src/m.py",
                "app/m.py",
                "app/src/m.py",
                "a/b/c.py",
                "tests/test_m.py",
                "pkg/m.py",
            ] {
                assert_eq!(layout.outside(&layout.inside(path)), path, "{layout:?}");
            }
        }
        assert_eq!(layout("app", None).inside("app/m.py"), "src/m.py");
        assert_eq!(
            layout("app", None).inside("src/m.py"),
            "src-aside/m.py",
            "not importable from app"
        );
        assert_eq!(layout("", Some("pkg")).inside("m.py"), "src/pkg/m.py");
    }

    #[test]
    fn messages_name_the_folders_own_files() {
        let said = |layout: Layout| layout.said("raises\n  at src/m.py:3 in f (see /work/src/m.py), not src/x");
        assert_eq!(
            said(layout("app", None)),
            "raises\n  at app/m.py:3 in f (see app/m.py), not src/x"
        );
        assert_eq!(
            said(layout("src", None)),
            "raises\n  at src/m.py:3 in f (see src/m.py), not src/x"
        );
    }

    #[test]
    fn the_source_root_is_found_where_nobody_names_it() {
        let of = |files: &[&str], entry: Option<&str>| {
            let folder = tempfile::tempdir().unwrap();
            for file in files {
                let path = folder.path().join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, "").unwrap();
            }
            Layout::of(folder.path(), entry.map(Path::new), None).map(|found| (found.root, found.entry))
        };
        let entry = |root: &str, entry: Option<&str>| (root.to_owned(), entry.map(str::to_owned));
        assert_eq!(of(&["src/m.py"], None).unwrap(), entry("src", None));
        assert_eq!(
            of(&["src/main.py", "src/__init__.py"], None).unwrap(),
            entry("src", Some("src/main.py"))
        );
        assert_eq!(of(&["src/m.py", "src/__init__.py"], None).unwrap(), entry("", None));
        assert_eq!(
            of(&["app/run.py", "src/m.py"], Some("./app/run.py")).unwrap(),
            entry("app", Some("app/run.py"))
        );
        assert_eq!(of(&["run.py"], Some("run.py")).unwrap(), entry("", Some("run.py")));
        for wrong in ["no.py", "app", "../run.py", "/etc/passwd"] {
            assert!(
                matches!(of(&["app/run.py"], Some(wrong)), Err(FolderError::NoEntry(_))),
                "{wrong}"
            );
        }
    }
}
