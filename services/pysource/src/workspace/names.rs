//! Whether a module of the workspace has a name.

use super::{Place, Workspace};
use crate::facts::{ExportList, Facts, Form, Reach};
use std::collections::BTreeSet;

/// Whether a module has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Yes,
    /// No statement binds it.
    No,
    /// Only statements bind it that do not run on import.
    Only(Reach),
    /// The text alone does not tell.
    Unknown,
}

impl Workspace {
    /// Whether the module `module` has the name `name` once it is imported.
    pub(crate) fn presence(&self, module: &str, name: &str) -> Presence {
        self.presence_below(module, name, &mut BTreeSet::new())
    }

    fn presence_below(&self, module: &str, name: &str, visited: &mut BTreeSet<String>) -> Presence {
        if name.starts_with("__") && name.ends_with("__") {
            return Presence::Yes;
        }
        if !visited.insert(module.to_owned()) {
            return Presence::No;
        }
        let below = match self.locate(&format!("{module}.{name}")) {
            Place::File(_) | Place::Folder | Place::Binary => Presence::Yes,
            Place::External => Presence::Unknown,
            Place::Missing { .. } => Presence::No,
        };
        let path = match self.locate(module) {
            Place::File(path) => path,
            Place::Folder => return below,
            Place::Binary | Place::External | Place::Missing { .. } => return Presence::Unknown,
        };
        let Some(facts) = self.facts(&path) else {
            return Presence::Unknown;
        };
        if self.is_open(module, facts) || self.is_stored(name) {
            return Presence::Unknown;
        }
        let bindings = facts.names.get(name).map_or(&[][..], Vec::as_slice);
        if bindings.iter().any(|binding| binding.reach == Reach::Import) || below == Presence::Yes {
            return Presence::Yes;
        }
        match self.starred(&path, facts, name, visited) {
            Presence::No => match bindings.first() {
                Some(binding) => Presence::Only(binding.reach),
                None => Presence::No,
            },
            other => other,
        }
    }

    /// Whether `name` is a file in the folder of the package `module`, and the package itself does not bind it.
    pub(crate) fn is_only_below(&self, module: &str, name: &str) -> bool {
        if !matches!(self.locate(&format!("{module}.{name}")), Place::File(_)) || self.is_stored(name) {
            return false;
        }
        let path = match self.locate(module) {
            Place::File(path) => path,
            Place::Folder => return true,
            Place::Binary | Place::External | Place::Missing { .. } => return false,
        };
        let has_star = |facts: &Facts| facts.imports.iter().any(|import| import.form == Form::Star);
        self.facts(&path)
            .is_some_and(|facts| !self.is_open(module, facts) && !facts.names.contains_key(name) && !has_star(facts))
    }

    /// Whether the module may have names that its text does not show.
    pub(crate) fn is_open(&self, module: &str, facts: &Facts) -> bool {
        facts.opaque.is_some()
            || facts.names.contains_key("__getattr__")
            || facts.names.contains_key("__path__")
            || self.shared.opened_modules.contains(module)
    }

    fn starred(&self, path: &str, facts: &Facts, name: &str, visited: &mut BTreeSet<String>) -> Presence {
        let mut found = Presence::No;
        for import in facts.imports.iter().filter(|import| import.form == Form::Star) {
            let Ok(module) = self.absolute(path, &import.module) else {
                return Presence::Unknown;
            };
            let exported = match self.locate(&module) {
                Place::File(path) => match self.facts(&path).map(|facts| &facts.all) {
                    Some(ExportList::Names(names)) => names.iter().any(|(export, _)| export == name),
                    Some(ExportList::Absent) => !name.starts_with('_'),
                    Some(ExportList::Computed) | None => return Presence::Unknown,
                },
                Place::Folder => false,
                Place::Binary | Place::External | Place::Missing { .. } => {
                    return Presence::Unknown;
                }
            };
            if exported {
                match self.presence_below(&module, name, visited) {
                    Presence::Yes => found = Presence::Yes,
                    Presence::Unknown => return Presence::Unknown,
                    Presence::No | Presence::Only(_) => {}
                }
            }
        }
        found
    }
}
