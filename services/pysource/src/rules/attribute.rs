//! `contracts/attribute`: an attribute or a keyword that a class of the workspace surely does not have.
//! Asked only of classes that nothing in the workspace can extend behind the text's back.

use super::bind::Problem;
use super::call::{constructed, shared_class, shared_instance};
use super::construct::{constructor, is_closed, is_dataclass, is_plain_base, is_plain_class};
use super::instance::{asked_along, is_unchanged_below};
use super::{Context, Outcome, Rule, location};
use crate::facts::{AttributeUse, Call, Facts, How, Subject};
use crate::workspace::{Base, ClassId, Workspace};
use std::collections::BTreeSet;

const ID: &str = "contracts/attribute";

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 3,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    let made = made(context.ws);
    for (path, facts) in context.ws.readable() {
        for call in &facts.calls {
            keywords(context, path, call, outcome);
        }
        for used in &facts.attributes {
            attribute(context, path, facts, used, &made, outcome);
        }
    }
}

/// `RunConfig(amp=True)` where there is no field `amp`.
fn keywords(context: &Context<'_>, path: &str, call: &Call, outcome: &mut Outcome) {
    let ws = context.ws;
    let Some(id) = constructed(ws, path, call).filter(|id| context.concerns(path, &id.file)) else {
        return;
    };
    let Some(constructor) = constructor(ws, &id).filter(|found| found.is_dataclass) else {
        return;
    };
    outcome.sites += 1;
    if call.guards.type_error || call.guards.never_runs {
        outcome.no_opinion += 1;
        return;
    }
    let name = ws.class(&id).map_or("", |class| &class.name);
    for problem in constructor.slots.bind(call) {
        let Problem::UnknownKeyword(keyword) = problem else {
            continue;
        };
        let message = format!(
            "the dataclass `{name}` takes no `{keyword}`: it is `{}`; use one of its fields, or add `{keyword}` to it",
            constructor.slots.shown(name)
        );
        let other = location(&constructor.file, constructor.pos);
        outcome.disagree(ID, path, call.pos, message, Some(other));
    }
}

/// Classes of which some file makes objects.
fn made(ws: &Workspace) -> BTreeSet<ClassId> {
    let calls = |(path, facts): (&'_ str, &'_ Facts)| {
        let made = facts.calls.iter().filter_map(|call| constructed(ws, path, call));
        made.collect::<Vec<_>>()
    };
    ws.readable().flat_map(calls).collect()
}

fn attribute(
    context: &Context<'_>,
    path: &str,
    facts: &Facts,
    used: &AttributeUse,
    made: &BTreeSet<ClassId>,
    outcome: &mut Outcome,
) {
    let ws = context.ws;
    let asked = match &used.subject {
        Subject::Instance(instance, members) => {
            for (id, how, name, is_first) in asked_along(ws, path, instance, members) {
                let escapes = instance.escapes || !is_first;
                let asked = Asked { id, how, name, escapes };
                judge(context, path, facts, used, made, &asked, outcome);
            }
            return;
        }
        Subject::Target(target) => match shared_instance(ws, path, target) {
            Some((id, name)) => Asked {
                id,
                how: How::Constructed,
                name,
                escapes: true,
            },
            None => match shared_class(ws, path, target) {
                Some((id, name)) => return of_class(context, path, facts, used, (&id, name), outcome),
                None => return,
            },
        },
    };
    judge(context, path, facts, used, made, &asked, outcome);
}

/// An attribute, and the class of the object that it is asked of.
struct Asked<'m> {
    id: ClassId,
    how: How,
    name: &'m str,
    /// Other code has the object too, and could add attributes.
    escapes: bool,
}

fn judge(
    context: &Context<'_>,
    path: &str,
    facts: &Facts,
    used: &AttributeUse,
    made: &BTreeSet<ClassId>,
    asked: &Asked<'_>,
    outcome: &mut Outcome,
) {
    let ws = context.ws;
    let Asked { id, how, name, escapes } = asked;
    if !context.concerns(path, &id.file) {
        return;
    }
    outcome.sites += 1;
    let guards = used.guards;
    let special = name.starts_with("__");
    if guards.attribute_error || guards.never_runs || guards.annotation || special {
        outcome.no_opinion += 1;
        return;
    }
    let mro = ws.mro(id);
    // What is only annotated may be something that looks alike; a dataclass is meant as written.
    let sure = match how {
        How::Constructed => true,
        How::Annotated => is_unchanged_below(ws, id, name),
        // A class that is called somewhere is no mixin: `self` is an object of that class.
        How::Above => false,
        How::Own => is_unchanged_below(ws, id, name) && (is_dataclass(ws, id) || is_made(ws, id, made)),
    };
    let extended = ws.is_stored(name) || (*escapes && ws.opens_objects());
    if !sure || extended || asks_at_run_time(facts, name) || !is_closed(ws, &mro) {
        outcome.no_opinion += 1;
        return;
    }
    if mro.iter().any(|base| has(ws, base, name)) {
        return;
    }
    let Some(class) = ws.class(id) else {
        return;
    };
    let message = format!(
        "`{}` has no attribute `{name}`: {}; use what it has, or add `{name}` to it",
        class.name,
        members(ws, &mro)
    );
    let other = location(&id.file, class.pos);
    outcome.disagree(ID, path, used.pos, message, Some(other));
}

/// Whether some file makes objects of the class or of one below it.
fn is_made(ws: &Workspace, id: &ClassId, made: &BTreeSet<ClassId>) -> bool {
    made.contains(id)
        || ws
            .below(id)
            .is_some_and(|below| below.iter().any(|id| made.contains(id)))
}

/// Whether a class of the order brings the name; one that is not in the workspace's text may.
fn has(ws: &Workspace, base: &Base, name: &str) -> bool {
    match base {
        Base::Class(id) => ws
            .class(id)
            .is_none_or(|class| class.members.contains_key(name) || class.own_attributes.contains(name)),
        Base::External(_) | Base::Unknown => false,
    }
}

/// `Config.EPOCHS` and `Color.GREEN`, asked of the class itself.
fn of_class(
    context: &Context<'_>,
    path: &str,
    facts: &Facts,
    used: &AttributeUse,
    (id, name): (&ClassId, &str),
    outcome: &mut Outcome,
) {
    let ws = context.ws;
    if !context.concerns(path, &id.file) {
        return;
    }
    outcome.sites += 1;
    let guards = used.guards;
    let mro = ws.mro(id);
    let silent = guards.attribute_error || guards.never_runs || guards.annotation || guards.environment;
    // What every class has comes in lower case: `mro`, `upper`. What is asked here is a constant or a member.
    let constant = name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase());
    let extended = ws.is_stored(name) || ws.opens_objects() || asks_at_run_time(facts, name);
    let known = mro.iter().all(|base| match base {
        Base::Class(id) => ws
            .class(id)
            .is_some_and(|class| !class.open && !class.conditional && is_plain_class(ws, id, class)),
        Base::External(name) => is_plain_base(name),
        Base::Unknown => false,
    });
    if silent || !constant || extended || !known {
        outcome.no_opinion += 1;
        return;
    }
    let Some(class) = ws.class(id).filter(|_| !mro.iter().any(|base| has(ws, base, name))) else {
        return;
    };
    let message = format!(
        "the class `{}` has no `{name}`: {}; use what it has, or add `{name}` to it",
        class.name,
        members(ws, &mro)
    );
    let other = location(&id.file, class.pos);
    outcome.disagree(ID, path, used.pos, message, Some(other));
}

/// Whether the file handles objects that may or may not have this attribute.
fn asks_at_run_time(facts: &Facts, name: &str) -> bool {
    facts.asked_attributes.contains(name)
}

/// The public attributes of a class, as far as a message has room for them.
fn members(ws: &Workspace, mro: &[Base]) -> String {
    const MOST: usize = 12;
    let mut names: Vec<&str> = Vec::new();
    for base in mro {
        let Base::Class(id) = base else {
            continue;
        };
        let Some(class) = ws.class(id) else {
            continue;
        };
        let all = class.members.keys().chain(&class.own_attributes).map(String::as_str);
        names.extend(all.filter(|name| !name.starts_with('_')));
    }
    names.sort_unstable();
    names.dedup();
    let more = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    match (names.is_empty(), more) {
        (true, _) => "it has none of its own".to_owned(),
        (false, 0) => format!("it has {}", names.join(", ")),
        (false, more) => format!("it has {} and {more} more", names.join(", ")),
    }
}
