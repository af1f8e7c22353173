//! `imports/cycle`: modules that import one another in an order that cannot work.
//! A cycle alone is no fault: only one that fails from every place where the program can enter it.

use super::cycle_order::{Broken, Order};
use super::{Context, Outcome, Rule, location};
use crate::facts::{Facts, Step};
use crate::workspace::{Place, Workspace};
use std::collections::{BTreeMap, BTreeSet};

const ID: &str = "imports/cycle";

/// Largest group of modules whose order is worked out.
const MAX_GROUP: usize = 200;

pub(super) const RULE: Rule = Rule {
    id: ID,
    version: 1,
    run,
};

fn run(context: &Context<'_>, outcome: &mut Outcome) {
    let graph = Graph::of(context.ws);
    outcome.sites += context
        .target_facts()
        .map(|(_, facts)| u64::try_from(facts.imports.len()).unwrap_or(u64::MAX))
        .sum::<u64>();
    for group in graph.groups() {
        if group.len() > MAX_GROUP || graph.is_uncertain(&group) {
            outcome.no_opinion += 1;
            continue;
        }
        judge(context, &graph, &group, outcome);
    }
}

fn judge(context: &Context<'_>, graph: &Graph<'_>, group: &BTreeSet<String>, outcome: &mut Outcome) {
    let mut broken: Vec<Broken> = Vec::new();
    for start in graph.starts(group) {
        match Order::new(context.ws, group).broken(&start) {
            Some(found) => broken.push(found),
            None => return,
        }
    }
    for found in broken {
        let message = format!(
            "circular import: `{}` is asked for `{}` while it is still being imported, before it has that name; move what both modules need into a third one, or import it inside the function that needs it",
            found.module, found.name
        );
        let other = location(&found.module_file, found.defined);
        outcome.disagree(ID, &found.file, found.pos, message, Some(other));
    }
}

/// The modules of the workspace and what each imports while it is imported itself.
struct Graph<'w> {
    ws: &'w Workspace,
    files: BTreeMap<String, (&'w str, &'w Facts)>,
    edges: BTreeMap<String, BTreeSet<String>>,
}

impl<'w> Graph<'w> {
    fn of(ws: &'w Workspace) -> Self {
        let named = ws.readable().filter_map(|(path, facts)| {
            let name = ws.module_of(path)?;
            // Only the file that the name leads to.
            (ws.locate(name) == Place::File(path.to_owned())).then(|| (name.to_owned(), (path, facts)))
        });
        let files: BTreeMap<_, _> = named.collect();
        let mut edges = BTreeMap::new();
        for (name, (path, facts)) in &files {
            let steps = facts.steps.iter().filter_map(|step| match step {
                Step::Import(index) => facts.imports.get(*index),
                Step::Bind(_) | Step::Use(..) => None,
            });
            let loads = steps.flat_map(|import| ws.loads(path, import));
            let inside = loads.filter(|module| files.contains_key(module) && module != name);
            edges.insert(name.clone(), inside.collect());
        }
        Self { ws, files, edges }
    }

    fn reach(&self, from: &str) -> BTreeSet<&str> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = vec![from];
        while let Some(at) = open.pop() {
            for next in self.edges.get(at).into_iter().flatten() {
                if seen.insert(next.as_str()) {
                    open.push(next);
                }
            }
        }
        seen
    }

    /// Groups of modules that all reach one another.
    fn groups(&self) -> Vec<BTreeSet<String>> {
        let reach: BTreeMap<&str, BTreeSet<&str>> = self
            .edges
            .keys()
            .map(|name| (name.as_str(), self.reach(name)))
            .collect();
        let mut done: BTreeSet<&str> = BTreeSet::new();
        let mut groups = Vec::new();
        for (name, reached) in &reach {
            if !reached.contains(name) || done.contains(name) {
                continue;
            }
            let back = |other: &&&str| reach.get(**other).is_some_and(|back| back.contains(name));
            let group: Vec<&str> = reached.iter().filter(back).copied().collect();
            done.extend(&group);
            groups.push(group.into_iter().map(str::to_owned).collect());
        }
        groups
    }

    /// Whether some import inside the group may or may not happen.
    fn is_uncertain(&self, group: &BTreeSet<String>) -> bool {
        group
            .iter()
            .filter_map(|name| self.files.get(name))
            .any(|(path, facts)| {
                facts.steps.iter().any(|step| match step {
                    Step::Import(index) => facts.imports.get(*index).is_some_and(|import| {
                        let guards = import.guards;
                        (guards.conditional || guards.import_error || guards.environment)
                            && self.ws.loads(path, import).iter().any(|name| group.contains(name))
                    }),
                    Step::Bind(_) | Step::Use(..) => false,
                })
            })
    }

    /// Where the program can enter the group: modules that others import, or all of them.
    fn starts(&self, group: &BTreeSet<String>) -> Vec<String> {
        let mut starts = BTreeSet::new();
        for (path, facts) in self.ws.readable() {
            if self.ws.module_of(path).is_some_and(|name| group.contains(name)) {
                continue;
            }
            for import in &facts.imports {
                let first = self.ws.loads(path, import).into_iter().find(|m| group.contains(m));
                starts.extend(first);
            }
        }
        if starts.is_empty() {
            return group.iter().cloned().collect();
        }
        starts.into_iter().collect()
    }
}
