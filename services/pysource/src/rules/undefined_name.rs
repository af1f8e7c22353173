//! `imports/undefined-name`: a name that a module of the workspace does not have, imported, used as its attribute,
//! or listed in its `__all__`.

use super::{Context, Outcome, Rule, location};
use crate::facts::{AttributeUse, ExportList, Facts, Form, Reach, Root, Subject, Target};
use crate::source::Pos;
use crate::workspace::{Place, Presence, Workspace};
use std::collections::BTreeSet;

const ID: &str = "imports/undefined-name";

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 2,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    for (path, facts) in context.ws.readable() {
        imported(context, path, facts, outcome);
        used(context, path, facts, outcome);
        if context.is_target(path) {
            exported(context.ws, path, facts, outcome);
        }
    }
}

fn imported(context: &Context<'_>, path: &str, facts: &Facts, outcome: &mut Outcome) {
    for import in facts.imports.iter().filter(|import| import.form == Form::From) {
        let Ok(module) = context.ws.absolute(path, &import.module) else {
            continue;
        };
        let file = match context.ws.locate(&module) {
            Place::File(file) => file,
            Place::Folder => String::new(),
            Place::Binary | Place::External | Place::Missing { .. } => continue,
        };
        if !context.concerns(path, &file) {
            continue;
        }
        for name in &import.names {
            outcome.sites += 1;
            if import.guards.import_error || import.guards.never_runs {
                outcome.no_opinion += 1;
                continue;
            }
            judge(context.ws, path, &module, &name.name, name.pos, outcome);
        }
    }
}

fn used(context: &Context<'_>, path: &str, facts: &Facts, outcome: &mut Outcome) {
    let mut seen = BTreeSet::new();
    for used in &facts.attributes {
        let Some((module, name)) = module_attribute(context.ws, path, used) else {
            continue;
        };
        let file = match context.ws.locate(&module) {
            Place::File(file) => file,
            Place::Folder => String::new(),
            Place::Binary | Place::External | Place::Missing { .. } => continue,
        };
        if !context.concerns(path, &file) || !seen.insert((module.clone(), name, used.pos)) {
            continue;
        }
        outcome.sites += 1;
        let guards = used.guards;
        let asked = facts.asked_attributes.contains(name);
        if asked || guards.attribute_error || guards.never_runs || guards.annotation || guards.environment {
            outcome.no_opinion += 1;
            continue;
        }
        if let Some(below) = not_loaded(context.ws, path, used) {
            let message = format!(
                "`{below}` is a module that no file imports, so its package does not have it yet; write `import {below}`"
            );
            outcome.fail(ID, path, used.pos, message);
            continue;
        }
        judge(context.ws, path, &module, name, used.pos, outcome);
    }
}

/// The first module on a chain of attributes that is there as a file of its package only, and that nothing imports.
fn not_loaded(ws: &Workspace, path: &str, used: &AttributeUse) -> Option<String> {
    let Subject::Target(target) = &used.subject else {
        return None;
    };
    for (length, name) in target.path.iter().enumerate() {
        let shorter = Target {
            root: target.root.clone(),
            path: target.path.get(..length)?.to_vec(),
        };
        let crate::workspace::Entity::Module(module) = ws.resolve(path, &shorter) else {
            return None;
        };
        let below = format!("{module}.{name}");
        if ws.is_only_below(&module, name) && !ws.may_be_loaded(&below) {
            return Some(below);
        }
    }
    None
}

/// The last module of a chain of attributes, and the name that is asked of it.
fn module_attribute<'u>(ws: &Workspace, path: &str, used: &'u AttributeUse) -> Option<(String, &'u str)> {
    let Subject::Target(target) = &used.subject else {
        return None;
    };
    let known = ws.facts(path).is_some_and(|facts| match &target.root {
        // A name with two meanings says nothing about the module.
        Root::Local(name) => facts.names.get(name).is_some_and(|bindings| bindings.len() == 1),
        Root::Module(_) | Root::Member(..) | Root::Builtin(_) => true,
    });
    if !known {
        return None;
    }
    for length in (0..target.path.len()).rev() {
        let (before, rest) = target.path.split_at_checked(length)?;
        let shorter = Target {
            root: target.root.clone(),
            path: before.to_vec(),
        };
        if let crate::workspace::Entity::Module(module) = ws.resolve(path, &shorter) {
            return Some((module, rest.first()?));
        }
    }
    None
}

fn judge(ws: &Workspace, path: &str, module: &str, name: &str, pos: Pos, outcome: &mut Outcome) {
    let presence = ws.presence(module, name);
    let place = ws.locate(module);
    let file = match &place {
        Place::File(file) => file.as_str(),
        _ => "",
    };
    let why = match presence {
        Presence::Yes => return,
        Presence::Unknown => {
            outcome.no_opinion += 1;
            return;
        }
        Presence::Only(Reach::Typing) => "binds it only for type checkers".to_owned(),
        Presence::Only(Reach::Script) => "binds it only when run as a script".to_owned(),
        Presence::Only(Reach::Import) | Presence::No => match local(ws, file, name) {
            Some(_) => "has it only inside a function or class".to_owned(),
            None => "does not define it".to_owned(),
        },
    };
    let other = match file {
        "" => None,
        file => {
            let facts = ws.facts(file);
            let bound = facts.and_then(|facts| facts.names.get(name)?.first());
            let pos = bound.map(|binding| binding.pos).or_else(|| local(ws, file, name));
            Some(location(file, pos.unwrap_or_default()))
        }
    };
    let shown = match file {
        "" => format!("package `{module}`"),
        file => file.to_owned(),
    };
    let similar = match similar(ws, file, name) {
        Some(similar) => format!("it has `{similar}`; use that"),
        None => "use a name that it defines".to_owned(),
    };
    let message =
        format!("`{module}` has no name `{name}`: {shown} {why}; {similar}, or define `{name}` at its top level");
    outcome.disagree(ID, path, pos, message, other);
}

/// Where a name is bound inside a function or a class of a file.
fn local(ws: &Workspace, file: &str, name: &str) -> Option<Pos> {
    let facts = ws.facts(file)?;
    let in_function = facts.local_names.get(name).copied();
    let members = facts
        .classes
        .iter()
        .filter_map(|class| class.members.get(name)?.first());
    in_function.or_else(|| members.map(|member| member.pos).next())
}

/// The name of a module that is most like `name`, where one is close.
fn similar<'w>(ws: &'w Workspace, file: &str, name: &str) -> Option<&'w str> {
    let mut names = ws.facts(file)?.names.keys();
    let key = |text: &str| text.to_lowercase().replace('_', "");
    let wanted = key(name);
    let near = |other: &&String| {
        let other = key(other);
        let shorter = other.len().min(wanted.len());
        other == wanted
            || (shorter >= 4 && (other.contains(&wanted) || wanted.contains(&other)))
            || differs_by_one(&other, &wanted)
    };
    names.find(near).map(String::as_str)
}

/// Whether two names of at least four letters differ by one letter.
fn differs_by_one(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().min(b.len()) < 4 || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let front = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let back = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    front + back + 1 >= a.len().max(b.len())
}

/// Whether some file of the workspace imports everything from a module.
fn is_starred(ws: &Workspace, module: &str) -> bool {
    ws.readable().any(|(path, facts)| {
        let mut stars = facts.imports.iter().filter(|import| import.form == Form::Star);
        stars.any(|star| ws.absolute(path, &star.module).is_ok_and(|name| name == module))
    })
}

/// Names in `__all__` that the module does not have: `import *` fails on them.
fn exported(ws: &Workspace, path: &str, facts: &Facts, outcome: &mut Outcome) {
    let (ExportList::Names(names), Some(module)) = (&facts.all, ws.module_of(path)) else {
        return;
    };
    for (name, pos) in names {
        outcome.sites += 1;
        match ws.presence(module, name) {
            Presence::Yes => {}
            Presence::Unknown => outcome.no_opinion += 1,
            // Type checkers read the list too; at run time it is only asked by `import *`.
            Presence::Only(Reach::Typing) if !is_starred(ws, module) => outcome.no_opinion += 1,
            Presence::No | Presence::Only(_) => {
                let message = format!(
                    "`__all__` lists `{name}`, which this module does not define; define it, or take it off the list"
                );
                outcome.fail(ID, path, *pos, message);
            }
        }
    }
}
