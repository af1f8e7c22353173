//! The table `layout.toml` and what a crate graph has against it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use crate::graph::{Declared, Graph, Kind};
use crate::sources::Sources;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Table {
    services: BTreeSet<String>,
    tests: BTreeSet<String>,
    uses: BTreeMap<String, BTreeSet<String>>,
    capability: Vec<Capability>,
    feature: Vec<Feature>,
    pub(crate) sources: Sources,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Capability {
    what: String,
    crates: BTreeSet<String>,
    named_by: Option<BTreeSet<String>>,
    reached_by: Option<BTreeSet<String>>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Feature {
    what: String,
    of: String,
    feature: String,
    asked_by: BTreeSet<String>,
}

impl Table {
    pub(crate) fn read(root: &Path) -> Self {
        let text = std::fs::read_to_string(root.join("tests/e2e/layout.toml")).expect("layout.toml");
        toml::from_str(&text).expect("layout.toml is a table")
    }

    /// One sentence for each thing that is not as the table says.
    pub(crate) fn violations(&self, graph: &Graph) -> Vec<String> {
        let mut found = self.disagreements_on_members(graph);
        for (member, declared) in &graph.members {
            if self.tests.contains(member) {
                continue;
            }
            for dependency in declared.iter().filter(|d| d.kind != Kind::Dev) {
                found.extend(self.edge(graph, member, dependency));
                found.extend(self.named(member, dependency));
            }
            found.extend(self.reached(graph, member));
            found.extend(self.services_reached(graph, member));
        }
        found
    }

    fn disagreements_on_members(&self, graph: &Graph) -> Vec<String> {
        let known: BTreeSet<&String> = self.uses.keys().chain(&self.tests).collect();
        let actual: BTreeSet<&String> = graph.members.keys().collect();
        let missing = known
            .difference(&actual)
            .map(|name| format!("{name} is in the table, not in the workspace"));
        let unknown = actual
            .difference(&known)
            .map(|name| format!("{name} is in the workspace, not in the table"));
        missing.chain(unknown).collect()
    }

    fn edge(&self, graph: &Graph, member: &str, dependency: &Declared) -> Option<String> {
        let ours = graph.members.contains_key(&dependency.name);
        let allowed = self
            .uses
            .get(member)
            .is_some_and(|uses| uses.contains(&dependency.name));
        (ours && !allowed).then(|| format!("{member} imports {}, which the table does not allow", dependency.name))
    }

    fn named(&self, member: &str, dependency: &Declared) -> Vec<String> {
        let crates = self.capability.iter().filter(|capability| {
            let named_by = capability.named_by.as_ref();
            capability.crates.contains(&dependency.name) && named_by.is_some_and(|by| !by.contains(member))
        });
        let features = self.feature.iter().filter(|feature| {
            feature.of == dependency.name
                && dependency.features.contains(&feature.feature)
                && !feature.asked_by.contains(member)
        });
        let crates = crates.map(|c| format!("{member} names {} ({})", dependency.name, c.what));
        let features = features.map(|f| format!("{member} asks for {}/{} ({})", f.of, f.feature, f.what));
        crates.chain(features).collect()
    }

    /// One complaint for each capability, by the shortest way to it.
    fn reached(&self, graph: &Graph, member: &str) -> Vec<String> {
        let mut found = Vec::new();
        for capability in &self.capability {
            let Some(reached_by) = &capability.reached_by else {
                continue;
            };
            if reached_by.contains(member) || capability.crates.contains(member) {
                continue;
            }
            let ways = capability.crates.iter().filter_map(|name| graph.way(member, name));
            if let Some(way) = ways.min_by_key(Vec::len) {
                found.push(format!("{member} reaches {}: {}", capability.what, way.join(" -> ")));
            }
        }
        found
    }

    /// Does not ask the table who may: not even an entry there makes a service import another one.
    fn services_reached(&self, graph: &Graph, member: &str) -> Vec<String> {
        let others = self.services.iter().filter(|service| *service != member);
        let ways = others.filter_map(|service| graph.way(member, service));
        ways.map(|way| format!("{member} imports a service: {}", way.join(" -> ")))
            .collect()
    }

    /// Adds a line, for showing that some rules do not depend on it.
    pub(crate) fn allow(&mut self, member: &str, used: &str) {
        let uses = self.uses.entry(member.to_owned()).or_default();
        uses.insert(used.to_owned());
    }
}
