//! From a dotted name in one file to the definition it means, through imports and re-exports.

use super::{Base, ClassId, Place, Workspace};
use crate::facts::{BindingKind, Function, MemberKind, Root, Target};

/// Longest chain of re-exports that is followed.
const MAX_STEPS: u32 = 32;

/// A function or method of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FunctionId {
    pub(crate) file: String,
    /// Index into the functions of that file's facts.
    pub(crate) index: usize,
    pub(crate) binding: Binding,
}

/// How a function was reached: decides what its first parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// As a function of a module.
    Plain,
    /// Through its class: `C.method`.
    Class,
    /// Through an object: `c.method`.
    Object,
}

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entity {
    /// A module of the workspace, by its dotted name.
    Module(String),
    Function(FunctionId),
    Class(ClassId),
    /// An object of exactly this class.
    Instance(ClassId),
    /// Something outside the workspace, by its dotted name.
    External(String),
    Unknown,
}

impl Workspace {
    /// What `target` means in the file `path`.
    pub(crate) fn resolve(&self, path: &str, target: &Target) -> Entity {
        self.resolve_below(path, target, MAX_STEPS)
    }

    pub(crate) fn function(&self, id: &FunctionId) -> Option<&Function> {
        self.facts(&id.file)?.functions.get(id.index)
    }

    fn resolve_below(&self, path: &str, target: &Target, steps: u32) -> Entity {
        let Some(steps) = steps.checked_sub(1) else {
            return Entity::Unknown;
        };
        let mut entity = match &target.root {
            Root::Module(module) => match self.absolute(path, module) {
                Ok(name) => self.module(&name),
                Err(_) => Entity::Unknown,
            },
            Root::Member(module, name) => match self.absolute(path, module) {
                Ok(module) => {
                    let module = self.module(&module);
                    self.member(module, name, steps)
                }
                Err(_) => Entity::Unknown,
            },
            Root::Local(name) => self.name_in(path, name, steps),
            Root::Builtin(name) => Entity::External(format!("builtins.{name}")),
        };
        for part in &target.path {
            entity = self.member(entity, part, steps);
        }
        entity
    }

    fn module(&self, name: &str) -> Entity {
        match self.locate(name) {
            Place::File(_) | Place::Folder => Entity::Module(name.to_owned()),
            Place::External => Entity::External(name.to_owned()),
            Place::Binary | Place::Missing { .. } => Entity::Unknown,
        }
    }

    fn member(&self, of: Entity, name: &str, steps: u32) -> Entity {
        let Some(steps) = steps.checked_sub(1) else {
            return Entity::Unknown;
        };
        match of {
            Entity::Module(module) => self.member_of_module(&module, name, steps),
            Entity::Class(class) => self.member_of_class(&class, name, Binding::Class),
            Entity::Instance(class) => self.member_of_class(&class, name, Binding::Object),
            Entity::External(prefix) => Entity::External(format!("{prefix}.{name}")),
            Entity::Function(_) | Entity::Unknown => Entity::Unknown,
        }
    }

    fn member_of_module(&self, module: &str, name: &str, steps: u32) -> Entity {
        let below = format!("{module}.{name}");
        match self.locate(module) {
            Place::File(path) => {
                let Some(facts) = self.facts(&path) else {
                    return Entity::Unknown;
                };
                if self.is_stored(name) || self.is_open(module, facts) {
                    return Entity::Unknown;
                }
                match facts.names.contains_key(name) {
                    true => self.name_in(&path, name, steps),
                    false => match self.module(&below) {
                        Entity::Module(module) => Entity::Module(module),
                        _ => self.name_in(&path, name, steps),
                    },
                }
            }
            Place::Folder => self.module(&below),
            Place::Binary | Place::External | Place::Missing { .. } => Entity::Unknown,
        }
    }

    /// What `name` means at the top of the file `path`.
    fn name_in(&self, path: &str, name: &str, steps: u32) -> Entity {
        let Some(facts) = self.facts(path) else {
            return Entity::Unknown;
        };
        if !facts.names.contains_key(name) {
            return self.name_from_star(path, name, steps);
        }
        let Some(binding) = facts.single(name) else {
            return self.same_import(path, name, steps);
        };
        // A star import after the definition may replace it; only a file without one can be sure.
        if facts
            .imports
            .iter()
            .any(|import| import.form == crate::facts::Form::Star)
        {
            return Entity::Unknown;
        }
        let file = path.to_owned();
        match &binding.kind {
            BindingKind::Import(target) => self.resolve_below(path, target, steps),
            BindingKind::Function(index) => Entity::Function(FunctionId {
                file,
                index: *index,
                binding: Binding::Plain,
            }),
            BindingKind::Class(index) => Entity::Class(ClassId { file, index: *index }),
            BindingKind::Result(callee) => match self.resolve_below(path, callee, steps) {
                Entity::Class(class) => Entity::Instance(class),
                Entity::Module(_)
                | Entity::Function(_)
                | Entity::Instance(_)
                | Entity::External(_)
                | Entity::Unknown => Entity::Unknown,
            },
            BindingKind::Other => Entity::Unknown,
        }
    }

    /// A name that several imports bind to the same thing, as `import a.b` and `import a.c` bind `a`.
    fn same_import(&self, path: &str, name: &str, steps: u32) -> Entity {
        let bindings = self.facts(path).and_then(|facts| facts.names.get(name));
        let mut targets = bindings.into_iter().flatten().map(|binding| match &binding.kind {
            BindingKind::Import(target) => Some(target),
            BindingKind::Function(_) | BindingKind::Class(_) | BindingKind::Result(_) | BindingKind::Other => None,
        });
        match targets.next().flatten() {
            Some(first) if targets.all(|target| target == Some(first)) => self.resolve_below(path, first, steps),
            Some(_) | None => Entity::Unknown,
        }
    }

    /// A name that a star import of a workspace module brings, where there is one star import only.
    fn name_from_star(&self, path: &str, name: &str, steps: u32) -> Entity {
        let Some(facts) = self.facts(path) else {
            return Entity::Unknown;
        };
        let is_star = |import: &&crate::facts::Import| import.form == crate::facts::Form::Star;
        let mut stars = facts.imports.iter().filter(is_star);
        let (Some(star), None) = (stars.next(), stars.next()) else {
            return Entity::Unknown;
        };
        match self.absolute(path, &star.module) {
            Ok(module) if self.presence(&module, name) == super::Presence::Yes => {
                let module = self.module(&module);
                self.member(module, name, steps)
            }
            Ok(_) | Err(_) => Entity::Unknown,
        }
    }

    fn member_of_class(&self, class: &ClassId, name: &str, binding: Binding) -> Entity {
        if self.is_stored(name) {
            return Entity::Unknown;
        }
        for base in self.mro(class).iter() {
            let Base::Class(id) = base else {
                return Entity::Unknown;
            };
            let Some(class) = self.class(id) else {
                return Entity::Unknown;
            };
            if class.open || class.own_attributes.contains(name) {
                return Entity::Unknown;
            }
            if let Some(members) = class.members.get(name) {
                let [member] = members.as_slice() else {
                    return Entity::Unknown;
                };
                return match member.kind {
                    MemberKind::Method(index) => Entity::Function(FunctionId {
                        file: id.file.clone(),
                        index,
                        binding,
                    }),
                    MemberKind::Class(index) => Entity::Class(ClassId {
                        file: id.file.clone(),
                        index,
                    }),
                    MemberKind::Other => Entity::Unknown,
                };
            }
        }
        Entity::Unknown
    }
}
