//! Whether a planned file would be imported in place of a module that other code means (faults A8).
//!
//! `src/` comes first in the program's module search path, so only what stands directly below it can
//! stand in the way. Knows names only; what an environment really holds, the verifier's import shows.

use crate::owned::SOURCE_ROOT;
use crate::path::WorkspacePath;
use std::collections::BTreeMap;

const STANDARD_LIBRARY: &str = include_str!("../data/stdlib_modules.txt");
const DISTRIBUTION_MODULES: &str = include_str!("../data/distribution_modules.toml");

/// What a planned file would stand in the way of.
#[derive(Debug, thiserror::Error, PartialEq, Eq, Clone)]
pub enum Shadow {
    /// A module of the standard library.
    #[error("{path} would be imported in place of the standard library's module {module}; choose another name")]
    StandardLibrary {
        /// The planned file.
        path: WorkspacePath,
        /// The module that could no longer be imported.
        module: String,
    },
    /// A module of a package in the lock file.
    #[error(
        "{path} would be imported in place of the module {module} of the package {distribution}; choose another name"
    )]
    Distribution {
        /// The planned file.
        path: WorkspacePath,
        /// The module that could no longer be imported.
        module: String,
        /// The package that brings it, as the lock file names it.
        distribution: String,
    },
}

/// What `path` would hide, given the lock file of the environment (empty for the standard library alone).
pub fn shadowed_by(path: &WorkspacePath, lock_text: &str) -> Option<Shadow> {
    let module = top_level_module(path)?;
    if lines_of(STANDARD_LIBRARY).any(|name| name == module) {
        return Some(Shadow::StandardLibrary {
            path: path.clone(),
            module: module.to_owned(),
        });
    }
    let table = distribution_modules();
    let distribution = distributions(lock_text).find(|name| match table.get(name) {
        Some(modules) => modules.iter().any(|known| known == module),
        None => name.replace(['-', '.'], "_") == module.to_ascii_lowercase(),
    })?;
    Some(Shadow::Distribution {
        path: path.clone(),
        module: module.to_owned(),
        distribution,
    })
}

/// The name under which the program would import `path`, or the package that holds it.
///
/// A folder without `__init__.py` does not win over a package of the same name, but then what is
/// inside it cannot be imported: both ways round it is the wrong name.
fn top_level_module(path: &WorkspacePath) -> Option<&str> {
    let inside = path.as_str().strip_prefix(SOURCE_ROOT)?.strip_prefix('/')?;
    let (stem, suffix) = path.file_name().split_once('.')?;
    // `random.cpython-311-x86_64-linux-gnu.so` is a module as well.
    let importable =
        suffix == "py" || suffix == "pyc" || [".so", ".pyd"].iter().any(|end| path.as_str().ends_with(end));
    if !importable {
        return None;
    }
    Some(inside.split_once('/').map_or(stem, |(folder, _)| folder))
}

fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The names of the packages in a lock file in the format of requirements, normalised.
///
/// Every other line of such a file is indented (hashes, remarks), an option or a remark.
fn distributions(lock_text: &str) -> impl Iterator<Item = String> {
    lock_text
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_alphanumeric()))
        .map(|line| {
            let end = line.find(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c));
            normalised(line.get(..end.unwrap_or(line.len())).unwrap_or(line))
        })
}

/// The one spelling of a package's name: lower case, every run of `-`, `_` and `.` a single `-` (PEP 503).
fn normalised(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '-' | '_' | '.' if out.ends_with('-') => {}
            '-' | '_' | '.' => out.push('-'),
            other => out.push(other.to_ascii_lowercase()),
        }
    }
    out
}

/// Empty only when the embedded file is not of its form, which a test excludes.
fn distribution_modules() -> BTreeMap<String, Vec<String>> {
    toml::from_str(DISTRIBUTION_MODULES).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_modules_is_of_its_form_and_says_only_what_its_keys_do_not() {
        let table = distribution_modules();
        assert!(table.len() >= 40, "{} entries", table.len());
        for (name, modules) in &table {
            assert_eq!(name, &normalised(name));
            assert_ne!(modules, &[name.replace('-', "_")], "{name} need not stand here");
            assert!(modules.is_sorted() && !modules.is_empty(), "{name}");
        }
    }

    #[test]
    fn the_list_of_the_standard_library_is_sorted_and_whole() {
        let names: Vec<&str> = lines_of(STANDARD_LIBRARY).collect();
        assert!(names.is_sorted());
        for version in ["asyncore", "distutils", "tomllib", "_interpreters", "random"] {
            assert!(names.contains(&version), "{version}");
        }
    }

    #[test]
    fn names_are_read_from_every_form_of_line() {
        let lock = "# by a tool\n--index-url https://x\nNumPy==2.2.6 \\\n    --hash=sha256:00\n    # via pandas\n\
                    ruamel.yaml[jinja2]==0.18 ; python_version >= '3.10'\nplain\nfoo__bar @ https://x/y.whl\r\n-e ./z\n";
        let names: Vec<String> = distributions(lock).collect();
        assert_eq!(names, ["numpy", "ruamel-yaml", "plain", "foo-bar"]);
    }
}
