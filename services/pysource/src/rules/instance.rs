//! From an object to the objects that its attributes hold and its methods return, as far as the text tells.
//! Judges nothing.

use super::call::method;
use super::construct::{decorator_name, is_empty_base, is_transparent, listed};
use crate::facts::{Held, How, Instance, Link, MemberKind, Target};
use crate::workspace::{Base, ClassId, Entity, FunctionId, Workspace};

const RESULT_CHANGING: &str = include_str!("../../policy/result-changing-decorators.txt");
const PROPERTIES: &[&str] = &["builtins.property", "functools.cached_property"];

/// The class of an instance, and how sure that is.
fn class_of(ws: &Workspace, path: &str, instance: &Instance) -> Option<(ClassId, How)> {
    let mut at = match ws.resolve(path, &instance.class) {
        Entity::Class(class) => (class, instance.how),
        Entity::Function(id) if instance.how == How::Constructed => (returned(ws, &id)?, How::Annotated),
        Entity::Module(_) | Entity::Function(_) | Entity::Instance(_) | Entity::External(_) | Entity::Unknown => {
            return None;
        }
    };
    for link in &instance.links {
        at = match link {
            Link::Attribute(name) => held(ws, path, &at, name)?,
            Link::Method(name) => {
                let Entity::Function(id) = method(ws, known(ws, &at, name)?, name) else {
                    return None;
                };
                (returned(ws, &id)?, How::Annotated)
            }
        };
    }
    Some(at)
}

/// The last of `members`, and the class of the object that it is asked of.
pub(super) fn asked_of<'m>(
    ws: &Workspace,
    path: &str,
    instance: &Instance,
    members: &'m [String],
) -> Option<(ClassId, How, &'m str)> {
    let (last, before) = members.split_last()?;
    let mut at = class_of(ws, path, instance)?;
    for name in before {
        at = held(ws, path, &at, name)?;
    }
    Some((at.0, at.1, last))
}

/// Every member of a chain with the class that it is asked of, as far as classes are known; the first is marked.
pub(super) fn asked_along<'m>(
    ws: &Workspace,
    path: &str,
    instance: &Instance,
    members: &'m [String],
) -> Vec<(ClassId, How, &'m str, bool)> {
    let mut found = Vec::new();
    let mut at = class_of(ws, path, instance);
    for (index, name) in members.iter().enumerate() {
        let Some((class, how)) = at else {
            break;
        };
        at = held(ws, path, &(class.clone(), how), name);
        let is_first = index == 0 && instance.links.is_empty();
        found.push((class, how, name.as_str(), is_first));
    }
    found
}

/// The class, where no class below it puts something else in the place of its member `name`.
fn known<'c>(ws: &Workspace, (class, how): &'c (ClassId, How), name: &str) -> Option<&'c ClassId> {
    let exact = match how {
        How::Constructed => true,
        How::Annotated | How::Own => is_unchanged_below(ws, class, name),
        How::Above => false,
    };
    exact.then_some(class)
}

/// Whether objects of all classes below a class have the member `name` of that class, or lack it as that class does.
pub(super) fn is_unchanged_below(ws: &Workspace, class: &ClassId, name: &str) -> bool {
    let Some(below) = ws.below(class) else {
        return false;
    };
    let own = ws.mro(class);
    let silent = |base: &Base| match base {
        Base::Class(id) => ws.class(id).is_some_and(|class| {
            !class.open && !class.members.contains_key(name) && !class.own_attributes.contains(name)
        }),
        Base::External(name) => is_empty_base(name),
        Base::Unknown => false,
    };
    below.iter().all(|id| {
        let order = ws.mro(id);
        order.iter().filter(|base| !own.contains(base)).all(silent)
    })
}

/// What the attribute `name` of an object holds: one class, said in one place of the classes it is made of.
fn held(ws: &Workspace, path: &str, at: &(ClassId, How), name: &str) -> Option<(ClassId, How)> {
    let class = known(ws, at, name)?;
    let asks = ws.facts(path)?.narrowed_attributes.contains(name);
    if asks || ws.is_stored(name) || ws.opens_objects() {
        return None;
    }
    let mut found = None;
    for base in ws.mro(class).iter() {
        let Base::Class(id) = base else {
            continue;
        };
        let own = ws.class(id)?;
        let (member, stored) = (own.members.get(name), own.own_attributes.contains(name));
        if member.is_none() && !stored {
            continue;
        }
        // Two classes have a say.
        if found.is_some() || own.stores.get(name).is_some_and(|count| *count > 1) && !is_declared(own.held.get(name)) {
            return None;
        }
        found = Some(match (own.held.get(name), member.map(Vec::as_slice)) {
            (Some(held), _) => of_held(ws, &id.file, held)?,
            (None, Some([member])) => match member.kind {
                MemberKind::Method(index) => (of_property(ws, &id.file, index)?, How::Annotated),
                MemberKind::Class(_) | MemberKind::Other => return None,
            },
            (None, _) => return None,
        });
    }
    found
}

fn is_declared(held: Option<&Held>) -> bool {
    matches!(held, Some(Held::Declared(_)))
}

fn of_held(ws: &Workspace, file: &str, held: &Held) -> Option<(ClassId, How)> {
    match held {
        Held::Result(target) => match ws.resolve(file, target) {
            Entity::Class(class) => Some((class, How::Constructed)),
            Entity::Function(id) => Some((returned(ws, &id)?, How::Annotated)),
            Entity::Module(_) | Entity::Instance(_) | Entity::External(_) | Entity::Unknown => None,
        },
        Held::Annotated(target) | Held::Declared(target) => Some((named(ws, file, target)?, How::Annotated)),
        Held::Unclear => None,
    }
}

/// What the property says that it gives.
fn of_property(ws: &Workspace, file: &str, index: usize) -> Option<ClassId> {
    let function = ws.facts(file)?.functions.get(index)?;
    let [decorator] = function.decorators.as_slice() else {
        return None;
    };
    let name = decorator_name(ws, file, decorator)?;
    if !PROPERTIES.contains(&name.as_str()) {
        return None;
    }
    named(ws, file, function.returns.as_ref()?)
}

/// The class that the annotation of what a function returns names, where its decorators leave that alone.
fn returned(ws: &Workspace, id: &FunctionId) -> Option<ClassId> {
    let function = ws.function(id)?;
    let keeps = |decorator| {
        is_transparent(ws, &id.file, decorator)
            && decorator_name(ws, &id.file, decorator).is_some_and(|name| !listed(RESULT_CHANGING, &name))
    };
    if !function.decorators.iter().all(keeps) {
        return None;
    }
    named(ws, &id.file, function.returns.as_ref()?)
}

fn named(ws: &Workspace, file: &str, target: &Target) -> Option<ClassId> {
    match ws.resolve(file, target) {
        Entity::Class(class) => Some(class),
        Entity::Module(_) | Entity::Function(_) | Entity::Instance(_) | Entity::External(_) | Entity::Unknown => None,
    }
}
