//! Plays an import through, statement by statement, to see whether a name is asked for before it is there.
//! Whatever is not certain counts as working.

use crate::facts::{Facts, Form, Import, Step, Target};
use crate::source::Pos;
use crate::workspace::{Entity, Place, Presence, Workspace};
use std::collections::{BTreeMap, BTreeSet};

/// A name that is asked of a module which does not have it yet.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    pub(super) file: String,
    pub(super) pos: Pos,
    pub(super) module: String,
    pub(super) module_file: String,
    pub(super) name: String,
    /// Where the module would define it.
    pub(super) defined: Pos,
}

/// One import of one module of a group, played through.
pub(super) struct Order<'w> {
    ws: &'w Workspace,
    group: &'w BTreeSet<String>,
    /// Modules that have been started, with the names they have by now; `None` once they are complete.
    started: BTreeMap<String, Option<BTreeSet<String>>>,
}

impl<'w> Order<'w> {
    pub(super) fn new(ws: &'w Workspace, group: &'w BTreeSet<String>) -> Self {
        Self {
            ws,
            group,
            started: BTreeMap::new(),
        }
    }

    /// What fails when `module` is the first of the group to be imported.
    pub(super) fn broken(mut self, module: &str) -> Option<Broken> {
        let parents = module.match_indices('.').filter_map(|(at, _)| module.get(..at));
        let chain: Vec<&str> = parents.chain([module]).collect();
        chain.into_iter().try_for_each(|module| self.load(module)).err()
    }

    fn load(&mut self, module: &str) -> Result<(), Broken> {
        if !self.group.contains(module) || self.started.contains_key(module) {
            return Ok(());
        }
        self.started.insert(module.to_owned(), Some(BTreeSet::new()));
        if let Place::File(path) = self.ws.locate(module)
            && let Some(facts) = self.ws.facts(&path)
        {
            for step in &facts.steps {
                self.step(module, &path, facts, step)?;
            }
        }
        self.started.insert(module.to_owned(), None);
        Ok(())
    }

    fn step(&mut self, module: &str, path: &str, facts: &Facts, step: &Step) -> Result<(), Broken> {
        match step {
            Step::Bind(name) => {
                if let Some(Some(names)) = self.started.get_mut(module) {
                    names.insert(name.clone());
                }
                Ok(())
            }
            Step::Import(index) => match facts.imports.get(*index) {
                Some(import) => self.import(path, import),
                None => Ok(()),
            },
            Step::Use(target, pos) => self.attribute(path, target, *pos),
        }
    }

    fn import(&mut self, path: &str, import: &Import) -> Result<(), Broken> {
        let Ok(module) = self.ws.absolute(path, &import.module) else {
            return Ok(());
        };
        let parts = self.ws.loads(path, import);
        let (names, modules): (Vec<&String>, Vec<&String>) = parts.iter().partition(|name| name.len() > module.len());
        modules.into_iter().try_for_each(|name| self.load(name))?;
        if import.form == Form::From {
            for name in &import.names {
                self.ask(path, name.pos, &module, &name.name)?;
            }
        }
        names.into_iter().try_for_each(|name| self.load(name))
    }

    fn attribute(&self, path: &str, target: &Target, pos: Pos) -> Result<(), Broken> {
        let Some((first, _)) = target.path.split_first() else {
            return Ok(());
        };
        let root = Target::root(target.root.clone());
        match self.ws.resolve(path, &root) {
            Entity::Module(module) => self.ask(path, pos, &module, first),
            Entity::Function(_) | Entity::Class(_) | Entity::Instance(_) | Entity::External(_) | Entity::Unknown => {
                Ok(())
            }
        }
    }

    /// Asks `module` for `name` at this moment.
    fn ask(&self, path: &str, pos: Pos, module: &str, name: &str) -> Result<(), Broken> {
        let Some(Some(names)) = self.started.get(module) else {
            return Ok(());
        };
        let Place::File(module_file) = self.ws.locate(module) else {
            return Ok(());
        };
        let Some(facts) = self.ws.facts(&module_file) else {
            return Ok(());
        };
        let is_module = !matches!(self.ws.locate(&format!("{module}.{name}")), Place::Missing { .. });
        let has_star = facts.imports.iter().any(|import| import.form == Form::Star);
        if names.contains(name) || is_module || has_star || self.ws.presence(module, name) != Presence::Yes {
            return Ok(());
        }
        let Some(binding) = facts.names.get(name).and_then(|bindings| bindings.first()) else {
            return Ok(());
        };
        Err(Broken {
            file: path.to_owned(),
            pos,
            module: module.to_owned(),
            module_file,
            name: name.to_owned(),
            defined: binding.pos,
        })
    }
}
