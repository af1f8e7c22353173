//! `substance/secret`: credentials in source. A finding names their kind and never repeats them.

use super::{Context, Outcome, Rule};

const ID: &str = "substance/secret";

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 2,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    for (path, facts) in context.target_facts() {
        outcome.sites += facts.texts.looked_at;
        for (pos, kind) in &facts.texts.secrets {
            let message = format!("a string holds what looks like a credential ({kind}); read it from the environment");
            outcome.fail(ID, path, *pos, message);
        }
    }
}
