//! Whether planned files can be imported at all by those that say they depend on them.
//!
//! Looks at names and places only. Whether an import is really there, the verifier sees.

use interlock_domain::owned::SOURCE_ROOT;
use interlock_domain::plan::PlannedFile;
use interlock_domain::{Finding, Location, WorkspacePath};
use std::collections::BTreeSet;

/// Python's keywords: words that no module can be imported by.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// What stands in the way of imports.
pub(crate) fn findings(files: &[PlannedFile]) -> Vec<Finding> {
    let imported: BTreeSet<&WorkspacePath> = files
        .iter()
        .filter(|file| file.path.is_python())
        .flat_map(|file| &file.depends_on)
        .collect();
    files.iter().filter_map(|file| obstacle(file, &imported)).collect()
}

fn obstacle(file: &PlannedFile, imported: &BTreeSet<&WorkspacePath>) -> Option<Finding> {
    let path = &file.path;
    let finding = |rule: &str, message: String| {
        let at = Location::file(path.as_str());
        Some(Finding::new(format!("plan/{rule}"), at, message))
    };
    if !path.is_python() {
        let message = "only Python files export names; leave its exports empty".to_owned();
        return if file.exports.is_empty() {
            None
        } else {
            finding("export", message)
        };
    }
    if file.exports.is_empty() && !imported.contains(path) {
        return None;
    }
    let mut segments = path.segments();
    if segments.next() != Some(SOURCE_ROOT) {
        return finding(
            "not-importable",
            format!("it lies outside {SOURCE_ROOT}/, so nothing can import it; move it below {SOURCE_ROOT}/"),
        );
    }
    let wrong = segments
        .map(|segment| segment.strip_suffix(".py").unwrap_or(segment))
        .find(|name| !is_module_name(name))?;
    finding(
        "module-name",
        format!("{wrong:?} is no name that Python can import; use letters, digits and underscores, and no keyword"),
    )
}

fn is_module_name(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !KEYWORDS.contains(&name)
}
