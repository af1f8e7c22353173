//! `imports/relative`: relative imports that cannot work where the file lies.

use super::{Context, Outcome, Rule};
use crate::facts::{Form, Import};
use crate::workspace::Workspace;

const ID: &str = "imports/relative";

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 1,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    for (path, facts) in context.target_facts() {
        let below_root = context.ws.module_of(path).is_some();
        for import in facts.imports.iter().filter(|import| import.module.level > 0) {
            outcome.sites += 1;
            if import.guards.import_error || import.guards.never_runs || !below_root {
                outcome.no_opinion += 1;
                continue;
            }
            let Err(out) = context.ws.absolute(path, &import.module) else {
                continue;
            };
            let why = match out.package {
                None => "this file is a top-level module, not part of a package".to_owned(),
                Some(package) => format!("it leaves the topmost package of this file, `{package}`"),
            };
            let message = format!(
                "the relative import `{}` cannot work: {why}; write {}",
                as_written(import),
                absolute_form(import, context.ws)
            );
            outcome.fail(ID, path, import.pos, message);
        }
    }
}

fn as_written(import: &Import) -> String {
    let dots = ".".repeat(import.module.level.min(8) as usize);
    let names: Vec<&str> = import.names.iter().map(|name| name.name.as_str()).collect();
    let names = match import.form {
        Form::Star => "*".to_owned(),
        Form::Module | Form::From | Form::Call => names.join(", "),
    };
    format!("from {dots}{} import {names}", import.module.name)
}

/// The import that would work, as far as the names show it.
fn absolute_form(import: &Import, ws: &Workspace) -> String {
    let names: Vec<&str> = import.names.iter().map(|name| name.name.as_str()).collect();
    let root = match ws.source_root() {
        "" => "the workspace".to_owned(),
        root => format!("`{root}/`"),
    };
    match (import.module.name.as_str(), import.form) {
        ("", Form::Star) => format!("absolute imports, named from {root}"),
        ("", _) => format!("`import {}`, named from {root}", names.join(", ")),
        (module, Form::Star) => format!("`from {module} import *`, named from {root}"),
        (module, _) => format!("`from {module} import {}`, named from {root}", names.join(", ")),
    }
}
