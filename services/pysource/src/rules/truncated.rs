//! `substance/truncated`: a file that ends in the middle, or that has a comment where code should be.

use super::{Context, Outcome, Rule};

const ID: &str = "substance/truncated";

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 2,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    for (path, facts) in context.target_facts() {
        outcome.sites += facts.texts.looked_at;
        for (pos, comment) in &facts.texts.elisions {
            let message = format!("the comment `{comment}` stands where code was left out; write the whole file");
            outcome.fail(ID, path, *pos, message);
        }
        if let Some((pos, name)) = &facts.texts.dangling {
            let message = format!("the file ends with the bare name `{name}`, as if cut off; write it to its end");
            outcome.fail(ID, path, *pos, message);
        }
    }
}
