//! The files of one workspace as the modules a program would see. Answers questions about names across files;
//! knows no rule.

mod modules;
mod mro;
mod names;
mod resolve;

pub(crate) use modules::Place;
pub(crate) use mro::{Base, ClassId, Mro};
pub(crate) use names::Presence;
pub(crate) use resolve::{Binding, Entity, FunctionId};

use crate::facts::{Class, Facts};
use crate::source::Unreadable;
use crate::tree::interpreter;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The files of one workspace, read once.
#[derive(Debug)]
pub struct Workspace {
    files: BTreeMap<String, String>,
    source_root: String,
    env_modules: BTreeSet<String>,
    stdlib_modules: BTreeSet<String>,
    facts: BTreeMap<String, Result<Facts, Unreadable>>,
    modules: modules::Modules,
    shared: Shared,
    /// Resolution orders of all classes, worked out once.
    orders: BTreeMap<ClassId, Arc<Mro>>,
    /// Classes below each class, at any depth.
    below: BTreeMap<ClassId, Vec<ClassId>>,
}

/// What any file of the workspace does to objects of any other.
#[derive(Debug, Default)]
struct Shared {
    /// Attributes that are set somewhere on something.
    stored_attributes: BTreeSet<String>,
    /// Some object gets attributes whose names are not in the text.
    opens_objects: bool,
    /// Modules that some file imports, with the packages they are in.
    loaded: BTreeSet<String>,
    /// Some file imports modules whose names are not in the text.
    loads_anything: bool,
    /// Modules are looked for in other folders too.
    changes_path: bool,
    /// Modules that get attributes whose names are not in the text.
    opened_modules: BTreeSet<String>,
    /// Classes that have a class below them.
    subclassed: BTreeSet<ClassId>,
    /// Names of base classes that lead nowhere for sure.
    unclear_bases: BTreeSet<String>,
}

impl Workspace {
    /// Reads every Python file of a workspace.
    ///
    /// `source_root` is the folder that is first on the module path (`src` when `python src/main.py` runs; empty for
    /// the workspace itself). `env_modules` and `stdlib_modules` are the top-level names that the environment of
    /// the run can import.
    pub fn new(
        files: BTreeMap<String, String>,
        source_root: &str,
        env_modules: BTreeSet<String>,
        stdlib_modules: BTreeSet<String>,
    ) -> Self {
        let source_root = source_root.trim_end_matches('/').to_owned();
        let is_python = |path: &&String| path.ends_with(".py");
        let facts = files
            .iter()
            .filter(|(path, _)| is_python(path))
            .map(|(path, text)| (path.clone(), Facts::read(text)))
            .collect();
        let modules = modules::Modules::of(files.keys(), &source_root);
        let mut workspace = Self {
            files,
            source_root,
            env_modules,
            stdlib_modules,
            facts,
            modules,
            shared: Shared::default(),
            orders: BTreeMap::new(),
            below: BTreeMap::new(),
        };
        workspace.work_out();
        workspace
    }

    /// Replaces the facts of `path` by those of the interpreter's own tree, as `python/tree.py` writes it: for files
    /// that the interpreter accepts and the Rust parser cannot read.
    ///
    /// # Errors
    /// The tree does not belong to the file, or is no tree.
    pub fn with_interpreter_tree(&mut self, path: &str, json: &str) -> Result<(), Unreadable> {
        let text = self
            .files
            .get(path)
            .ok_or_else(|| Unreadable::new(format!("{path} is not in the workspace")))?;
        let facts = interpreter::with_tree(text, json, Facts::of)?;
        self.facts.insert(path.to_owned(), Ok(facts));
        self.work_out();
        Ok(())
    }

    /// Python files that the Rust parser could not read, and why.
    pub fn unreadable(&self) -> impl Iterator<Item = (&str, &Unreadable)> {
        self.facts
            .iter()
            .filter_map(|(path, facts)| Some((path.as_str(), facts.as_ref().err()?)))
    }

    /// Paths of every Python file, sorted, whether or not it could be read.
    pub fn python_files(&self) -> impl Iterator<Item = &str> {
        self.facts.keys().map(String::as_str)
    }

    pub(crate) fn has_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Facts of every readable Python file, with its path.
    pub(crate) fn readable(&self) -> impl Iterator<Item = (&str, &Facts)> {
        self.facts
            .iter()
            .filter_map(|(path, facts)| Some((path.as_str(), facts.as_ref().ok()?)))
    }

    pub(crate) fn facts(&self, path: &str) -> Option<&Facts> {
        self.facts.get(path)?.as_ref().ok()
    }

    pub(crate) fn why_unreadable(&self, path: &str) -> Option<&Unreadable> {
        self.facts.get(path)?.as_ref().err()
    }

    /// Whether some file sets this attribute on something.
    pub(crate) fn is_stored(&self, attribute: &str) -> bool {
        self.shared.stored_attributes.contains(attribute)
    }

    /// Whether some file sets attributes under computed names.
    pub(crate) fn opens_objects(&self) -> bool {
        self.shared.opens_objects
    }

    /// Whether some file of the workspace imports this module, or may do so.
    pub(crate) fn may_be_loaded(&self, module: &str) -> bool {
        self.shared.loads_anything || self.shared.loaded.contains(module)
    }

    /// Whether a module may be found in a folder of the workspace that some file puts on the module path.
    pub(crate) fn may_be_on_path(&self, module: &str) -> bool {
        let top = module.split('.').next().unwrap_or(module);
        let leads = |path: &String| path.split('/').any(|part| part.split('.').next() == Some(top));
        self.shared.changes_path && self.files.keys().any(leads)
    }

    /// Whether a class has, or may have, a class below it.
    pub(crate) fn is_subclassed(&self, class: &ClassId) -> bool {
        let named = |class: &Class| self.shared.unclear_bases.contains(&class.name);
        self.shared.subclassed.contains(class) || self.class(class).is_some_and(named)
    }

    /// What follows from all files together.
    fn work_out(&mut self) {
        self.orders.clear();
        self.shared = Shared::default();
        self.orders = self.orders();
        self.shared = self.share();
        self.orders = self.orders();
        self.below = self.all_below();
    }

    fn share(&self) -> Shared {
        let mut shared = Shared::default();
        for (path, facts) in self.readable() {
            shared.stored_attributes.extend(facts.stored_attributes.iter().cloned());
            shared.opens_objects |= facts.opens.objects;
            shared.changes_path |= facts.changes_path;
            shared.loads_anything |= facts.imports_anything;
            shared
                .loaded
                .extend(facts.imports.iter().flat_map(|import| self.loads(path, import)));
            for target in &facts.opens.targets {
                if let Entity::Module(module) = self.resolve(path, target) {
                    shared.opened_modules.insert(module);
                }
            }
            for base in facts.classes.iter().flat_map(|class| class.bases.iter().flatten()) {
                match self.resolve(path, base) {
                    Entity::Class(class) => {
                        shared.subclassed.insert(class);
                    }
                    Entity::Unknown => shared.unclear_bases.extend(base.last().map(str::to_owned)),
                    Entity::Module(_) | Entity::Function(_) | Entity::Instance(_) | Entity::External(_) => {}
                }
            }
        }
        shared
    }
}
