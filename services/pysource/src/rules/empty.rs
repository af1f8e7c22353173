//! `substance/empty`: a file that should provide something and says nothing.

use super::{Context, Outcome, Rule};
use crate::source::Pos;

const ID: &str = "substance/empty";

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 1,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    for (path, facts) in context.target_facts() {
        let exports = context.declared.exports.get(path).map_or(0, Vec::len);
        if exports == 0 {
            continue;
        }
        outcome.sites += 1;
        // A file of imports alone may re-export what it should provide; `contracts/exports` asks for the names.
        if facts.substance == 0 && facts.imports.is_empty() {
            let pos = Pos { line: 1, column: 1 };
            let message =
                "the file is empty, although the plan says what it provides; write its whole content".to_owned();
            outcome.fail(ID, path, pos, message);
        }
    }
}
