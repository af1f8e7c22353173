//! What one file says, flat, without its tree: imports, names, signatures, classes, calls.
//! Facts are about one file alone; whatever needs a second file belongs to `workspace`.

mod bodies;
mod classes;
mod credentials;
mod guards;
mod held;
mod imports;
mod lookup;
mod metrics;
#[cfg(test)]
mod parity {
    mod tests;
}
mod scope;
mod signature;
mod targets;
mod texts;
mod unbound;
mod uses;
mod walker;
mod words;
mod wrapping;

pub(crate) use bodies::{Body, Hollow, hollow};
pub(crate) use classes::{Class, Field, MemberKind};
pub(crate) use imports::{Form, Import};
pub(crate) use metrics::Constant;
pub(crate) use scope::Reach;
pub(crate) use signature::{Decorator, Function, Param, Params};
pub(crate) use targets::{Held, How, Instance, Link, ModuleRef, Root, Subject, Target};
pub(crate) use texts::Texts;
pub(crate) use unbound::UnboundUse;
pub(crate) use uses::{AttributeUse, Call, Opens};
pub(crate) use words::entries;
pub(crate) use wrapping::Wrapping;

use crate::source::{Pos, Source, Unreadable};
use crate::tree::{Tree, with_tree};
use std::collections::{BTreeMap, BTreeSet};

/// The facts of one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) imports: Vec<Import>,
    /// Names of the module's namespace, with every statement that binds them.
    pub(crate) names: BTreeMap<String, Vec<Binding>>,
    /// Functions of the module and methods of its classes.
    pub(crate) functions: Vec<Function>,
    pub(crate) classes: Vec<Class>,
    pub(crate) all: ExportList,
    /// It changes where modules are looked for: `sys.path.insert(…)`.
    pub(crate) changes_path: bool,
    /// It imports modules whose names are not in the text.
    pub(crate) imports_anything: bool,
    /// Why the namespace may hold more than its text shows.
    pub(crate) opaque: Option<&'static str>,
    /// Names that are bound inside functions only, and where first.
    pub(crate) local_names: BTreeMap<String, Pos>,
    pub(crate) calls: Vec<Call>,
    pub(crate) attributes: Vec<AttributeUse>,
    /// Names that are read where no scope of the file binds them, and that Python does not have either.
    pub(crate) unbound: Vec<UnboundUse>,
    /// Attributes that are set on anything but the file's own `self`.
    pub(crate) stored_attributes: BTreeSet<String>,
    /// Attributes that are asked for with `hasattr` or `getattr`.
    pub(crate) asked_attributes: BTreeSet<String>,
    /// Attributes whose class the file asks for at run time: `isinstance(x.name, …)`.
    pub(crate) narrowed_attributes: BTreeSet<String>,
    /// Targets of `setattr` with a computed name.
    pub(crate) opens: Opens,
    /// What happens when the module is imported, in order.
    pub(crate) steps: Vec<Step>,
    /// Functions without substance, and how many functions there are in all.
    pub(crate) bodies: Vec<Body>,
    pub(crate) body_count: u64,
    /// Results that are written down instead of measured.
    pub(crate) constants: Vec<Constant>,
    /// What strings and comments give away.
    pub(crate) texts: Texts,
    /// Statements that are more than docstrings, imports and `pass`.
    pub(crate) substance: u64,
}

/// One statement that binds a name of the module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Binding {
    pub(crate) pos: Pos,
    pub(crate) kind: BindingKind,
    pub(crate) reach: Reach,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BindingKind {
    Import(Target),
    /// Index into [`Facts::functions`].
    Function(usize),
    /// Index into [`Facts::classes`].
    Class(usize),
    /// `x = f(…)`: the callee.
    Result(Target),
    Other,
}

/// What `__all__` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum ExportList {
    #[default]
    Absent,
    Names(Vec<(String, Pos)>),
    /// Computed: cannot be read from the text.
    Computed,
}

/// One thing that happens while the module is imported.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Index into [`Facts::imports`].
    Import(usize),
    Bind(String),
    /// An attribute is needed now.
    Use(Target, Pos),
}

impl Facts {
    /// Reads `text` with the Rust parser.
    ///
    /// # Errors
    /// See [`with_tree`].
    pub(crate) fn read(text: &str) -> Result<Self, Unreadable> {
        with_tree(text, Self::of)
    }

    /// The facts of a tree, whoever read it.
    pub(crate) fn of(tree: &Tree, source: &Source<'_>) -> Self {
        walker::walk(tree, source)
    }

    /// The one statement that binds `name`, where there is exactly one.
    pub(crate) fn single(&self, name: &str) -> Option<&Binding> {
        match self.names.get(name).map(Vec::as_slice) {
            Some([binding]) => Some(binding),
            Some(_) | None => None,
        }
    }
}
