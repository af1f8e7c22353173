//! A plan, and the checks that no plan passes by without.
//!
//! The harness orders the files into levels; what the model says of an order does not count.

use crate::finding::{Finding, Location};
use crate::ids::Digest;
use crate::owned::{self, CONTRACT_FILE, CONTRACT_FUNCTION};
use crate::path::WorkspacePath;
use std::collections::{BTreeMap, BTreeSet};

/// Most files that one plan may have.
pub const MAX_FILES: usize = 200;

/// A file that the model is to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFile {
    /// Where.
    pub path: WorkspacePath,
    /// What for, in a sentence.
    pub purpose: String,
    /// What other files may import from it.
    pub exports: Vec<Export>,
    /// The planned files it imports from.
    pub depends_on: Vec<WorkspacePath>,
}

/// A name that a file promises to define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: ExportKind,
}

/// The kinds of names that a rule can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKind {
    /// `def` or `async def`.
    Function,
    /// `class`.
    Class,
    /// Any other binding.
    Value,
}

impl ExportKind {
    /// The word used in plans.
    pub const fn name(self) -> &'static str {
        match self {
            ExportKind::Function => "function",
            ExportKind::Class => "class",
            ExportKind::Value => "value",
        }
    }

    /// From the word used in plans; models write several words for a plain value.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "function" | "def" => Some(ExportKind::Function),
            "class" | "dataclass" => Some(ExportKind::Class),
            "value" | "constant" | "variable" => Some(ExportKind::Value),
            _ => None,
        }
    }
}

/// A plan that passed every check. Only [`Plan::new`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    files: Vec<PlannedFile>,
    levels: Vec<Vec<WorkspacePath>>,
}

impl Plan {
    /// Checks the files and orders them into levels, or says everything that is wrong.
    pub fn new(mut files: Vec<PlannedFile>) -> Result<Self, Vec<Finding>> {
        if files.len() > MAX_FILES {
            // Nothing else is looked at: the rest would take time and say nothing that helps.
            return Err(vec![finding(
                "plan",
                "too-large",
                format!("{} files are planned; at most {MAX_FILES} are allowed", files.len()),
            )]);
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let mut findings = shape_findings(&files);
        let levels = match levels(&files) {
            Ok(levels) => levels,
            Err(cycle) => {
                findings.push(cycle);
                Vec::new()
            }
        };
        if findings.is_empty() {
            Ok(Self { files, levels })
        } else {
            findings.sort();
            findings.dedup();
            Err(findings)
        }
    }

    /// The files in the order of their paths.
    pub fn files(&self) -> &[PlannedFile] {
        &self.files
    }

    /// One file.
    pub fn file(&self, path: &WorkspacePath) -> Option<&PlannedFile> {
        self.files.iter().find(|file| &file.path == path)
    }

    /// The files of a level, counted from 1; empty past the last one.
    pub fn level(&self, level: u32) -> &[WorkspacePath] {
        let index = (level as usize).checked_sub(1);
        index.and_then(|i| self.levels.get(i)).map_or(&[], Vec::as_slice)
    }

    /// How many levels there are; at least one.
    pub fn level_count(&self) -> u32 {
        self.levels.len() as u32
    }

    /// Every planned file that imports from `path`, directly or not.
    pub fn dependents(&self, path: &WorkspacePath) -> BTreeSet<WorkspacePath> {
        let mut found = BTreeSet::new();
        let mut open = vec![path.clone()];
        while let Some(next) = open.pop() {
            for file in &self.files {
                if file.depends_on.contains(&next) && found.insert(file.path.clone()) {
                    open.push(file.path.clone());
                }
            }
        }
        found
    }

    /// Identity of the plan: what an approval names.
    pub fn digest(&self) -> Digest {
        let mut parts: Vec<String> = Vec::new();
        for file in &self.files {
            parts.push(file.path.to_string());
            parts.push(file.purpose.clone());
            // The counts keep apart what a name with a line break could run together.
            parts.push(format!("{} {}", file.exports.len(), file.depends_on.len()));
            for export in &file.exports {
                parts.push(export.name.clone());
                parts.push(export.kind.name().to_owned());
            }
            parts.extend(file.depends_on.iter().map(ToString::to_string));
        }
        Digest::of_parts(parts.iter().map(String::as_bytes))
    }
}

fn finding(file: &str, rule: &str, message: String) -> Finding {
    Finding::new(format!("plan/{rule}"), Location::file(file), message)
}

fn shape_findings(files: &[PlannedFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    if files.is_empty() {
        findings.push(finding(
            "plan",
            "empty",
            "the plan has no file; plan at least src/experiment.py".into(),
        ));
    }
    let known: BTreeSet<&WorkspacePath> = files.iter().map(|file| &file.path).collect();
    let mut folded: BTreeMap<String, &WorkspacePath> = BTreeMap::new();
    for file in files {
        let path = file.path.as_str();
        if let Err(refused) = owned::model_may_write(&file.path) {
            findings.push(finding(path, "owner", refused.to_string()));
        }
        if let Some(first) = folded.insert(file.path.folded(), &file.path) {
            findings.push(finding(
                path,
                "duplicate",
                format!("the same file is planned twice (also as {first})"),
            ));
        }
        for dependency in &file.depends_on {
            if !known.contains(dependency) && !owned::FILES.iter().any(|owned| owned.path == dependency.as_str()) {
                findings.push(finding(
                    path,
                    "unplanned-dependency",
                    format!("it depends on {dependency}, which is not planned; plan that file or drop the dependency"),
                ));
            }
        }
        let mut names = BTreeSet::new();
        for export in &file.exports {
            if !is_identifier(&export.name) {
                findings.push(finding(
                    path,
                    "export",
                    format!(
                        "{:?} is no name that a Python file can define; give the bare name",
                        export.name
                    ),
                ));
            }
            if !names.insert(&export.name) {
                findings.push(finding(path, "export", format!("{} is exported twice", export.name)));
            }
        }
    }
    findings.extend(clash_findings(&folded));
    let contract = files.iter().find(|file| file.path.as_str() == CONTRACT_FILE);
    let keeps = contract.is_some_and(|file| {
        file.exports
            .iter()
            .any(|e| e.name == CONTRACT_FUNCTION && e.kind == ExportKind::Function)
    });
    if !files.is_empty() && !keeps {
        findings.push(finding(
            CONTRACT_FILE,
            "entry",
            format!(
                "the plan has to contain {CONTRACT_FILE} exporting the function {CONTRACT_FUNCTION}(config, recorder)"
            ),
        ));
    }
    findings
}

/// Files that cannot stand beside each other: a file and a folder of one name, a module and a package.
fn clash_findings(folded: &BTreeMap<String, &WorkspacePath>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (key, path) in folded {
        let below = |folder: String| {
            folded
                .range(folder.clone()..)
                .take_while(move |(other, _)| other.starts_with(&folder))
                .map(|(_, other)| *other)
        };
        if let Some(other) = below(format!("{key}/")).next() {
            findings.push(finding(
                path.as_str(),
                "clash",
                format!("it is planned as a file, and as the folder of {other}"),
            ));
        }
        let package = key.strip_suffix(".py").map(|stem| format!("{stem}/"));
        if let Some(other) = package.and_then(|folder| below(folder).find(|p| p.is_python())) {
            findings.push(finding(
                path.as_str(),
                "clash",
                format!("it and the package of {other} would be one module; rename one of them"),
            ));
        }
    }
    findings
}

/// Whether a Python file can define `name`; letters of every script count, as they do in Python.
fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first == '_' || first.is_alphabetic())
        && chars.all(|c| c == '_' || c.is_alphanumeric())
}

/// Orders the files so that each stands after everything it depends on.
fn levels(files: &[PlannedFile]) -> Result<Vec<Vec<WorkspacePath>>, Finding> {
    let mut open: BTreeMap<&WorkspacePath, BTreeSet<&WorkspacePath>> = BTreeMap::new();
    for file in files {
        let planned = file
            .depends_on
            .iter()
            .filter(|path| files.iter().any(|f| &f.path == *path));
        open.entry(&file.path).or_default().extend(planned);
    }
    let mut levels = Vec::new();
    while !open.is_empty() {
        let ready: Vec<WorkspacePath> = open
            .iter()
            .filter(|(_, needs)| needs.is_empty())
            .map(|(path, _)| (*path).clone())
            .collect();
        if ready.is_empty() {
            let members: Vec<&str> = open.keys().map(|path| path.as_str()).collect();
            let first = members.first().copied().unwrap_or("plan");
            return Err(finding(
                first,
                "cycle",
                format!(
                    "these files depend on each other in a circle, or on files in one: {}; break the circle",
                    members.join(", ")
                ),
            ));
        }
        open.retain(|path, _| !ready.contains(path));
        for needs in open.values_mut() {
            needs.retain(|path| !ready.contains(path));
        }
        levels.push(ready);
    }
    Ok(levels)
}
