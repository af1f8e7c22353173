//! `substance/stub`: functions that do nothing where something is expected, and results that are written down
//! instead of measured. Doing nothing is right in many places; the rule speaks only where it is not.

use super::construct::{decorator_name, is_transparent};
use super::reached::{called, certain};
use super::{Context, Outcome, Rule};
use crate::facts::{Body, Class, Facts, Hollow, entries};
use crate::source::Pos;
use crate::workspace::{Base, ClassId, Place, Workspace};
use std::collections::BTreeSet;

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
    version: 4,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    let program = program(context.ws);
    let called = context.declared.unplanned.then(|| called(context.ws));
    let certain = certain(context.ws);
    for (path, facts) in context.target_facts() {
        outcome.sites += facts.body_count;
        let of_tests = is_test(path) && !program.contains(path);
        for body in &facts.bodies {
            let judgement = judge(context.ws, path, facts, body, (of_tests, context.declared.unplanned));
            let fails = body.hollow == Hollow::NotImplemented && certain.contains(&(path.to_owned(), body.pos));
            match judgement {
                Judgement::Unknown if fails && !of_tests => {
                    let message = format!(
                        "the function `{}` is called, and all that it does is to raise that it is not implemented; write its body",
                        body.name
                    );
                    outcome.fail(ID, path, body.pos, message);
                }
                Judgement::Stub if called.as_ref().is_some_and(|called| !is_missed(path, body, called)) => {
                    outcome.no_opinion += 1;
                }
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
        constants(path, facts, of_tests, outcome);
    }
}

fn what(hollow: Hollow) -> &'static str {
    match hollow {
        Hollow::Pass => "there is nothing in it but `pass` or a docstring",
        Hollow::Ellipsis => "there is nothing in it but `...`",
        Hollow::NotImplemented | Hollow::Refusal => "all it does is to raise that it is not implemented",
        Hollow::Unfinished => "it says itself that it is unfinished",
    }
}

enum Judgement {
    Right,
    Unknown,
    Stub,
}

fn judge(ws: &Workspace, path: &str, facts: &Facts, body: &Body, (of_tests, unplanned): (bool, bool)) -> Judgement {
    if body.never_runs {
        return Judgement::Right;
    }
    // What helps a test is there to be used, not to do something.
    let helps_a_test = of_tests && (!body.name.starts_with("test") || body.has_examples);
    if body.idle_by_word && body.hollow != Hollow::Unfinished {
        return Judgement::Unknown;
    }
    if body.alternative || body.for_subclasses || body.hollow == Hollow::Refusal || helps_a_test {
        return Judgement::Unknown;
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
            Hollow::Refusal => Judgement::Unknown,
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
    let is_protocol = class.bases.iter().flatten().any(|base| base.last() == Some("Protocol"));
    if is_protocol {
        return Judgement::Right;
    }
    // Abstract by its own word: a class below an abstract one is there to fill it.
    let abc = crate::workspace::Entity::External("abc.ABC".to_owned());
    let is_abstract =
        class.metaclass.is_some() || class.bases.iter().flatten().any(|base| ws.resolve(path, base) == abc);
    let is_template = is_abstract || ws.is_subclassed(&id) || is_template_name(&class.name);
    let is_special = body.name.starts_with("__") && body.name.ends_with("__");
    let is_hook = body.name.starts_with("on_") || entries(HOOK_NAMES).any(|hook| hook == body.name) || idle(&body.name);
    match body.hollow {
        // A class that is there to do nothing may call its methods stubs.
        Hollow::Unfinished if is_template_name(&class.name) => Judgement::Unknown,
        Hollow::Unfinished => Judgement::Stub,
        // There are classes to fill it in, and none of them does.
        Hollow::NotImplemented if !unplanned && is_left_open(ws, &id, &body.name) => Judgement::Stub,
        _ if is_template => Judgement::Unknown,
        Hollow::Ellipsis => Judgement::Stub,
        Hollow::Refusal => Judgement::Unknown,
        // Overriding with nothing, or with an error, is a way to switch something off.
        Hollow::NotImplemented if (is_special && unplanned) || switches_off(ws, &mro, &body.name) => Judgement::Unknown,
        Hollow::NotImplemented => Judgement::Stub,
        Hollow::Pass if is_special || is_hook || has_bases(class) => Judgement::Unknown,
        Hollow::Pass => Judgement::Stub,
    }
}

/// Whether all classes below are known, there are some, and the method of none of them is called so.
fn is_left_open(ws: &Workspace, id: &ClassId, name: &str) -> bool {
    let below = ws.below(id).unwrap_or_default();
    let fills = |class: &ClassId| ws.class(class).is_none_or(|class| class.members.contains_key(name));
    !below.is_empty() && !below.iter().any(fills)
}

/// Whether a body is missed where nobody has planned it: it says so itself, or somebody calls it.
fn is_missed(path: &str, body: &Body, called: &BTreeSet<(String, Pos)>) -> bool {
    let is_called = || called.contains(&(path.to_owned(), body.pos));
    match body.hollow {
        Hollow::Unfinished => true,
        Hollow::NotImplemented => (body.class.is_none() && !body.nested) || is_called(),
        Hollow::Pass | Hollow::Ellipsis | Hollow::Refusal => is_called(),
    }
}

/// Whether a class above has the method, with substance.
fn switches_off(ws: &Workspace, mro: &[Base], name: &str) -> bool {
    mro.iter().skip(1).any(|base| {
        let Base::Class(id) = base else {
            return false;
        };
        let (Some(class), Some(facts)) = (ws.class(id), ws.facts(&id.file)) else {
            return false;
        };
        let hollow = |body: &Body| body.class == Some(id.index) && body.name == name;
        class.members.contains_key(name) && !facts.bodies.iter().any(hollow)
    })
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

fn constants(path: &str, facts: &Facts, of_tests: bool, outcome: &mut Outcome) {
    for constant in &facts.constants {
        if of_tests {
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

/// The files that sources import, directly or not: part of the program, whatever their names say of tests.
fn program(ws: &Workspace) -> BTreeSet<String> {
    let is_source = |path: &&str| !is_test(path) && ws.module_of(path).is_some();
    let mut open: Vec<String> = ws
        .readable()
        .map(|(path, _)| path)
        .filter(is_source)
        .map(str::to_owned)
        .collect();
    let mut found: BTreeSet<String> = open.iter().cloned().collect();
    while let Some(path) = open.pop() {
        let imports = ws.facts(&path).into_iter().flat_map(|facts| &facts.imports);
        for module in imports.flat_map(|import| ws.loads(&path, import)) {
            if let Place::File(file) = ws.locate(&module)
                && found.insert(file.clone())
            {
                open.push(file);
            }
        }
    }
    found
}

/// Whether a file belongs, by its name, to the tests of the workspace.
fn is_test(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    name.starts_with("test_")
        || name.ends_with("_test.py")
        || name == "conftest.py"
        || folders.split('/').any(|folder| matches!(folder, "test" | "tests"))
}
