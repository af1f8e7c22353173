//! `imports/src-prefix`: the source folder's own name is used as a package, which it is not while a file in it is
//! the script.

use super::{Context, Outcome, Rule};
use crate::facts::Form;
use crate::workspace::Place;

const ID: &str = "imports/src-prefix";

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 2,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    let root = context.ws.source_root();
    // `a/b` as source root: `a.b.x` is the mistake.
    let prefix = root.replace('/', ".");
    if prefix.is_empty() {
        return;
    }
    let first = prefix.split('.').next().unwrap_or(&prefix);
    if !matches!(context.ws.locate(first), Place::Missing { .. } | Place::External) {
        return;
    }
    for (path, facts) in context.target_facts() {
        let below_root = context.ws.module_of(path).is_some();
        for import in facts.imports.iter().filter(|import| import.module.level == 0) {
            outcome.sites += 1;
            let name = &import.module.name;
            let rest = match name.strip_prefix(&prefix) {
                Some("") => "",
                Some(rest) => match rest.strip_prefix('.') {
                    Some(rest) => rest,
                    None => continue,
                },
                None => continue,
            };
            let silent = import.guards.import_error || import.guards.never_runs;
            if silent || !below_root || context.ws.may_be_on_path(name) {
                outcome.no_opinion += 1;
                continue;
            }
            let names: Vec<&str> = import.names.iter().map(|name| name.name.as_str()).collect();
            let names = names.join(", ");
            let right = match (import.form, rest) {
                (Form::Module, "") => "import the modules in it by their own names".to_owned(),
                (Form::Module, rest) => format!("write `import {rest}`"),
                (Form::From, "") => format!("write `import {names}`"),
                (Form::From, rest) => format!("write `from {rest} import {names}`"),
                (Form::Star, rest) => format!("write `from {rest} import *`"),
                (Form::Call, rest) => format!("import `{rest}`"),
            };
            let message = format!(
                "`{name}` cannot be imported: `{root}/` is the folder that modules are found in, not a package; {right}"
            );
            outcome.fail(ID, path, import.pos, message);
        }
    }
}
