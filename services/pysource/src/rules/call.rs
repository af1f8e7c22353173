//! `contracts/call`: a call whose arguments do not fit the definition that it surely reaches.

use super::bind::{Problem, Slots};
use super::construct::{constructor, has_decorator, is_transparent};
use super::instance::{asked_of, is_unchanged_below};
use super::{Context, Outcome, Rule, location};
use crate::facts::{Call, Facts, How, Root, Subject, Target};
use crate::finding::Location;
use crate::workspace::{Base, Binding, ClassId, Entity, FunctionId, Workspace};

const ID: &str = "contracts/call";

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 3,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    for (path, facts) in context.ws.readable() {
        for call in &facts.calls {
            judge(context, path, facts, call, outcome);
        }
    }
}

fn judge(context: &Context<'_>, path: &str, _: &Facts, call: &Call, outcome: &mut Outcome) {
    let ws = context.ws;
    let entity = callee(ws, path, &call.subject);
    let file = match &entity {
        Entity::Function(function) => &function.file,
        Entity::Class(class) => &class.file,
        Entity::Module(_) | Entity::Instance(_) | Entity::External(_) | Entity::Unknown => {
            outcome.no_opinion += u64::from(context.is_target(path));
            return;
        }
    };
    if !context.concerns(path, file) {
        return;
    }
    outcome.sites += 1;
    let Some(callee) = signature(ws, &entity) else {
        outcome.no_opinion += 1;
        return;
    };
    if call.guards.type_error || call.guards.never_runs {
        outcome.no_opinion += 1;
        return;
    }
    let mut problems = callee.slots.bind(call);
    if callee.is_dataclass {
        // `contracts/attribute` has the word.
        problems.retain(|problem| !matches!(problem, Problem::UnknownKeyword(_)));
    }
    if problems.is_empty() {
        return;
    }
    let what: Vec<String> = problems.iter().map(Problem::sentence).collect();
    let message = format!(
        "this call of `{}` does not fit its definition: {}; the definition is `{}`: call it so, or change it and all its callers",
        call.shown,
        what.join(", and "),
        callee.shown
    );
    outcome.disagree(ID, path, call.pos, message, Some(callee.place));
}

/// What a call reaches, where it surely reaches it.
pub(super) fn callee(ws: &Workspace, path: &str, subject: &Subject) -> Entity {
    match subject {
        Subject::Target(target) => ws.resolve(path, target),
        Subject::Instance(instance, members) => {
            let Some((class, how, member)) = asked_of(ws, path, instance, members) else {
                return Entity::Unknown;
            };
            if how == How::Above {
                return above(ws, &class, member);
            }
            // A class below this one may define the method anew.
            if how != How::Constructed && !is_unchanged_below(ws, &class, member) {
                return Entity::Unknown;
            }
            method(ws, &class, member)
        }
    }
}

/// The method `member` of an object of exactly this class.
pub(super) fn method(ws: &Workspace, class: &ClassId, member: &str) -> Entity {
    let Some(own) = ws.class(class) else {
        return Entity::Unknown;
    };
    match ws.resolve(&class.file, &own.target.clone().with(&[member])) {
        Entity::Function(function) => Entity::Function(FunctionId {
            binding: Binding::Object,
            ..function
        }),
        Entity::Module(_) | Entity::Class(_) | Entity::Instance(_) | Entity::External(_) | Entity::Unknown => {
            Entity::Unknown
        }
    }
}

/// What `super().member` is in a method of `class`. A class below it may put another one in between.
pub(super) fn above(ws: &Workspace, class: &ClassId, member: &str) -> Entity {
    let order = ws.mro(class);
    match (order.get(1), ws.class(class)) {
        (Some(Base::Class(next)), Some(own)) if own.bases.len() == 1 && !ws.is_subclassed(class) => {
            method(ws, next, member)
        }
        _ => Entity::Unknown,
    }
}

struct Signature {
    slots: Slots,
    shown: String,
    place: Location,
    is_dataclass: bool,
}

fn signature(ws: &Workspace, entity: &Entity) -> Option<Signature> {
    match entity {
        Entity::Class(id) => {
            let constructor = constructor(ws, id)?;
            let name = &ws.class(id)?.name;
            Some(Signature {
                shown: constructor.slots.shown(name),
                place: location(&constructor.file, constructor.pos),
                slots: constructor.slots,
                is_dataclass: constructor.is_dataclass,
            })
        }
        Entity::Function(id) => {
            let function = ws.function(id)?;
            let is_special = function.name.starts_with("__") && function.name != "__init__";
            let transparent = |decorator| is_transparent(ws, &id.file, decorator);
            if is_special || !function.decorators.iter().all(transparent) {
                return None;
            }
            let is = |name| has_decorator(ws, &id.file, function, name);
            let bound = match id.binding {
                Binding::Plain => false,
                _ if is("builtins.staticmethod") => false,
                _ if is("builtins.classmethod") => true,
                Binding::Class => false,
                Binding::Object => true,
            };
            Some(Signature {
                slots: Slots::of(&function.params, bound)?,
                shown: function.shown.clone(),
                place: location(&id.file, function.pos),
                is_dataclass: false,
            })
        }
        Entity::Module(_) | Entity::Instance(_) | Entity::External(_) | Entity::Unknown => None,
    }
}

/// The class that a call constructs, where it is one of the workspace.
pub(super) fn constructed(ws: &Workspace, path: &str, call: &Call) -> Option<ClassId> {
    let Subject::Target(target) = &call.subject else {
        return None;
    };
    match ws.resolve(path, target) {
        Entity::Class(class) => Some(class),
        Entity::Module(_) | Entity::Function(_) | Entity::Instance(_) | Entity::External(_) | Entity::Unknown => None,
    }
}

/// The class that a chain starts from, and the attribute that is asked of it.
pub(super) fn shared_class<'t>(ws: &Workspace, path: &str, target: &'t Target) -> Option<(ClassId, &'t str)> {
    for length in 0..target.path.len() {
        let (before, rest) = target.path.split_at_checked(length)?;
        let shorter = Target {
            root: target.root.clone(),
            path: before.to_vec(),
        };
        if let Entity::Class(class) = ws.resolve(path, &shorter) {
            return match ws.resolve(path, &shorter.with(&[rest.first()?])) {
                // A class inside the class: what is asked of it comes next.
                Entity::Class(_) => continue,
                _ => Some((class, rest.first()?)),
            };
        }
    }
    None
}

/// The module-level object that a chain starts from, its class, and the attribute that is asked of it.
pub(super) fn shared_instance<'t>(ws: &Workspace, path: &str, target: &'t Target) -> Option<(ClassId, &'t str)> {
    if matches!(target.root, Root::Builtin(_)) {
        return None;
    }
    for length in 0..target.path.len() {
        let (before, rest) = target.path.split_at_checked(length)?;
        let shorter = Target {
            root: target.root.clone(),
            path: before.to_vec(),
        };
        if let Entity::Instance(class) = ws.resolve(path, &shorter) {
            return Some((class, rest.first()?));
        }
    }
    None
}
