//! Which functions some call surely reaches: what is empty there is missed, whatever else may be said for it.
//! It must not guess: a call that may reach another function reaches none.

use super::call::{above, callee, method};
use super::instance::asked_of;
use crate::facts::{Call, How, Subject};
use crate::source::Pos;
use crate::workspace::{Entity, Workspace};
use std::collections::BTreeSet;

/// Every function and method that some call surely reaches, by its place.
pub(super) fn called(ws: &Workspace) -> BTreeSet<(String, Pos)> {
    // What a class calls of its own may be there for the classes below it.
    let surely = |subject: &Subject| match subject {
        Subject::Target(_) => true,
        Subject::Instance(instance, _) => instance.how == How::Constructed,
    };
    let calls = calls(ws).filter(|(_, call)| surely(&call.subject));
    let reached = calls.filter_map(|(path, call)| function(ws, callee(ws, path, &call.subject)));
    reached.collect()
}

/// Methods that are reached whatever the rest of the program is like: what an override calls of the class above it, and
/// the initialisation of what is constructed. Calls under a condition do not count: an error may be expected there.
pub(super) fn certain(ws: &Workspace) -> BTreeSet<(String, Pos)> {
    let plain = calls(ws).filter(|(_, call)| {
        let guards = call.guards;
        !(guards.conditional || guards.never_runs || guards.type_error || guards.expected || guards.environment)
    });
    let reached = plain.filter_map(|(path, call)| match callee(ws, path, &call.subject) {
        Entity::Class(class) => function(ws, method(ws, &class, "__init__")),
        Entity::Function(_) | Entity::Module(_) | Entity::Instance(_) | Entity::External(_) | Entity::Unknown => {
            let Subject::Instance(instance, members) = &call.subject else {
                return None;
            };
            let (class, how, member) = asked_of(ws, path, instance, members)?;
            let is_above = how == How::Above;
            is_above.then(|| function(ws, above(ws, &class, member)))?
        }
    });
    reached.collect()
}

fn calls(ws: &Workspace) -> impl Iterator<Item = (&str, &Call)> {
    ws.readable()
        .flat_map(|(path, facts)| facts.calls.iter().map(move |call| (path, call)))
}

/// The place of a function.
fn function(ws: &Workspace, entity: Entity) -> Option<(String, Pos)> {
    match entity {
        Entity::Function(id) => Some((id.file.clone(), ws.function(&id)?.pos)),
        Entity::Module(_) | Entity::Class(_) | Entity::Instance(_) | Entity::External(_) | Entity::Unknown => None,
    }
}
