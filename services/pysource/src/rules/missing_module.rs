//! `imports/missing-module`: a module that is neither in the workspace, nor in the environment, nor in the standard
//! library. What a package of the environment contains is not asked: only running the import can tell.

use super::{Context, Outcome, Rule};
use crate::facts::{Form, Import};
use crate::workspace::{Place, Workspace};

const ID: &str = "imports/missing-module";

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 2,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    for (path, facts) in context.target_facts() {
        let below_root = context.ws.module_of(path).is_some();
        for import in &facts.imports {
            outcome.sites += 1;
            let guards = import.guards;
            let silent = guards.import_error || guards.never_runs || guards.environment;
            if silent || !below_root {
                outcome.no_opinion += 1;
                continue;
            }
            match context.ws.absolute(path, &import.module) {
                Ok(name) if is_source_prefix(&name, context.ws) => {}
                Ok(name) => judge(context.ws, path, import, &name, outcome),
                // `imports/relative` has the word.
                Err(_) => {}
            }
        }
    }
}

/// `imports/src-prefix` has the word.
fn is_source_prefix(name: &str, ws: &Workspace) -> bool {
    let prefix = ws.source_root().replace('/', ".");
    let rest = name.strip_prefix(&prefix);
    !prefix.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn judge(ws: &Workspace, path: &str, import: &Import, name: &str, outcome: &mut Outcome) {
    match ws.locate(name) {
        Place::File(_) | Place::Folder => {}
        Place::External | Place::Binary => outcome.no_opinion += 1,
        Place::Missing { parent } => {
            if ws.may_be_on_path(name) {
                outcome.no_opinion += 1;
                return;
            }
            let Some(parent) = parent else {
                let message = format!(
                    "there is no module `{name}`: not in the workspace, not in the environment, not in the standard library; import a module that exists, or write it"
                );
                outcome.fail(ID, path, import.pos, message);
                return;
            };
            // A name of the parent, or a parent that makes up its modules.
            let rest = name.get(parent.len() + 1..).unwrap_or_default();
            let child = rest.split('.').next().unwrap_or(rest);
            if let Place::File(file) = ws.locate(&parent)
                && ws.facts(&file).is_none_or(|facts| ws.is_open(&parent, facts))
            {
                outcome.no_opinion += 1;
                return;
            }
            let wrong = match (import.form, ws.locate(&parent)) {
                (_, Place::File(file)) if !file.ends_with("/__init__.py") => {
                    format!("`{parent}` is a file, not a package, so it has no module `{child}`")
                }
                _ => format!("the package `{parent}` has no module `{child}`"),
            };
            let right = match import.form {
                Form::Module => format!("write `from {parent} import {child}` if it is a name"),
                Form::From | Form::Star | Form::Call => "import from a module that exists, or write it".to_owned(),
            };
            outcome.fail(ID, path, import.pos, format!("{wrong}; {right}"));
        }
    }
}
