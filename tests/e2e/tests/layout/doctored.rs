//! Shows each rule of the table firing: the real graph with something changed, from a directory of cases.
//!
//! `layout/reject/*.toml` must bring the named complaints (further ones depend on who else is
//! above the changed crate), `layout/accept/*.toml` must bring none.

use serde::Deserialize;

use crate::graph::{Declared, Graph, Kind};
use crate::root;
use crate::table::Table;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// Dependencies to add to the real graph.
    #[serde(default)]
    add: Vec<Added>,
    /// A workspace member to add.
    new: Option<String>,
    /// A workspace member to remove.
    gone: Option<String>,
    /// Whether the table allows the first of them, for rules that hold whatever the table says.
    #[serde(default)]
    in_table: bool,
    /// Complaints that must come, word for word.
    #[serde(default)]
    complaints: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Added {
    from: String,
    to: String,
    #[serde(default = "normal")]
    kind: Kind,
    #[serde(default)]
    features: Vec<String>,
}

fn normal() -> Kind {
    Kind::Normal
}

impl Case {
    fn apply(&self, graph: &mut Graph, table: &mut Table) {
        if self.in_table {
            table.allow(&self.add[0].from, &self.add[0].to);
        }
        if let Some(new) = &self.new {
            graph.members.insert(new.clone(), Vec::new());
        }
        if let Some(gone) = &self.gone {
            graph.members.remove(gone);
        }
        for added in &self.add {
            let declared = Declared {
                name: added.to.clone(),
                kind: added.kind,
                features: added.features.clone(),
            };
            graph.add(&added.from, declared);
        }
    }
}

/// Runs every case of a folder, and `judge`s the complaints it asks for against those it brought.
fn run(folder: &str, judge: fn(expected: &[String], brought: &[String]) -> bool) {
    let (graph, table) = (Graph::read(&root()), Table::read(&root()));
    // What is wrong with the real graph is another test's business, and must not be mistaken for a case's.
    let already = table.violations(&graph);
    let mut count = 0;
    for entry in std::fs::read_dir(root().join(folder)).expect("the folder of cases") {
        let path = entry.expect("a case").path();
        let text = std::fs::read_to_string(&path).expect("a readable case");
        let case: Case = toml::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let (mut graph, mut table) = (graph.clone(), table.clone());
        case.apply(&mut graph, &mut table);
        let mut brought = table.violations(&graph);
        brought.retain(|complaint| !already.contains(complaint));
        assert!(judge(&case.complaints, &brought), "{path:?} brought {brought:#?}");
        count += 1;
    }
    assert!(count > 0, "no cases in {folder}");
}

#[test]
fn doctored_graphs_are_rejected_by_name() {
    run("tests/e2e/layout/reject", |expected, brought| {
        !expected.is_empty() && expected.iter().all(|one| brought.contains(one))
    });
}

#[test]
fn harmless_additions_are_accepted() {
    run("tests/e2e/layout/accept", |_, brought| brought.is_empty());
}
