//! `substance/stub`: functions that do nothing where something is expected, and results that are written down
//! instead of measured. Doing nothing is right in many places; the rule speaks only where it is not.

use super::construct::{decorator_name, is_transparent};
use super::{Context, Outcome, Rule};
use crate::facts::{Body, Class, Facts, Hollow, entries};
use crate::workspace::{Base, ClassId, Workspace};

const ID: &str = "substance/stub";

const IDLE_NAMES: &str = include_str!("../../policy/idle-names.txt");
const HOOK_NAMES: &str = include_str!("../../policy/hook-names.txt");
const TEMPLATE_NAMES: &str = include_str!("../../policy/template-names.txt");

/// Decorators that make an empty body right.
const EMPTY_BY_DESIGN: &[&str] = &["abstractmethod", "abstractproperty", "overload"];

/// Decorators of methods that leave the question of substance open.
const ACCESSORS: &[&str] = &["builtins.property", "functools.cached_property"];

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 1,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    for (path, facts) in context.target_facts() {
        outcome.sites += facts.body_count;
        for body in &facts.bodies {
            match judge(context.ws, path, facts, body) {
                Judgement::Right => {}
                Judgement::Unknown => outcome.no_opinion += 1,
                Judgement::Stub => {
                    let message = format!(
                        "the function `{}` does nothing: {}; write its body",
                        body.name,
                        what(body.hollow)
                    );
                    outcome.fail(ID, path, body.pos, message);
                }
            }
        }
        hollow_classes(context, path, facts, outcome);
        constants(path, facts, outcome);
    }
}

fn what(hollow: Hollow) -> &'static str {
    match hollow {
        Hollow::Pass => "there is nothing in it but `pass` or a docstring",
        Hollow::Ellipsis => "there is nothing in it but `...`",
        Hollow::NotImplemented => "all it does is to raise that it is not implemented",
        Hollow::Unfinished => "it says itself that it is unfinished",
    }
}

enum Judgement {
    Right,
    Unknown,
    Stub,
}

fn judge(ws: &Workspace, path: &str, facts: &Facts, body: &Body) -> Judgement {
    if body.never_runs {
        return Judgement::Right;
    }
    for decorator in &body.decorators {
        let name = decorator_name(ws, path, decorator);
        let last = name.as_deref().and_then(|name| name.rsplit('.').next());
        if last.is_some_and(|last| EMPTY_BY_DESIGN.contains(&last)) {
            return Judgement::Right;
        }
        let accessor = name.as_deref().is_some_and(|name| ACCESSORS.contains(&name));
        if !accessor && !is_transparent(ws, path, decorator) {
            return Judgement::Unknown;
        }
    }
    let idle = |name: &str| entries(IDLE_NAMES).any(|part| name.to_lowercase().contains(part));
    let Some(index) = body.class else {
        let may_be_idle = body.nested || idle(&body.name);
        return match body.hollow {
            Hollow::Pass if may_be_idle => Judgement::Unknown,
            Hollow::Pass | Hollow::Ellipsis | Hollow::NotImplemented | Hollow::Unfinished => Judgement::Stub,
        };
    };
    let id = ClassId {
        file: path.to_owned(),
        index,
    };
    let Some(class) = facts.classes.get(index) else {
        return Judgement::Unknown;
    };
    let mro = ws.mro(&id);
    let is_protocol = class.bases.iter().flatten().any(|base| {
        matches!(ws.resolve(path, base), crate::workspace::Entity::External(name) if name.ends_with(".Protocol"))
    });
    if is_protocol {
        return Judgement::Right;
    }
    let is_abstract = class.metaclass.is_some() || mro.contains(&Base::External("abc.ABC".to_owned()));
    let is_template = is_abstract || ws.is_subclassed(&id) || is_template_name(&class.name);
    let is_special = body.name.starts_with("__") && body.name.ends_with("__");
    let is_hook = body.name.starts_with("on_") || entries(HOOK_NAMES).any(|hook| hook == body.name) || idle(&body.name);
    match body.hollow {
        Hollow::Unfinished => Judgement::Stub,
        _ if is_template => Judgement::Unknown,
        Hollow::Ellipsis => Judgement::Stub,
        Hollow::NotImplemented if is_special => Judgement::Unknown,
        Hollow::NotImplemented => Judgement::Stub,
        // Overriding with nothing is a way to switch something off.
        Hollow::Pass if is_special || is_hook || has_bases(class) => Judgement::Unknown,
        Hollow::Pass => Judgement::Stub,
    }
}

fn has_bases(class: &Class) -> bool {
    !class.bases.is_empty()
}

fn is_template_name(name: &str) -> bool {
    let name = name.to_lowercase();
    entries(TEMPLATE_NAMES).any(|part| name.contains(part))
}

/// A class that the plan asks for and that has nothing in it.
fn hollow_classes(context: &Context<'_>, path: &str, facts: &Facts, outcome: &mut Outcome) {
    let Some(exports) = context.declared.exports.get(path) else {
        return;
    };
    for class in &facts.classes {
        let wanted = exports.contains(&class.name);
        if !wanted {
            continue;
        }
        outcome.sites += 1;
        if class.hollow && class.bases.is_empty() && class.decorators.is_empty() {
            let message = format!(
                "the class `{}` has nothing in it, although the plan says that the file provides it; write its body",
                class.name
            );
            outcome.fail(ID, path, class.pos, message);
        }
    }
}

fn constants(path: &str, facts: &Facts, outcome: &mut Outcome) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_test = name.starts_with("test_") || name == "conftest.py" || path.contains("tests/");
    for constant in &facts.constants {
        if is_test {
            outcome.no_opinion += 1;
            continue;
        }
        let message = format!(
            "`{}` gives a written-down number for `{}`; compute it from data",
            constant.function, constant.metric
        );
        outcome.fail(ID, path, constant.pos, message);
    }
}
