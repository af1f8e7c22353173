//! `imports/unbound-name`: a name that is read where nothing binds it, such as one whose import was forgotten.

use super::{Context, Outcome, Rule};
use crate::facts::{UnboundUse, entries};

const ID: &str = "imports/unbound-name";

/// Names of other versions of Python, and of shells around it: code asks for them where they are.
const ELSEWHERE: &str = include_str!("../../policy/names-elsewhere.txt");

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 2,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    for (path, facts) in context.target_facts() {
        let module = context.ws.module_of(path).unwrap_or(path);
        let is_open = context.ws.is_open(module, facts);
        for used in &facts.unbound {
            outcome.sites += 1;
            if is_open || context.ws.is_stored(&used.name) || may_be_meant(used) {
                outcome.no_opinion += 1;
                continue;
            }
            let message = format!(
                "nothing binds the name `{0}` here; import or define `{0}`, or use the name that was meant",
                used.name
            );
            outcome.fail(ID, path, used.pos, message);
        }
    }
}

fn may_be_meant(used: &UnboundUse) -> bool {
    let guards = used.guards;
    guards.name_error
        || guards.never_runs
        || guards.annotation
        || guards.environment
        || entries(ELSEWHERE).any(|name| name == used.name)
}
