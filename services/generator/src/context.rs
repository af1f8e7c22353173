//! What a prompt shows of other files: their real source, or their interface where there is no room (faults B5).
//!
//! Nothing is dropped silently: every dependency stands there in one of the two forms, and the record says which.

use interlock_domain::payload::DependencyForm;
use interlock_domain::{Plan, WorkspacePath};
use interlock_model::fences;
use interlock_pysource::interface;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of other files' source in one prompt: some 30,000 tokens.
pub const PROMPT_SOURCE_BYTES: usize = 120_000;

/// The sources of a workspace's model-owned files.
pub type Sources = BTreeMap<WorkspacePath, String>;

/// One file in a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Which.
    pub path: WorkspacePath,
    /// In which form.
    pub form: DependencyForm,
    /// What is shown.
    pub text: String,
}

/// The files that a prompt shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// In the order of their paths.
    pub files: Vec<Dependency>,
}

/// Everything that `path` imports from, directly or not; harness-owned files are shown elsewhere.
pub fn dependencies_of(plan: &Plan, path: &WorkspacePath) -> BTreeSet<WorkspacePath> {
    let mut found = BTreeSet::new();
    let mut open = vec![path.clone()];
    while let Some(next) = open.pop() {
        for dependency in plan
            .file(&next)
            .map(|file| file.depends_on.as_slice())
            .unwrap_or_default()
        {
            if plan.file(dependency).is_some() && found.insert(dependency.clone()) {
                open.push(dependency.clone());
            }
        }
    }
    found
}

impl Context {
    /// Shows these files in at most `budget` bytes of whole sources. The largest files are reduced first, and files
    /// that `direct` names last.
    pub fn new(sources: &Sources, paths: &BTreeSet<WorkspacePath>, direct: &[WorkspacePath], budget: usize) -> Self {
        let shown = paths.iter().filter_map(|path| {
            let text = sources.get(path)?.clone();
            Some(Dependency {
                path: path.clone(),
                form: DependencyForm::Source,
                text,
            })
        });
        let mut files: Vec<Dependency> = shown.collect();
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|index| {
            let file = files.get(*index);
            let is_direct = file.is_some_and(|file| direct.contains(&file.path));
            (is_direct, std::cmp::Reverse(file.map_or(0, |file| file.text.len())))
        });
        for index in order {
            if files.iter().map(|file| file.text.len()).sum::<usize>() <= budget {
                break;
            }
            if let Some(file) = files.get_mut(index) {
                reduce(file);
            }
        }
        Self { files }
    }

    /// What the record says of it.
    pub fn forms(&self) -> Vec<(WorkspacePath, DependencyForm)> {
        self.files.iter().map(|file| (file.path.clone(), file.form)).collect()
    }

    /// The files as they stand in the prompt.
    pub fn text(&self) -> String {
        let parts = self.files.iter().map(|file| {
            let note = match file.form {
                DependencyForm::Source => "",
                DependencyForm::Interface => " (its interface; bodies are left out)",
            };
            let language = if file.path.is_python() { "python" } else { "text" };
            format!("`{}`{note}:\n{}", file.path, fences::fenced(language, &file.text))
        });
        parts.collect::<Vec<_>>().join("\n\n")
    }
}

/// A file without an interface stays whole: too much is better than something wrong.
fn reduce(file: &mut Dependency) {
    if !file.path.is_python() {
        return;
    }
    if let Ok(reduced) = interface(&file.text) {
        file.form = DependencyForm::Interface;
        file.text = reduced;
    }
}
