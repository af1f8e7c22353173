//! Which file a module name leads to, in the order in which the interpreter would look.

use super::Workspace;
use crate::facts::{Form, Import, ModuleRef};
use std::collections::{BTreeMap, BTreeSet};

/// Modules below the source root.
#[derive(Debug, Default)]
pub(super) struct Modules {
    files: BTreeMap<String, ModuleFile>,
    /// Folders below the source root, as dotted names: packages without `__init__.py`.
    folders: BTreeSet<String>,
    names: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
struct ModuleFile {
    path: String,
    is_package: bool,
}

/// What a module name leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A file of the workspace.
    File(String),
    /// A folder without `__init__.py`.
    Folder,
    /// A module of the workspace that is not Python source.
    Binary,
    /// The standard library or the environment.
    External,
    /// Nothing. `parent` is the part of the name that exists, if any.
    Missing { parent: Option<String> },
}

/// A relative import leaves the topmost package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutOfPackage {
    /// The package that the file belongs to; `None` for a top-level module.
    pub(crate) package: Option<String>,
}

impl Modules {
    pub(super) fn of<'p>(paths: impl Iterator<Item = &'p String>, root: &str) -> Self {
        let mut modules = Self::default();
        for path in paths {
            if let Some(below) = below(path, root) {
                modules.add(path, below);
            }
        }
        modules
    }

    fn add(&mut self, path: &str, below: &str) {
        let (folder, file) = below.rsplit_once('/').unwrap_or(("", below));
        let folder = folder.replace('/', ".");
        let mut at = folder.as_str();
        while !at.is_empty() {
            self.folders.insert(at.to_owned());
            at = at.rsplit_once('.').map_or("", |(parent, _)| parent);
        }
        // `x.py`, `x.so`, `x.cpython-311-x86_64-linux-gnu.so`, `x.pyi`, `x.pyx`
        let Some((stem, extension)) = file.split_once('.') else {
            return;
        };
        let is_source = extension == "py";
        let is_module = is_source || ["pyi", "pyx", "pyd"].contains(&extension) || extension.ends_with("so");
        if !is_module || stem.is_empty() {
            return;
        }
        let is_package = stem == "__init__";
        let name = match (folder.is_empty(), is_package) {
            (true, true) => return,
            (true, false) => stem.to_owned(),
            (false, true) => folder,
            (false, false) => format!("{folder}.{stem}"),
        };
        if is_source {
            self.names.insert(path.to_owned(), name.clone());
        }
        let file = ModuleFile {
            path: path.to_owned(),
            is_package,
        };
        // A package wins over a module, and source over a stub that describes it.
        let better = match self.files.get(&name) {
            Some(old) => (is_package, is_source) > (old.is_package, old.path.ends_with(".py")),
            None => true,
        };
        if better {
            self.files.insert(name, file);
        }
    }
}

/// The part of `path` below `root`.
fn below<'p>(path: &'p str, root: &str) -> Option<&'p str> {
    if root.is_empty() {
        return Some(path);
    }
    path.strip_prefix(root)?.strip_prefix('/')
}

fn top(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

impl Workspace {
    /// Name of the module that a file is, where it lies below the source root.
    pub(crate) fn module_of(&self, path: &str) -> Option<&str> {
        self.modules.names.get(path).map(String::as_str)
    }

    pub(crate) fn is_stdlib(&self, name: &str) -> bool {
        self.stdlib_modules.contains(top(name)) || matches!(top(name), "__main__" | "__future__")
    }

    pub(crate) fn is_env(&self, name: &str) -> bool {
        self.env_modules.contains(top(name))
    }

    /// Whether the module path's first entry is this folder of the workspace.
    pub(crate) fn source_root(&self) -> &str {
        &self.source_root
    }

    /// Top-level modules of the workspace, with the first file of each and whether it is a plain folder.
    pub(crate) fn is_folder_only(&self, name: &str) -> bool {
        !self.modules.files.contains_key(name) && self.modules.folders.contains(name)
    }

    /// What `name`, an absolute dotted name, leads to.
    pub(crate) fn locate(&self, name: &str) -> Place {
        let first = top(name);
        let regular = self.modules.files.contains_key(first);
        if self.is_stdlib(first) || (!regular && self.is_env(first)) {
            return Place::External;
        }
        if let Some(file) = self.modules.files.get(name) {
            return match file.path.ends_with(".py") {
                true => Place::File(file.path.clone()),
                false => Place::Binary,
            };
        }
        if self.modules.folders.contains(name) {
            return Place::Folder;
        }
        let mut parent = name.rsplit_once('.').map(|(parent, _)| parent);
        while let Some(at) = parent {
            if self.modules.files.contains_key(at) || self.modules.folders.contains(at) {
                break;
            }
            parent = at.rsplit_once('.').map(|(parent, _)| parent);
        }
        Place::Missing {
            parent: parent.map(str::to_owned),
        }
    }

    /// The absolute name of a module that the file `path` imports.
    pub(crate) fn absolute(&self, path: &str, module: &ModuleRef) -> Result<String, OutOfPackage> {
        if module.level == 0 {
            return Ok(module.name.clone());
        }
        let name = self.module_of(path).ok_or(OutOfPackage { package: None })?;
        let is_package = path.ends_with("/__init__.py");
        let package = match (is_package, name.rsplit_once('.')) {
            (true, _) => Some(name),
            (false, Some((parent, _))) => Some(parent),
            (false, None) => None,
        };
        let mut at = package;
        for _ in 1..module.level.min(1_000) {
            at = at.and_then(|name| name.rsplit_once('.')).map(|(parent, _)| parent);
        }
        let Some(base) = at else {
            return Err(OutOfPackage {
                package: package.map(str::to_owned),
            });
        };
        Ok(match module.name.is_empty() {
            true => base.to_owned(),
            false => format!("{base}.{}", module.name),
        })
    }

    /// The modules that an import loads, in order: packages before what is in them.
    pub(crate) fn loads(&self, path: &str, import: &Import) -> Vec<String> {
        let Ok(module) = self.absolute(path, &import.module) else {
            return Vec::new();
        };
        let mut loads: Vec<String> = Vec::new();
        for (at, _) in module.match_indices('.') {
            loads.extend(module.get(..at).map(str::to_owned));
        }
        loads.push(module.clone());
        if import.form == Form::From {
            for name in &import.names {
                let below = format!("{module}.{}", name.name);
                if matches!(self.locate(&below), Place::File(_)) {
                    loads.push(below);
                }
            }
        }
        loads
    }
}
