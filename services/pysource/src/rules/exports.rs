//! `contracts/exports`: a file lacks what the plan says it provides.

use super::{Context, Outcome, Rule, location};
use crate::facts::{Facts, Reach};
use crate::source::Pos;
use crate::workspace::{Base, ClassId, Entity, Presence, Workspace};

const ID: &str = "contracts/exports";

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 1,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    for (path, exports) in &context.declared.exports {
        if !context.is_target(path) || !path.ends_with(".py") {
            continue;
        }
        if !context.ws.has_file(path) {
            let message = format!("the plan lists {path}, but there is no such file; write it");
            outcome.fail(ID, path, Pos::default(), message);
            continue;
        }
        let Some(facts) = context.ws.facts(path) else {
            continue;
        };
        for export in exports {
            let name = export.split('(').next().unwrap_or(export).trim();
            if name.is_empty() {
                continue;
            }
            outcome.sites += 1;
            judge(context.ws, path, facts, name, outcome);
        }
    }
}

fn judge(ws: &Workspace, path: &str, facts: &Facts, name: &str, outcome: &mut Outcome) {
    let (first, rest) = match name.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (name, None),
    };
    let bound = facts.names.get(first).map_or(&[][..], Vec::as_slice);
    let presence = match (ws.module_of(path), bound) {
        (Some(module), _) => ws.presence(module, first),
        // Outside the source root there is only the text of the file itself.
        (None, []) => Presence::No,
        (None, _) => Presence::Yes,
    };
    let why = match presence {
        Presence::Unknown => {
            outcome.no_opinion += 1;
            return;
        }
        Presence::Yes => match rest {
            Some(member) if lacks(ws, path, first, member, outcome) => {
                format!("the class `{first}` has no `{member}`")
            }
            Some(_) | None => return,
        },
        Presence::Only(Reach::Typing) => format!("`{first}` is there for type checkers only"),
        Presence::Only(Reach::Script | Reach::Import) => {
            format!("`{first}` is there only when the file is run as a script")
        }
        Presence::No if facts.names.is_empty() => "the file defines nothing".to_owned(),
        Presence::No if facts.local_names.contains_key(first) => {
            format!("`{first}` is only a local name inside a function")
        }
        Presence::No => format!("it does not define `{first}`"),
    };
    let message =
        format!("the plan says that this file provides `{name}`, but {why}; define `{name}` with exactly this name");
    let other = facts.local_names.get(first).map(|pos| location(path, *pos));
    let pos = bound.first().map_or(Pos { line: 1, column: 1 }, |binding| binding.pos);
    outcome.disagree(ID, path, pos, message, other);
}

/// Whether a class surely lacks a member.
fn lacks(ws: &Workspace, path: &str, class: &str, member: &str, outcome: &mut Outcome) -> bool {
    let target = crate::facts::Target::root(crate::facts::Root::Local(class.to_owned()));
    let Entity::Class(id) = ws.resolve(path, &target) else {
        outcome.no_opinion += 1;
        return false;
    };
    let has = |id: &ClassId| {
        ws.class(id).is_none_or(|class| {
            class.open || class.members.contains_key(member) || class.own_attributes.contains(member)
        })
    };
    !ws.mro(&id).iter().any(|base| match base {
        Base::Class(id) => has(id),
        Base::External(name) => name != "builtins.object",
        Base::Unknown => true,
    })
}
