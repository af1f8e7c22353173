//! Import statements, and the calls that import by a literal name.

use super::guards::Guards;
use super::targets::ModuleRef;
use crate::source::{Pos, Source};
use crate::tree::{Alias, Expr};

/// How something is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `import a.b`
    Module,
    /// `from a import b`
    From,
    /// `from a import *`
    Star,
    /// `importlib.import_module("a.b")` or `__import__("a.b")`
    Call,
}

/// One module that is imported somewhere in the file.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    pub(crate) pos: Pos,
    pub(crate) form: Form,
    pub(crate) module: ModuleRef,
    /// Of `from a import b, c` only.
    pub(crate) names: Vec<ImportedName>,
    pub(crate) guards: Guards,
}

#[derive(Clone, Debug)]
pub(crate) struct ImportedName {
    pub(crate) name: String,
    pub(crate) pos: Pos,
}

fn at(source: &Source<'_>, start: u32) -> Pos {
    source.pos(start as usize)
}

/// The imports of `import a, b.c as d`.
pub(super) fn modules(source: &Source<'_>, aliases: &[Alias], guards: Guards) -> Vec<Import> {
    aliases
        .iter()
        .map(|alias| Import {
            pos: at(source, alias.span.start),
            form: Form::Module,
            module: ModuleRef::absolute(alias.name.as_str()),
            names: Vec::new(),
            guards,
        })
        .collect()
}

/// The import of `from module import …`.
pub(super) fn from(source: &Source<'_>, start: u32, module: ModuleRef, aliases: &[Alias], guards: Guards) -> Import {
    let star = aliases.iter().any(|alias| alias.name == "*");
    let names = aliases.iter().filter(|_| !star).map(|alias| ImportedName {
        name: alias.name.clone(),
        pos: at(source, alias.span.start),
    });
    Import {
        pos: at(source, start),
        form: if star { Form::Star } else { Form::From },
        module,
        names: names.collect(),
        guards,
    }
}

/// The import that a call of `import_module` or `__import__` makes, where it imports a literal absolute name.
pub(super) fn call(source: &Source<'_>, func: &Expr, args: &[Expr], guards: Guards) -> Option<Import> {
    let name = args.first()?.as_str()?;
    let plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    name.split('.').all(plain).then(|| Import {
        pos: at(source, func.span.start),
        form: Form::Call,
        module: ModuleRef::absolute(name),
        names: Vec::new(),
        guards,
    })
}
