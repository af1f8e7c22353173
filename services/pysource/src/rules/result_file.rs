//! `substance/result-file`: results that are written past the recorder. The files are the harness's alone.

use super::{Context, Outcome, Rule};

const ID: &str = "substance/result-file";

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 2,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    for (path, facts) in context.target_facts() {
        outcome.sites += facts.texts.looked_at;
        for (pos, name) in &facts.texts.result_files {
            if context.declared.unplanned {
                // Without a run there is no recorder to go past.
                outcome.no_opinion += 1;
                continue;
            }
            let message = format!("`{name}` is written by the harness alone; hand results to the recorder");
            outcome.fail(ID, path, *pos, message);
        }
    }
}
