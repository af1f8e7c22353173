//! `imports/shadow`: a module of the workspace with a name that other code expects to mean something else.

use super::{Context, Outcome, Rule};
use crate::facts::entries;
use crate::source::Pos;

const ID: &str = "imports/shadow";

/// Names that nobody imports from the standard library or an environment.
const HARMLESS: &str = include_str!("../../policy/harmless-names.txt");

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 1,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    for (path, _) in context.target_facts() {
        let Some(module) = context.ws.module_of(path) else {
            continue;
        };
        outcome.sites += 1;
        let name = module.split('.').next().unwrap_or(module);
        if entries(HARMLESS).any(|harmless| harmless == name) {
            continue;
        }
        let owner = match (context.ws.is_stdlib(name), context.ws.is_env(name)) {
            (true, _) => "the standard library",
            (false, true) => "the environment",
            (false, false) => continue,
        };
        let wrong = match context.ws.is_folder_only(name) {
            // Without `__init__.py`, the other module wins.
            true => format!("cannot be imported, because {owner} has a module `{name}`"),
            false => format!("hides the module `{name}` of {owner} from all code that imports it"),
        };
        let pos = Pos { line: 1, column: 1 };
        let message = format!("this file {wrong}; give it another name");
        outcome.fail(ID, path, pos, message);
    }
}
